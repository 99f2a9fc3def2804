// What blocks, throws and fails through libtbb's entry points. Linked against oneTBB's own library and against ours: the
// same must hold of both.

#include <gtest/gtest.h>
#include <time.h>

#include <array>
#include <atomic>
#include <chrono>
#include <cstdint>
#include <memory>
#include <string>
#include <thread>
#include <typeinfo>
#include <utility>
#include <vector>

#include <oneapi/tbb/concurrent_queue.h>
#include <oneapi/tbb/concurrent_vector.h>
#include <oneapi/tbb/global_control.h>
#include <oneapi/tbb/mutex.h>
#include <oneapi/tbb/profiling.h>
#include <oneapi/tbb/queuing_rw_mutex.h>
#include <oneapi/tbb/rw_mutex.h>
#include <oneapi/tbb/spin_mutex.h>
#include <oneapi/tbb/spin_rw_mutex.h>

namespace {

namespace r1 = tbb::detail::r1;
namespace d1 = tbb::detail::d1;
using namespace std::chrono_literals;

// All of them start together.
template <class Body>
void on_threads(int count, Body body) {
    std::vector<std::thread> threads;
    std::atomic<int> started{0};
    for (int i = 0; i < count; ++i)
        threads.emplace_back([&, i] {
            started.fetch_add(1);
            while (started.load() < count)
                std::this_thread::yield();
            body(i);
        });
    for (std::thread& t : threads)
        t.join();
}

template <class Condition>
void wait_until(Condition condition) {
    while (!condition())
        std::this_thread::yield();
}

// Several time slices away, so that threads are interrupted anywhere, on few CPUs too.
std::chrono::steady_clock::time_point in_a_while() {
    return std::chrono::steady_clock::now() + 80ms;
}

std::uint64_t cpu_time_ns() {
    timespec t{};
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
    return static_cast<std::uint64_t>(t.tv_sec) * 1'000'000'000 + static_cast<std::uint64_t>(t.tv_nsec);
}

// ---- exceptions and assertions ----

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

TEST(errors, are_caught_by_their_bases) {
    EXPECT_THROW(r1::throw_exception(exception_id::bad_last_alloc), std::bad_alloc);
    EXPECT_THROW(r1::throw_exception(exception_id::unsafe_wait), std::runtime_error);
    EXPECT_THROW(r1::throw_exception(exception_id::user_abort), std::exception);
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

// ---- reader-writer mutexes: what holds of each ----

// Two words that only a writer changes, both at once; what a reader sees must be equal.
struct twins {
    long first = 0;
    long second = 0;
    void change() {
        const long seen = first;
        first = seen + 1;
        second = seen + 1;
    }
    bool are_equal() const { return first == second; }
};

template <class Mutex>
struct rw_mutexes : testing::Test {
    using scoped_lock = typename Mutex::scoped_lock;
};
using rw_mutex_types = testing::Types<tbb::queuing_rw_mutex, d1::rtm_rw_mutex, tbb::rw_mutex>;
TYPED_TEST_SUITE(rw_mutexes, rw_mutex_types);

// Every kind of use, by everybody at once. Returns what went wrong, and counts the changes.
template <class Mutex>
int use(Mutex& m, twins& data, int kind, long& changes) {
    typename Mutex::scoped_lock lock;
    int wrong = 0;
    const auto change = [&] {
        data.change();
        ++changes;
    };
    switch (kind) {
    case 0:
        lock.acquire(m, true);
        change();
        break;
    case 1:
        if (lock.try_acquire(m, true)) {
            change();
            break;
        }
        return 0;
    case 2:
        if (!lock.try_acquire(m, false))
            return 0;
        break;
    case 3: {
        lock.acquire(m, false);
        const long seen = data.first;
        if (lock.upgrade_to_writer() && data.first != seen)
            ++wrong;
        if (!lock.is_writer())
            ++wrong;
        change();
        break;
    }
    case 4: {
        lock.acquire(m, true);
        change();
        const long seen = data.first;
        if (!lock.downgrade_to_reader() || data.first != seen || lock.is_writer())
            ++wrong;
        break;
    }
    default:
        lock.acquire(m, false);
    }
    if (!data.are_equal())
        ++wrong;
    lock.release();
    return wrong;
}

TYPED_TEST(rw_mutexes, exclude_in_every_use) {
    TypeParam m;
    twins data;
    std::atomic<int> wrong{0};
    std::atomic<long> changes{0};
    on_threads(6, [&](int thread) {
        long mine = 0;
        std::uint32_t random = 12345u + static_cast<std::uint32_t>(thread);
        for (const auto end = in_a_while(); std::chrono::steady_clock::now() < end;) {
            random = random * 1664525u + 1013904223u;
            wrong += use(m, data, static_cast<int>((random >> 24) % 8), mine);
        }
        changes += mine;
    });
    EXPECT_EQ(wrong.load(), 0);
    EXPECT_EQ(data.first, changes.load());
}

TYPED_TEST(rw_mutexes, readers_share) {
    TypeParam m;
    std::atomic<int> inside{0};
    on_threads(3, [&](int) {
        typename TestFixture::scoped_lock lock(m, false);
        inside.fetch_add(1);
        wait_until([&] { return inside.load() == 3; });
    });
}

TYPED_TEST(rw_mutexes, try_acquire_tells) {
    TypeParam m;
    typename TestFixture::scoped_lock holder, other;
    ASSERT_TRUE(holder.try_acquire(m, true));
    EXPECT_TRUE(holder.is_writer());
    EXPECT_FALSE(other.try_acquire(m, true));
    EXPECT_FALSE(other.try_acquire(m, false));
    holder.release();
    ASSERT_TRUE(other.try_acquire(m, false));
    EXPECT_FALSE(other.is_writer());
    EXPECT_FALSE(holder.try_acquire(m, true));
    other.release();
    ASSERT_TRUE(other.try_acquire(m, true));
}

TYPED_TEST(rw_mutexes, upgrade_waits_for_readers_and_keeps_the_lock) {
    TypeParam m;
    typename TestFixture::scoped_lock mine(m, false);
    std::atomic<int> step{0};
    bool seen_writing = false;
    std::atomic<bool> writing{false};
    std::thread reader([&] {
        typename TestFixture::scoped_lock lock(m, false);
        step.store(1);
        std::this_thread::sleep_for(20ms);
        seen_writing = writing.load();
        lock.release();
    });
    wait_until([&] { return step.load() == 1; });
    EXPECT_TRUE(mine.upgrade_to_writer());
    writing.store(true);
    EXPECT_TRUE(mine.is_writer());
    EXPECT_TRUE(mine.upgrade_to_writer());
    reader.join();
    EXPECT_FALSE(seen_writing);
    typename TestFixture::scoped_lock other;
    EXPECT_FALSE(other.try_acquire(m, false));
}

TYPED_TEST(rw_mutexes, of_two_upgrades_one_keeps_the_lock) {
    TypeParam m;
    std::atomic<int> readers{0}, kept{0};
    on_threads(2, [&](int) {
        typename TestFixture::scoped_lock lock(m, false);
        readers.fetch_add(1);
        wait_until([&] { return readers.load() == 2; });
        kept += lock.upgrade_to_writer();
        EXPECT_TRUE(lock.is_writer());
    });
    EXPECT_EQ(kept.load(), 1);
}

TYPED_TEST(rw_mutexes, downgrade_lets_readers_in) {
    TypeParam m;
    typename TestFixture::scoped_lock mine(m, true);
    std::atomic<int> inside{0};
    std::vector<std::thread> readers;
    for (int i = 0; i < 2; ++i)
        readers.emplace_back([&] {
            typename TestFixture::scoped_lock lock(m, false);
            inside.fetch_add(1);
        });
    std::this_thread::sleep_for(10ms);
    EXPECT_EQ(inside.load(), 0);
    mine.downgrade_to_reader();
    EXPECT_FALSE(mine.is_writer());
    for (std::thread& t : readers)
        t.join();
    EXPECT_EQ(inside.load(), 2);
    EXPECT_TRUE(mine.upgrade_to_writer());
}

// ---- queuing_rw_mutex: order ----

using queuing_lock = tbb::queuing_rw_mutex::scoped_lock;

// The mutex is the tail of its queue and nothing else, in both libraries.
bool is_last(const tbb::queuing_rw_mutex& m, const queuing_lock& l) {
    const auto tail = reinterpret_cast<const std::atomic<std::uintptr_t>*>(&m)->load();
    return (tail & ~std::uintptr_t{7}) == reinterpret_cast<std::uintptr_t>(&l);
}

struct queuing_rw_mutex : testing::Test {
    tbb::queuing_rw_mutex m;
    std::array<queuing_lock, 5> locks;
    std::vector<std::thread> threads;
    std::atomic<int> entered{0};

    // A thread that takes lock i, calls then(), and lets go; returns when it stands in the queue.
    template <class Then>
    void queue_up(std::size_t i, bool write, Then then) {
        threads.emplace_back([this, i, write, then] {
            locks[i].acquire(m, write);
            then();
            locks[i].release();
        });
        wait_until([&] { return is_last(m, locks[i]); });
    }
    void join() {
        for (std::thread& t : threads)
            t.join();
    }
    void TearDown() override {
        queuing_lock last;
        EXPECT_TRUE(last.try_acquire(m, true));  // nobody has been forgotten
    }
};

TEST_F(queuing_rw_mutex, serves_in_order) {
    queuing_lock mine(m, true);
    std::vector<int> order;
    for (std::size_t i = 0; i < locks.size(); ++i)
        queue_up(i, true, [&order, i] { order.push_back(static_cast<int>(i)); });
    mine.release();
    join();
    EXPECT_EQ(order, (std::vector<int>{0, 1, 2, 3, 4}));
}

TEST_F(queuing_rw_mutex, a_reader_does_not_pass_a_waiting_writer) {
    queuing_lock mine(m, false);
    std::atomic<int> turn{0};
    int of_writer = 0, of_reader = 0;
    queue_up(0, true, [&] { of_writer = ++turn; });
    queue_up(1, false, [&] { of_reader = ++turn; });
    EXPECT_EQ(turn.load(), 0);
    mine.release();
    join();
    EXPECT_EQ(of_writer, 1);
    EXPECT_EQ(of_reader, 2);
}

TEST_F(queuing_rw_mutex, waiting_readers_are_let_in_together) {
    queuing_lock mine(m, true);
    for (std::size_t i = 0; i < 4; ++i)
        queue_up(i, false, [this] {
            entered.fetch_add(1);
            wait_until([this] { return entered.load() == 4; });
        });
    queue_up(4, true, [this] { EXPECT_EQ(entered.load(), 4); });
    mine.release();
    join();
}

TEST_F(queuing_rw_mutex, downgrade_stops_at_the_next_writer) {
    queuing_lock mine(m, true);
    queue_up(0, false, [this] { entered.fetch_add(1); });
    queue_up(1, true, [this] { EXPECT_EQ(entered.fetch_add(1), 1); });
    queue_up(2, false, [this] { EXPECT_EQ(entered.fetch_add(1), 2); });
    mine.downgrade_to_reader();
    threads[0].join();
    std::this_thread::sleep_for(5ms);
    EXPECT_EQ(entered.load(), 1);
    mine.release();
    threads[1].join();
    threads[2].join();
}

TEST_F(queuing_rw_mutex, readers_leave_in_any_order) {
    const std::array<std::array<std::size_t, 3>, 6> orders{
        {{0, 1, 2}, {0, 2, 1}, {1, 0, 2}, {1, 2, 0}, {2, 0, 1}, {2, 1, 0}}};
    for (const auto& order : orders) {
        for (std::size_t i = 0; i < 3; ++i)
            locks[i].acquire(m, false);
        queue_up(3, true, [this] { entered.fetch_add(1); });
        for (const std::size_t i : order) {
            EXPECT_EQ(entered.load(), 0);
            locks[i].release();
        }
        join();
        threads.clear();
        EXPECT_EQ(entered.exchange(0), 1);
    }
}

// Three readers, one of them upgrades while a reader and a writer queue up behind; the others leave in either order.
TEST_F(queuing_rw_mutex, upgrades_among_readers) {
    for (const std::size_t upgrading : {0u, 1u, 2u})
        for (const bool backwards : {false, true}) {
            for (std::size_t i = 0; i < 3; ++i)
                locks[i].acquire(m, false);
            std::atomic<bool> started{false}, done{false};
            threads.emplace_back([&] {
                started.store(true);
                EXPECT_TRUE(locks[upgrading].upgrade_to_writer());
                done.store(true);
                EXPECT_EQ(entered.load(), 0);
                locks[upgrading].release();
            });
            wait_until([&] { return started.load(); });
            std::this_thread::sleep_for(2ms);
            queue_up(3, true, [this] { EXPECT_EQ(entered.fetch_add(1), 0); });
            queue_up(4, false, [this] { EXPECT_EQ(entered.fetch_add(1), 1); });
            std::vector<std::size_t> others;
            for (std::size_t i = 0; i < 3; ++i)
                if (i != upgrading)
                    others.insert(backwards ? others.begin() : others.end(), i);
            for (const std::size_t i : others) {
                EXPECT_FALSE(done.load());
                locks[i].release();
            }
            join();
            threads.clear();
            EXPECT_EQ(entered.exchange(0), 2);
        }
}

// ---- mutexes that sleep or speculate ----

template <class Mutex>
void expect_exclusion() {
    Mutex m;
    twins data;
    std::atomic<int> wrong{0};
    std::atomic<long> taken{0};
    on_threads(6, [&](int thread) {
        int i = 0;
        for (const auto end = in_a_while(); std::chrono::steady_clock::now() < end; ++i) {
            typename Mutex::scoped_lock lock;
            if ((i + thread) % 4 != 0)
                lock.acquire(m);
            else if (!lock.try_acquire(m))
                continue;
            if (!data.are_equal())
                wrong.fetch_add(1);
            data.change();
            taken.fetch_add(1, std::memory_order_relaxed);
        }
    });
    EXPECT_EQ(wrong.load(), 0);
    EXPECT_EQ(data.first, taken.load());
}

TEST(mutex, excludes) {
    expect_exclusion<tbb::mutex>();
}

TEST(speculative_spin_mutex, excludes) {
    expect_exclusion<d1::rtm_mutex>();
    expect_exclusion<tbb::speculative_spin_mutex>();
}

TEST(speculative_spin_mutex, try_acquire_tells) {
    d1::rtm_mutex m;
    d1::rtm_mutex::scoped_lock a, b;
    ASSERT_TRUE(a.try_acquire(m));
    EXPECT_FALSE(b.try_acquire(m));
    a.release();
    EXPECT_TRUE(b.try_acquire(m));
}

// Waits for 60 ms; a thread that spun would have used them.
template <class Mutex>
void expect_sleep(bool write) {
    Mutex m;
    typename Mutex::scoped_lock mine(m);
    std::uint64_t used = 0;
    std::thread waiter([&] {
        const std::uint64_t before = cpu_time_ns();
        typename Mutex::scoped_lock lock;
        if constexpr (Mutex::is_rw_mutex)
            lock.acquire(m, write);
        else
            lock.acquire(m);
        used = cpu_time_ns() - before;
    });
    std::this_thread::sleep_for(60ms);
    mine.release();
    waiter.join();
    EXPECT_LT(used, 30'000'000u);
}

TEST(mutex, waiters_sleep) {
    expect_sleep<tbb::mutex>(true);
    expect_sleep<tbb::rw_mutex>(true);
    expect_sleep<tbb::rw_mutex>(false);
}

// Holders that sleep drive everybody else into the list.
TEST(mutex, sleepers_are_woken) {
    tbb::mutex m;
    tbb::rw_mutex rw;
    on_threads(6, [&](int thread) {
        for (int i = 0; i < 10; ++i) {
            {
                const tbb::mutex::scoped_lock lock(m);
                std::this_thread::sleep_for(200us);
            }
            tbb::rw_mutex::scoped_lock lock(rw, (i + thread) % 3 == 0);
            std::this_thread::sleep_for(200us);
            if ((i + thread) % 3 == 1)
                lock.upgrade_to_writer();
            else if ((i + thread) % 3 == 0)
                lock.downgrade_to_reader();
        }
    });
}

// ---- addresses ----

template <class Condition>
void wait_on(void* address, std::uintptr_t context, Condition condition) {
    const d1::delegated_function<Condition> d(condition);
    r1::wait_on_address(address, const_cast<d1::delegated_function<Condition>&>(d), context);
}

// Two threads hand a turn to each other; each looks and then sleeps. A lost wake-up hangs.
template <class Notify>
void take_turns(Notify notify) {
    std::atomic<int> turn{0};
    constexpr int rounds = 2000;
    on_threads(2, [&](int me) {
        for (int i = 0; i < rounds; ++i) {
            const int my_turn = 2 * i + me;
            while (turn.load(std::memory_order_acquire) != my_turn)
                wait_on(&turn, static_cast<std::uintptr_t>(me),
                        [&] { return turn.load(std::memory_order_relaxed) == my_turn; });
            turn.exchange(my_turn + 1);
            notify(&turn, static_cast<std::uintptr_t>(1 - me));
        }
    });
}

TEST(addresses, no_wake_up_is_lost) {
    take_turns([](void* a, std::uintptr_t) { r1::notify_by_address_one(a); });
    take_turns([](void* a, std::uintptr_t) { r1::notify_by_address_all(a); });
    take_turns([](void* a, std::uintptr_t other) { r1::notify_by_address(a, other); });
}

TEST(addresses, only_those_meant_are_woken) {
    int address = 0;
    std::array<int, 256> elsewhere{};  // so many that some share whatever table the addresses are sorted into
    std::atomic<int> asleep{0}, woken{0}, woken_of_context_7{0};
    std::vector<std::thread> threads;
    for (int i = 0; i < 5; ++i)
        threads.emplace_back([&, i] {
            const std::uintptr_t context = i < 2 ? 7 : 8;
            bool first = true;
            wait_on(&address, context, [&] {
                if (std::exchange(first, false))
                    asleep.fetch_add(1);
                return false;
            });
            woken.fetch_add(1);
            if (context == 7)
                woken_of_context_7.fetch_add(1);
        });
    wait_until([&] { return asleep.load() == 5; });
    for (int& other : elsewhere) {
        r1::notify_by_address_one(&other);
        r1::notify_by_address_all(&other);
        r1::notify_by_address(&other, 7);
    }
    r1::notify_by_address(&address, 9);
    std::this_thread::sleep_for(5ms);
    EXPECT_EQ(woken.load(), 0);
    r1::notify_by_address(&address, 7);
    wait_until([&] { return woken.load() == 2; });
    std::this_thread::sleep_for(5ms);
    EXPECT_EQ(woken.load(), 2);
    EXPECT_EQ(woken_of_context_7.load(), 2);
    r1::notify_by_address_one(&address);
    wait_until([&] { return woken.load() == 3; });
    std::this_thread::sleep_for(5ms);
    EXPECT_EQ(woken.load(), 3);
    r1::notify_by_address_all(&address);
    for (std::thread& t : threads)
        t.join();
}

// ---- concurrent_bounded_queue ----

using queue = tbb::concurrent_bounded_queue<int>;

TEST(bounded_queue, try_push_respects_the_capacity) {
    queue q;
    q.set_capacity(2);
    EXPECT_EQ(q.capacity(), 2);
    EXPECT_TRUE(q.try_push(1));
    EXPECT_TRUE(q.try_push(2));
    EXPECT_FALSE(q.try_push(3));
    int got = 0;
    EXPECT_TRUE(q.try_pop(got));
    EXPECT_EQ(got, 1);
    EXPECT_TRUE(q.try_push(3));
    q.pop(got);
    q.pop(got);
    EXPECT_EQ(got, 3);
    EXPECT_FALSE(q.try_pop(got));
}

TEST(bounded_queue, full_and_empty_queues_block) {
    queue q;
    q.set_capacity(1);
    std::atomic<int> pushed{0};
    std::uint64_t used = 0;
    std::thread producer([&] {
        const std::uint64_t before = cpu_time_ns();
        for (int i = 0; i < 3; ++i) {
            q.push(i);
            pushed.fetch_add(1);
        }
        used = cpu_time_ns() - before;
    });
    std::this_thread::sleep_for(60ms);
    EXPECT_EQ(pushed.load(), 1);
    for (int i = 0; i < 3; ++i) {
        int got = -1;
        q.pop(got);
        EXPECT_EQ(got, i);
    }
    producer.join();
    EXPECT_LT(used, 30'000'000u);  // it slept

    std::atomic<bool> popped{false};
    std::thread consumer([&] {
        int got = -1;
        q.pop(got);
        popped.store(true);
        EXPECT_EQ(got, 9);
    });
    std::this_thread::sleep_for(10ms);
    EXPECT_FALSE(popped.load());
    q.push(9);
    consumer.join();
}

TEST(bounded_queue, many_producers_and_consumers) {
    for (const int capacity : {1, 7, 1000}) {
        queue q;
        q.set_capacity(capacity);
        constexpr int each = 2000;
        std::atomic<long> sum{0};
        std::atomic<int> out_of_order{0};
        on_threads(6, [&](int thread) {
            if (thread < 3) {
                for (int i = 0; i < each; ++i)
                    q.push(thread * each + i);
                return;
            }
            std::array<int, 3> last{-1, -1, -1};
            for (int i = 0; i < each; ++i) {
                int got = -1;
                q.pop(got);
                sum.fetch_add(got);
                int& before = last[static_cast<std::size_t>(got / each)];
                if (got <= before)
                    out_of_order.fetch_add(1);
                before = got;
            }
        });
        EXPECT_EQ(sum.load(), 3L * each * (3L * each - 1) / 2);
        EXPECT_EQ(out_of_order.load(), 0);
        EXPECT_TRUE(q.empty());
    }
}

TEST(bounded_queue, abort_ends_all_waits) {
    queue empty, full;
    full.set_capacity(1);
    full.push(1);
    std::atomic<int> aborted{0}, started{0};
    std::vector<std::thread> threads;
    const auto expect_abort = [&](auto wait) {
        threads.emplace_back([&, wait] {
            started.fetch_add(1);
            EXPECT_THROW(wait(), tbb::user_abort);
            aborted.fetch_add(1);
        });
    };
    for (int i = 0; i < 3; ++i) {
        expect_abort([&] {
            int got;
            empty.pop(got);
        });
        expect_abort([&] { full.push(2); });
    }
    wait_until([&] { return started.load() == 6; });
    std::this_thread::sleep_for(20ms);
    EXPECT_EQ(aborted.load(), 0);
    empty.abort();
    wait_until([&] { return aborted.load() == 3; });
    std::this_thread::sleep_for(5ms);
    EXPECT_EQ(aborted.load(), 3);
    full.abort();
    for (std::thread& t : threads)
        t.join();
    EXPECT_EQ(aborted.load(), 6);

    // They can be used as before.
    int got = 0;
    empty.push(5);
    empty.pop(got);
    EXPECT_EQ(got, 5);
    full.pop(got);
    EXPECT_EQ(got, 1);
}

TEST(bounded_queue, swapped_queues_keep_their_waiters) {
    queue a, b;
    a.set_capacity(1);
    a.push(1);
    using std::swap;
    swap(a, b);
    std::thread producer([&] { b.push(2); });
    std::this_thread::sleep_for(5ms);
    a.push(3);
    int got = 0;
    b.pop(got);
    EXPECT_EQ(got, 1);
    producer.join();
    b.pop(got);
    EXPECT_EQ(got, 2);
    a.pop(got);
    EXPECT_EQ(got, 3);
}

}  // namespace
