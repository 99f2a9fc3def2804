#pragma once
// This program once more, as a process that measures: its environment fixes how the runtime distributes, and its
// profile is made for it. So neither the caller's settings nor an older profile have a say: it gets no other BOUGH_
// variables.

#include <string>
#include <vector>

#include "child.h"
#include "profile/profile.h"

namespace bough::calibrate {

// A profile that lives as long as the measuring process.
class temporary_profile {
public:
    explicit temporary_profile(const profile& values);
    ~temporary_profile();
    temporary_profile(const temporary_profile&) = delete;
    temporary_profile& operator=(const temporary_profile&) = delete;

    const std::string& path() const { return path_; }

private:
    std::string path_;
};

struct child_settings {
    unsigned threads;
    std::string distribute;  // value of BOUGH_DISTRIBUTE
    std::string gate;        // value of BOUGH_GATE
};

child measuring_child(const std::vector<std::string>& arguments, const child_settings& settings,
                      const profile& values, const temporary_profile& file);

}  // namespace bough::calibrate
