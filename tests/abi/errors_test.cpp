// Exceptions, failed assertions and the names that tracing tools hook, through libtbb's entry points.

#include <gtest/gtest.h>

#include <csignal>
#include <stdexcept>
#include <string>
#include <typeinfo>

#include <oneapi/tbb/concurrent_queue.h>
#include <oneapi/tbb/concurrent_vector.h>
#include <oneapi/tbb/detail/_assert.h>
#include <oneapi/tbb/detail/_exception.h>
#include <oneapi/tbb/global_control.h>
#include <oneapi/tbb/profiling.h>

namespace {

namespace r1 = tbb::detail::r1;
namespace d1 = tbb::detail::d1;

using tbb::detail::exception_id;

template <class Exception>
void expect_thrown(exception_id id, const std::string& message) {
    try {
        r1::throw_exception(id);
        ADD_FAILURE() << "returned";
    } catch (const std::exception& e) {
        EXPECT_EQ(typeid(e), typeid(Exception)) << typeid(e).name();
        EXPECT_EQ(e.what(), message);
    }
}

TEST(errors, types_and_messages) {
    expect_thrown<std::bad_alloc>(exception_id::bad_alloc, std::bad_alloc().what());
    expect_thrown<tbb::bad_last_alloc>(exception_id::bad_last_alloc,
                                       "bad allocation in previous or concurrent attempt");
    expect_thrown<tbb::user_abort>(exception_id::user_abort,
                                   "User-initiated abort has terminated this operation");
    expect_thrown<std::invalid_argument>(exception_id::nonpositive_step, "Step must be positive");
    expect_thrown<std::out_of_range>(exception_id::out_of_range, "Index out of requested size range");
    expect_thrown<std::length_error>(exception_id::reservation_length_error,
                                     "Attempt to exceed implementation defined length limits");
    expect_thrown<r1::missing_wait>(exception_id::missing_wait,
                                    "wait() was not called on the structured_task_group");
    expect_thrown<std::out_of_range>(exception_id::invalid_load_factor, "Invalid hash load factor");
    expect_thrown<std::out_of_range>(exception_id::invalid_key, "invalid key");
    expect_thrown<std::runtime_error>(exception_id::bad_tagged_msg_cast, "Illegal tagged_msg cast");
    expect_thrown<tbb::unsafe_wait>(exception_id::unsafe_wait, "Unsafe to wait further");
}

TEST(errors_death_test, end_the_process_while_a_control_asks_for_it) {
    const auto throw_it = [](int id) {
        const tbb::global_control ends(tbb::global_control::terminate_on_exception, 1);
        try {
            r1::throw_exception(static_cast<exception_id>(id));
        } catch (...) {
        }
    };
    constexpr int first = 1, last = static_cast<int>(exception_id::last_entry);
    for (int id = first; id < last; ++id)
        EXPECT_EXIT(throw_it(id), testing::KilledBySignal(SIGABRT), "terminate called after throwing")
            << "exception_id " << id;
    EXPECT_THROW(r1::throw_exception(exception_id::user_abort), tbb::user_abort) << "none asks any more";
}

TEST(errors, are_caught_by_their_bases) {
    EXPECT_THROW(r1::throw_exception(exception_id::bad_last_alloc), std::bad_alloc);
    EXPECT_THROW(r1::throw_exception(exception_id::unsafe_wait), std::runtime_error);
    EXPECT_THROW(r1::throw_exception(exception_id::user_abort), std::exception);
}

// Programs may make and throw them as well: their vtables and type information are the library's.
TEST(errors, can_be_thrown_by_programs) {
    const auto is_caught = [](const auto& error) {
        try {
            throw error;
        } catch (const std::exception& e) {
            return typeid(e) == typeid(error) && *e.what() != 0;
        }
    };
    EXPECT_TRUE(is_caught(tbb::bad_last_alloc()));
    EXPECT_TRUE(is_caught(tbb::user_abort()));
    EXPECT_TRUE(is_caught(r1::missing_wait()));
    EXPECT_TRUE(is_caught(tbb::unsafe_wait("made here")));
}

TEST(errors, reach_users_of_containers) {
    const tbb::concurrent_vector<int> v(3);
    EXPECT_THROW(v.at(3), std::out_of_range);
}

std::string last_failure;
void note_failure(const char* location, int line, const char* expression, const char* comment) {
    last_failure = std::string(location) + ':' + std::to_string(line) + ' ' + expression + ' ' +
                   (comment ? comment : "-");
}

TEST(assertions, go_to_the_handler) {
    const auto original = tbb::ext::get_assertion_handler();
    EXPECT_NE(original, nullptr);
    EXPECT_EQ(tbb::ext::set_assertion_handler(note_failure), original);
    EXPECT_EQ(tbb::ext::get_assertion_handler(), &note_failure);
    r1::assertion_failure("here", 7, "a == b", "why");
    EXPECT_EQ(last_failure, "here:7 a == b why");
    r1::assertion_failure("there", 8, "c", nullptr);
    EXPECT_EQ(last_failure, "there:8 c -");
    EXPECT_EQ(tbb::ext::set_assertion_handler(nullptr), &note_failure);
    EXPECT_EQ(tbb::ext::get_assertion_handler(), original);
}

TEST(assertionsDeathTest, abort_by_default) {
    GTEST_FLAG_SET(death_test_style, "threadsafe");
    EXPECT_DEATH(r1::assertion_failure("here", 7, "a == b", nullptr), "Assertion a == b failed .*here.*7");
    EXPECT_DEATH(r1::assertion_failure("here", 7, "a == b", "the reason"), "the reason");
}

TEST(itt, names_may_be_called) {
    int object = 0;
    const auto name = static_cast<tbb::detail::string_resource_index>(0);
    const auto domain = d1::ITT_DOMAIN_FLOW;
    r1::call_itt_notify(d1::prepare, &object);
    r1::create_itt_sync(&object, "type", "name");
    r1::itt_set_sync_name(&object, "name");
    r1::itt_make_task_group(domain, &object, 0, nullptr, 0, name);
    r1::itt_task_begin(domain, &object, 0, nullptr, 0, name);
    r1::itt_task_end(domain);
    r1::itt_region_begin(domain, &object, 0, nullptr, 0, name);
    r1::itt_region_end(domain, &object, 0);
    r1::itt_metadata_str_add(domain, &object, 0, name, "value");
    r1::itt_metadata_ptr_add(domain, &object, 0, name, &object);
    r1::itt_relation_add(domain, &object, 0, tbb::detail::__itt_relation_is_unknown, &object, 0);
}

}  // namespace
