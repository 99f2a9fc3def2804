// After the start of 8 workers the process holds less than 16 MiB more than an empty program.

#include "process_support.h"
#include "support/no_huge_pages.h"

namespace {

// Resident bytes of a program that does nothing.
std::size_t resident_of_empty_program() {
    const pid_t child = fork();
    if (child == 0) {
        execlp("sleep", "sleep", "10", nullptr);
        _exit(127);
    }
    // Until exec has happened it is a copy of us: wait for its name.
    const std::string process = std::to_string(child);
    for (int k = 0; k < 1000; ++k) {
        std::ifstream comm("/proc/" + process + "/comm");
        std::string name;
        if (comm >> name && name == "sleep")
            break;
        std::this_thread::sleep_for(std::chrono::milliseconds(1));
    }
    std::this_thread::sleep_for(std::chrono::milliseconds(50));
    const std::size_t bytes = bough_test::resident_bytes(process);
    kill(child, SIGKILL);
    waitpid(child, nullptr, 0);
    return bytes;
}

int child_with_workers() {
    if (!bough_test::pool_is_usable())
        return 1;
    std::cout << bough_test::resident_bytes() << std::endl;
    return 0;
}

TEST(resident_memory, of_8_workers_is_below_16_MiB) {
    if (bough_test::sanitized)
        GTEST_SKIP() << "sanitizers have shadow memory";
    if (bough_test::is_emulated())
        GTEST_SKIP() << "the emulator and the code that it has translated are in this process, too";
    const std::size_t empty = resident_of_empty_program();
    ASSERT_GT(empty, 0u);
    for (const char* threads : {"8", "9"}) {
        const auto outcome = bough_test::run_child("with_workers", {{"BOUGH_NUM_THREADS", threads}});
        ASSERT_TRUE(outcome.succeeded()) << outcome.what();
        const std::size_t loaded = std::stoul(outcome.out);
        std::cout << loaded / 1024 << " KiB with " << threads << " threads, " << empty / 1024
                  << " KiB empty\n";
        EXPECT_LT(loaded, empty + (std::size_t{16} << 20));
    }
}

}  // namespace

int main(int argc, char** argv) {
    return bough_test::run_children_or_tests(argc, argv, {{"with_workers", child_with_workers}});
}
