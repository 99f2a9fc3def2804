#include "progress.h"

#include <unistd.h>

#include <algorithm>
#include <cstdio>

namespace bough::calibrate {

progress::progress() : terminal_(isatty(STDERR_FILENO) == 1) {}
progress::~progress() {
    finish();
}

void progress::begin(const std::string& step, double share) {
    before_ += share_;
    share_ = share;
    step_ = step;
    if (!terminal_)
        std::fprintf(stderr, "[%3.0f %%] %s\n", std::min(1.0, before_) * 100, step_.c_str());
    part(0);
}

void progress::part(double done_of_step) {
    draw(before_ + share_ * std::clamp(done_of_step, 0.0, 1.0));
}

void progress::draw(double done) {
    if (!terminal_)
        return;
    constexpr int width = 30;
    const double share = std::clamp(done, 0.0, 1.0);
    const std::string bar(static_cast<std::size_t>(share * width), '#');
    std::fprintf(stderr, "\r[%-*s] %3.0f %% %-40.40s", width, bar.c_str(), share * 100, step_.c_str());
    std::fflush(stderr);
}

void progress::finish() {
    if (terminal_ && !step_.empty())
        std::fprintf(stderr, "\r%80s\r", "");
    step_.clear();
}

}  // namespace bough::calibrate
