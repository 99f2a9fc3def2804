#include "spmv/line_reader.h"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <utility>

namespace bench {

line_reader::line_reader(std::string file) : file_(std::move(file)), stream_(nullptr) {
    errno = 0;
    stream_ = gzopen(file_.c_str(), "rb");
    if (!stream_)
        throw matrix_error(file_ + ": cannot be opened: " + std::strerror(errno ? errno : ENOMEM));
    gzbuffer(stream_, 1 << 17);
}

line_reader::~line_reader() {
    gzclose_r(stream_);
}

void line_reader::fail(const std::string& message) const {
    throw matrix_error(file_ + ":" + std::to_string(number_) + ": " + message);
}

bool line_reader::refill() {
    const int got = gzread(stream_, chunk_.data(), static_cast<unsigned>(chunk_.size()));
    int error = Z_OK;
    const char* text = gzerror(stream_, &error);
    if (got < 0 || (got == 0 && error != Z_OK && error != Z_STREAM_END)) {
        ++number_;
        fail(std::string("cannot be read: ") + (error == Z_ERRNO ? std::strerror(errno) : text));
    }
    position_ = 0;
    filled_ = static_cast<std::size_t>(got);
    return got > 0;
}

bool line_reader::next(std::string_view& line) {
    line_.clear();
    bool any = false;
    while (position_ < filled_ || refill()) {
        any = true;
        const char* const begin = chunk_.data() + position_;
        const char* const end = chunk_.data() + filled_;
        const char* const stop = std::find(begin, end, '\n');
        line_.append(begin, stop);
        position_ += static_cast<std::size_t>(stop - begin);
        if (line_.size() > longest_line) {
            ++number_;
            fail("a line of over " + std::to_string(longest_line) + " characters: not a Matrix Market file");
        }
        if (stop != end) {
            ++position_;
            break;
        }
    }
    if (!any)
        return false;
    ++number_;
    if (!line_.empty() && line_.back() == '\r')
        line_.pop_back();
    line = line_;
    return true;
}

}  // namespace bench
