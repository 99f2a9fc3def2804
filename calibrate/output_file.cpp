#include "output_file.h"

#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <stdexcept>
#include <vector>

namespace bough::calibrate {
namespace {

namespace fs = std::filesystem;

[[noreturn]] void fail(const std::string& path, const std::string& reason) {
    throw std::runtime_error(path + " cannot be written: " + reason);
}

fs::path folder_of(const std::string& path) {
    const fs::path folder = fs::path(path).parent_path();
    return folder.empty() ? fs::path(".") : folder;
}

// The folders of a file that are missing when it is made are gone, if they are empty, when it goes.
class missing_folders {
public:
    explicit missing_folders(const std::string& path) {
        std::error_code error;
        for (fs::path p = fs::absolute(folder_of(path), error); !p.empty() && !fs::exists(p, error);
             p = p.parent_path())
            missing_.push_back(p);
    }
    ~missing_folders() {
        for (const fs::path& p : missing_)
            rmdir(p.c_str());
    }
    missing_folders(const missing_folders&) = delete;
    missing_folders& operator=(const missing_folders&) = delete;

private:
    std::vector<fs::path> missing_;  // the innermost first
};

// Where a link leads to, which stays a link. What is there is a file, or nothing.
std::string place_of(const std::string& path) {
    std::error_code error;
    const fs::file_type type = fs::status(path, error).type();
    if (type == fs::file_type::none)
        fail(path, error.message());
    if (type == fs::file_type::directory)
        fail(path, "it is a folder");
    if (type != fs::file_type::regular && type != fs::file_type::not_found)
        fail(path, "it is not a regular file");
    fs::path place = path;
    while (fs::is_symlink(place, error))
        place = folder_of(place.string()) / fs::read_symlink(place, error);
    return place.string();
}

// The temporary file beside its place; gone at the end of the scope unless it was renamed.
class draft {
public:
    explicit draft(const std::string& path)
        : target_(path), name_(path + ".XXXXXX"), fd_(mkstemp(name_.data())) {
        if (fd_ < 0)
            fail(path, std::strerror(errno));
    }
    ~draft() {
        close(fd_);
        if (!renamed_)
            unlink(name_.c_str());
    }
    draft(const draft&) = delete;
    draft& operator=(const draft&) = delete;

    void write_all(const std::string& text) const {
        std::size_t written = 0;
        while (written < text.size()) {
            const ssize_t n = write(fd_, text.data() + written, text.size() - written);
            if (n < 0 && errno != EINTR)
                fail(target_, std::strerror(errno));
            written += n > 0 ? static_cast<std::size_t>(n) : 0;
        }
    }

    void put_in_place() {
        fchmod(fd_, S_IRUSR | S_IWUSR | S_IRGRP | S_IROTH);  // mkstemp's files are for their owner alone
        if (fsync(fd_) != 0 || std::rename(name_.c_str(), target_.c_str()) != 0)
            fail(target_, std::strerror(errno));
        renamed_ = true;
    }

private:
    std::string target_;
    std::string name_;
    int fd_;
    bool renamed_ = false;
};

}  // namespace

void make_folder_of(const std::string& path) {
    std::error_code error;
    fs::create_directories(folder_of(path), error);
    if (error)
        fail(path, "its folder cannot be made: " + error.message());
}

void check_writable(const std::string& path) {
    const missing_folders gone_afterwards(path);
    make_folder_of(path);
    const draft probe(place_of(path));
}

void write_whole(const std::string& path, const std::string& text) {
    make_folder_of(path);
    draft file(place_of(path));
    file.write_all(text);
    file.put_in_place();
}

}  // namespace bough::calibrate
