#pragma once
// How far the calibration is, on stderr: a bar on a terminal, a plain line per step elsewhere. One thread.

#include <string>

namespace bough::calibrate {

class progress {
public:
    progress();
    ~progress();
    progress(const progress&) = delete;
    progress& operator=(const progress&) = delete;

    // Begins a step that takes about `share` of the whole (all shares add up to 1).
    void begin(const std::string& step, double share);
    void part(double done_of_step);  // 0 to 1
    void finish();                   // takes the bar away

private:
    void draw(double done);

    bool terminal_;
    std::string step_;
    double before_ = 0;  // the share of the steps that are done
    double share_ = 0;
};

}  // namespace bough::calibrate
