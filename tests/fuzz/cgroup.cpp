// Control groups of any content grant no CPUs (no limit) or as many as one of their files says. The input is the pieces
// between zero bytes: /proc/self/cgroup first, then the files below in this order.

#include <fcntl.h>
#include <sys/stat.h>

#include <algorithm>
#include <array>
#include <filesystem>
#include <optional>
#include <sstream>

#include "fuzz_support.h"
#include "machine/limits.h"

namespace {

using bough_fuzz::check;
namespace fs = std::filesystem;

constexpr std::array files{"fs/cpu.max",
                           "fs/a/cpu.max",
                           "fs/a/b/cpu.max",
                           "fs/unified/a/cpu.max",
                           "fs/cpu/a/cpu.cfs_quota_us",
                           "fs/cpu/a/cpu.cfs_period_us",
                           "fs/cpu,cpuacct/cpu.cfs_quota_us",
                           "fs/cpu,cpuacct/cpu.cfs_period_us"};
constexpr std::size_t of_version_2 = 4;

// Made once; files are written anew for each input.
class made_up_tree {
public:
    made_up_tree() {
        const char* memory = "/dev/shm";  // no disk, where there is one
        std::string pattern = fs::is_directory(memory) ? memory : fs::temp_directory_path().string();
        pattern += "/bough_fuzz_cgroup_XXXXXX";
        check(mkdtemp(pattern.data()) != nullptr, "a folder of our own", pattern);
        root_ = pattern;
        fds_.push_back(open_file("self"));
        for (const char* file : files)
            fds_.push_back(open_file(file));
    }
    ~made_up_tree() {
        for (const int fd : fds_)
            close(fd);
        std::error_code ignored;
        fs::remove_all(root_, ignored);
    }
    made_up_tree(const made_up_tree&) = delete;
    made_up_tree& operator=(const made_up_tree&) = delete;

    void hold(std::size_t file, std::string_view text) const {
        const auto size = static_cast<ssize_t>(text.size());
        check(ftruncate(fds_[file], 0) == 0 && pwrite(fds_[file], text.data(), text.size(), 0) == size,
              "a file of our own");
    }
    unsigned cpus() const { return bough::machine::cgroup_cpus(root_ + "/self", root_ + "/fs"); }

private:
    int open_file(const std::string& name) const {
        const fs::path path = fs::path(root_) / name;
        fs::create_directories(path.parent_path());
        const int fd = open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0600);
        check(fd >= 0, "a file of our own", path);
        return fd;
    }

    std::string root_;
    std::vector<int> fds_;
};

// By hand and not as the library does it: digits only, and no more than 2^63 - 1.
std::optional<std::uint64_t> positive(const std::string& word) {
    __int128 value = 0;
    for (const char c : word) {
        if (c < '0' || c > '9')
            return std::nullopt;
        value = value * 10 + (c - '0');
        if (value > INT64_MAX)
            return std::nullopt;
    }
    if (value == 0)
        return std::nullopt;
    return static_cast<std::uint64_t>(value);
}

// 0: no limit.
unsigned granted(const std::string& quota, const std::string& period) {
    const auto q = positive(quota), p = positive(period);
    if (!q || !p)
        return 0;
    const std::uint64_t cpus = *q / *p + (*q % *p == 0 ? 0 : 1);
    return cpus < UINT32_MAX ? static_cast<unsigned>(cpus) : 0;
}

std::string first_line(const std::string& text) {
    return text.substr(0, text.find('\n'));
}

// What each group of `files` grants.
std::vector<unsigned> grants(const std::vector<std::string>& texts) {
    std::vector<unsigned> result;
    for (std::size_t i = 0; i < of_version_2; ++i) {
        std::istringstream line(first_line(texts[i]));
        std::string quota, period;
        line >> quota >> period;
        result.push_back(granted(quota, period));
    }
    for (std::size_t i = of_version_2; i < files.size(); i += 2)
        result.push_back(granted(first_line(texts[i]), first_line(texts[i + 1])));
    return result;
}

unsigned least(std::initializer_list<unsigned> grants) {
    unsigned result = 0;
    for (const unsigned g : grants)
        if (g != 0 && (result == 0 || g < result))
            result = g;
    return result;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    static const made_up_tree tree;
    auto texts = bough_fuzz::pieces(bough_fuzz::text_of(data, size), '\0');
    const std::string membership = texts.front();
    texts.erase(texts.begin());
    texts.resize(files.size());
    tree.hold(0, membership);
    for (std::size_t i = 0; i < files.size(); ++i)
        tree.hold(i + 1, texts[i]);
    const unsigned cpus = tree.cpus();
    const auto g = grants(texts);
    check(cpus == 0 || std::find(g.begin(), g.end(), cpus) != g.end(), "as many as one of the files says",
          std::to_string(cpus));
    // Of these all is known.
    if (membership == "0::/a/b\n")
        check(cpus == least({g[0], g[1], g[2], g[3]}), "the least from the group up to the root",
              std::to_string(cpus));
    if (membership == "4:cpu:/a\n")
        check(cpus == g[4], "the quota of version 1", std::to_string(cpus));
    if (membership == "2:cpu,cpuacct:/elsewhere\n1:memory:/a\n")
        check(cpus == g[5], "the quota of two controllers in one place", std::to_string(cpus));
    return 0;
}
