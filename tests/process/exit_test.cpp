// A process may end at any time: with hot or sleeping workers, from main, exit, quick_exit or another thread, with
// loops in static destructors and exit handlers. No crash, no hang, the right exit status, everything that was printed.

#include "process_support.h"

namespace {

void hot_pool() {
    for (int k = 0; k < 50; ++k)
        bough::parallel_for(0, 64, [](int) { bough_test::work_a_little(300); });
}

int child_return_hot() {
    hot_pool();
    return 0;
}
int child_return_idle() {
    hot_pool();
    std::this_thread::sleep_for(std::chrono::milliseconds(40));
    return 0;
}
int child_exit_hot() {
    hot_pool();
    std::exit(0);
}
int child_quick_exit_hot() {
    hot_pool();
    std::quick_exit(0);
}
int child_immediate_exit() {
    hot_pool();
    _exit(0);
}
int child_first_loop_then_return() {
    bough::parallel_for(0, 1000, [](int) { bough_test::work_a_little(10); });
    return 0;
}

// exit() by main while another thread is in the middle of loops.
int child_exit_under_load() {
    std::atomic<bool> began{false};
    std::thread([&] {
        for (;;) {
            bough::parallel_for(0, 100, [&](int) { bough_test::work_a_little(200); });
            began = true;
        }
    }).detach();
    while (!began.load())
        std::this_thread::yield();
    std::_Exit(0);
}

int child_exit_from_other_thread() {
    hot_pool();
    std::thread([] {
        bough::parallel_for(0, 100, [](int) { bough_test::work_a_little(100); });
        std::exit(0);
    }).join();
    return 9;
}

void loop_at_exit() {
    bough_test::visits seen(10000);
    bough::parallel_for(std::size_t{0}, std::size_t{10000}, [&](std::size_t i) { seen.hit(i); });
    if (!seen.each_once())
        _exit(11);
    if (std::printf("done\n") < 0)
        _exit(12);
}
int child_loop_in_exit_handler_registered_before() {
    std::atexit(loop_at_exit);
    hot_pool();
    return 0;
}
int child_loop_in_exit_handler_registered_after() {
    hot_pool();
    std::atexit(loop_at_exit);
    return 0;
}
int child_first_loop_in_exit_handler() {
    std::atexit(loop_at_exit);
    return 0;
}
int child_static_objects() {
    struct user {
        ~user() { loop_at_exit(); }
    };
    static user before;
    hot_pool();
    static bough::task_group group;
    static bough::task_arena arena(2);
    static bough::global_control limit(bough::global_control::max_allowed_parallelism, 2);
    static bough::affinity_partitioner affinity;
    bough::parallel_for(0, 1000, [](int) { bough_test::work_a_little(10); }, affinity);
    arena.execute([] { bough::parallel_for(0, 100, [](int) {}); });
    group.run([] {});
    group.wait();
    return 0;
}

// The main thread ends first; the process goes on in another one.
int child_main_thread_ends_first() {
    hot_pool();
    const pthread_t main_thread = pthread_self();
    std::thread([main_thread] {
        pthread_join(main_thread, nullptr);
        hot_pool();
        std::exit(0);
    }).detach();
    pthread_exit(nullptr);
}

// A body that throws what nobody catches ends in terminate, as in any other program, and not in a hang.
int child_uncaught() {
    bough::parallel_for(0, 1000, [](int) { throw bough_test::boom{1}; });
    return 0;
}

const std::map<std::string, bough_test::child_function> children = {
    {"return_hot", child_return_hot},
    {"return_idle", child_return_idle},
    {"exit_hot", child_exit_hot},
    {"quick_exit_hot", child_quick_exit_hot},
    {"immediate_exit", child_immediate_exit},
    {"first_loop_then_return", child_first_loop_then_return},
    {"exit_under_load", child_exit_under_load},
    {"exit_from_other_thread", child_exit_from_other_thread},
    {"loop_in_exit_handler_registered_before", child_loop_in_exit_handler_registered_before},
    {"loop_in_exit_handler_registered_after", child_loop_in_exit_handler_registered_after},
    {"first_loop_in_exit_handler", child_first_loop_in_exit_handler},
    {"static_objects", child_static_objects},
    {"main_thread_ends_first", child_main_thread_ends_first},
    {"uncaught", child_uncaught},
};

class exits : public ::testing::TestWithParam<const char*> {};

TEST_P(exits, cleanly_every_time) {
    const std::string name = GetParam();
#ifdef __SANITIZE_THREAD__
    if (name == "main_thread_ends_first")
        GTEST_SKIP() << "ThreadSanitizer aborts when the main thread is joined";
#endif
    for (const char* threads : {"2", "8"}) {
        for (int round = 0; round < (bough_test::long_run() ? 200 : 8); ++round) {
            const auto outcome = bough_test::run_child(name, {{"BOUGH_NUM_THREADS", threads}});
            ASSERT_TRUE(outcome.succeeded()) << name << ", " << threads << " threads: " << outcome.what();
            ASSERT_EQ(outcome.err, "") << name;
            if (name.find("exit_handler") != std::string::npos || name == "static_objects") {
                ASSERT_EQ(outcome.out, "done\n") << name;
            }
        }
    }
}

std::string name_of(const ::testing::TestParamInfo<const char*>& parameter) {
    return parameter.param;
}

INSTANTIATE_TEST_SUITE_P(process, exits,
                         ::testing::Values("return_hot", "return_idle", "exit_hot", "quick_exit_hot",
                                           "immediate_exit", "first_loop_then_return", "exit_under_load",
                                           "exit_from_other_thread", "loop_in_exit_handler_registered_before",
                                           "loop_in_exit_handler_registered_after",
                                           "first_loop_in_exit_handler", "static_objects",
                                           "main_thread_ends_first"),
                         name_of);

TEST(uncaught, ends_in_terminate) {
    const auto outcome = bough_test::run_child("uncaught", {{"BOUGH_NUM_THREADS", "4"}});
    EXPECT_FALSE(outcome.succeeded());
    EXPECT_NE(outcome.err.find("terminate"), std::string::npos) << outcome.what();
}

}  // namespace

int main(int argc, char** argv) {
    return bough_test::run_children_or_tests(argc, argv, children);
}
