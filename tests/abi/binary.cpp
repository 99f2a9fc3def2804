// A program such as distributions ship: built with some oneTBB's headers and library, run on another library. Prints
// what it computes, one line per part of oneTBB and the same in every run; on stderr which libtbb is mapped.

#include <oneapi/tbb.h>
#include <oneapi/tbb/mutex.h>
#include <oneapi/tbb/rw_mutex.h>
#include <oneapi/tbb/task.h>

#include <algorithm>
#include <atomic>
#include <cstdio>
#include <fstream>
#include <functional>
#include <numeric>
#include <set>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include "binary_graphs.h"

namespace {

template <class... Values>
void print(const char* part, Values... values) {
    std::printf("%s", part);
    ((std::printf(" %lld", static_cast<long long>(values))), ...);
    std::printf("\n");
}

void reductions(const std::vector<long>& v) {
    const auto sum = [&](const tbb::blocked_range<std::size_t>& r, long s) {
        return std::accumulate(&v[r.begin()], &v[r.begin()] + r.size(), s);
    };
    const tbb::blocked_range<std::size_t> all(0, v.size());
    print("reduce", tbb::parallel_reduce(all, 0L, sum, std::plus<long>()),
          tbb::parallel_deterministic_reduce(all, 0L, sum, std::plus<long>()));

    std::vector<long> sums(v.size());
    const long total = tbb::parallel_scan(
        all, 0L,
        [&](const auto& r, long s, bool is_final) {
            for (std::size_t i = r.begin(); i < r.end(); ++i) {
                s += v[i];
                if (is_final)
                    sums[i] = s;
            }
            return s;
        },
        std::plus<long>());
    print("scan", total, sums[777], sums.back());
}

void loops() {
    std::vector<long> v(20000);
    tbb::parallel_for(std::size_t{0}, v.size(), [&](std::size_t i) { v[i] = static_cast<long>(i); });
    tbb::affinity_partitioner affinity;
    for (int round = 0; round < 3; ++round)
        tbb::parallel_for(
            tbb::blocked_range<std::size_t>(0, v.size()),
            [&](const auto& r) {
                std::for_each(&v[r.begin()], &v[r.begin()] + r.size(), [](long& x) { ++x; });
            },
            affinity);
    tbb::parallel_for(
        tbb::blocked_range<std::size_t>(0, v.size(), 100),
        [&](const auto& r) { std::for_each(&v[r.begin()], &v[r.begin()] + r.size(), [](long& x) { ++x; }); },
        tbb::static_partitioner());
    print("for", std::accumulate(v.begin(), v.end(), 0L));

    std::atomic<long> cells{0};
    tbb::parallel_for(tbb::blocked_range2d<int>(0, 100, 0, 70),
                      [&](const auto& r) { cells += static_cast<long>(r.rows().size() * r.cols().size()); });
    print("for2d", cells.load());

    reductions(v);
}

void other_algorithms() {
    std::vector<unsigned> keys(30000);
    unsigned random = 1;
    for (unsigned& k : keys)
        k = random = random * 1664525u + 1013904223u;
    tbb::parallel_sort(keys);
    print("sort", std::is_sorted(keys.begin(), keys.end()), keys.front(), keys.back());

    std::atomic<int> fed{0};
    std::vector<int> seeds{6, 5, 4};
    tbb::parallel_for_each(seeds, [&](int depth, tbb::feeder<int>& feeder) {
        fed.fetch_add(1);
        if (depth > 0) {
            feeder.add(depth - 1);
            feeder.add(depth - 1);
        }
    });
    int a = 0, b = 0, c = 0;
    tbb::parallel_invoke([&] { a = 1; }, [&] { b = 2; }, [&] { c = 3; });
    print("feeder_invoke", fed.load(), a, b, c);
}

void pipeline() {
    int next = 0;
    std::vector<int> order;
    tbb::parallel_pipeline(4, tbb::make_filter<void, int>(tbb::filter_mode::serial_in_order,
                                                          [&](tbb::flow_control& fc) {
                                                              if (next == 500)
                                                                  fc.stop();
                                                              return next++;
                                                          }) &
                                  tbb::make_filter<int, std::string>(
                                      tbb::filter_mode::parallel, [](int i) { return std::to_string(i); }) &
                                  tbb::make_filter<std::string, void>(
                                      tbb::filter_mode::serial_in_order,
                                      [&](const std::string& s) { order.push_back(std::stoi(s)); }));
    print("pipeline", order.size(), std::is_sorted(order.begin(), order.end()));
}

void flow_graph() {
    print("flow_graph", graphs::joined_pairs(), graphs::limited(), graphs::from_input(),
          graphs::from_outside());
}

long fibonacci(int n) {
    if (n < 2)
        return n;
    long x = 0, y = 0;
    tbb::task_group g;
    g.run([&] { x = fibonacci(n - 1); });
    g.run_and_wait([&] { y = fibonacci(n - 2); });
    return x + y;
}

void groups() {
    int caught = 0;
    tbb::task_group g;
    for (int i = 0; i < 10; ++i)
        g.run([i] {
            if (i == 5)
                throw std::runtime_error("thrown");
        });
    try {
        g.wait();
    } catch (const std::runtime_error& e) {
        caught = std::string(e.what()) == "thrown";
    }
    tbb::task_group cancelled;
    std::atomic<bool> go{false};
    cancelled.run([&] {
        while (!tbb::is_current_task_group_canceling())
            std::this_thread::yield();
        go.store(true);
    });
    cancelled.cancel();
    const bool is_cancelled = cancelled.wait() == tbb::canceled;
    std::atomic<int> deferred{0};
    tbb::task_handle handle = g.defer([&] { deferred.fetch_add(1); });
    g.run(std::move(handle));
    g.wait();
    print("groups", fibonacci(18), caught, is_cancelled, deferred.load());
}

void contexts() {
    tbb::task_group_context context(tbb::task_group_context::isolated);
    int loop_caught = 0;
    try {
        tbb::parallel_for(
            0, 1000,
            [](int i) {
                if (i == 500)
                    throw std::out_of_range("loop");
            },
            context);
    } catch (const std::out_of_range&) {
        loop_caught = context.is_group_execution_cancelled();
    }
    print("contexts", loop_caught);
}

struct counting_observer : tbb::task_scheduler_observer {
    std::atomic<int> inside{0}, entries{0};
    explicit counting_observer(tbb::task_arena& a) : task_scheduler_observer(a) { observe(true); }
    ~counting_observer() override { observe(false); }
    void on_scheduler_entry(bool) override {
        entries.fetch_add(1);
        inside.fetch_add(1);
    }
    void on_scheduler_exit(bool) override { inside.fetch_add(-1); }
};

void arenas() {
    tbb::task_arena arena(2, 1, tbb::task_arena::priority::high);
    arena.initialize();
    counting_observer observer(arena);
    const long sum = arena.execute([] {
        return tbb::parallel_reduce(
            tbb::blocked_range<int>(0, 1000), 0L,
            [](const auto& r, long s) { return s + static_cast<long>(r.size()); }, std::plus<long>());
    });
    std::atomic<int> enqueued{0};
    for (int i = 0; i < 50; ++i)
        arena.enqueue([&] { enqueued.fetch_add(1); });
    while (enqueued.load() < 50)
        std::this_thread::yield();
    const int limit = arena.execute(
        [] { return tbb::this_task_arena::isolate([] { return tbb::this_task_arena::max_concurrency(); }); });
    const tbb::global_control control(tbb::global_control::max_allowed_parallelism, 3);
    tbb::task_arena on_node(tbb::task_arena::constraints{}.set_max_concurrency(1));
    print("arenas", sum, enqueued.load(), limit, observer.entries.load() > 0,
          tbb::global_control::active_value(tbb::global_control::max_allowed_parallelism),
          on_node.execute([] { return tbb::this_task_arena::current_thread_index(); }),
          tbb::info::numa_nodes().size() > 0);
}

void queues() {
    tbb::concurrent_bounded_queue<int> q;
    q.set_capacity(3);
    long sum = 0;
    std::thread producer([&] {
        for (int i = 1; i <= 1000; ++i)
            q.push(i);
    });
    for (int i = 0; i < 1000; ++i) {
        int got = 0;
        q.pop(got);
        sum += got;
    }
    producer.join();
    int aborted = 0;
    std::thread waiter([&] {
        int got = 0;
        try {
            q.pop(got);
        } catch (const tbb::user_abort&) {
            aborted = 1;
        }
    });
    while (q.size() != -1)
        std::this_thread::yield();
    q.abort();
    waiter.join();
    print("queues", sum, aborted);
}

void mutexes() {
    long counted[5] = {};
    tbb::mutex plain;
    tbb::rw_mutex rw;
    tbb::queuing_rw_mutex fair;
    tbb::speculative_spin_mutex speculative;
    tbb::speculative_spin_rw_mutex speculative_rw;
    tbb::parallel_for(0, 3000, [&](int) {
        {
            const tbb::mutex::scoped_lock l(plain);
            ++counted[0];
        }
        {
            const tbb::rw_mutex::scoped_lock l(rw, true);
            ++counted[1];
        }
        {
            tbb::queuing_rw_mutex::scoped_lock l(fair, false);
            l.upgrade_to_writer();
            ++counted[2];
            l.downgrade_to_reader();
        }
        {
            const tbb::speculative_spin_mutex::scoped_lock l(speculative);
            ++counted[3];
        }
        {
            const tbb::speculative_spin_rw_mutex::scoped_lock l(speculative_rw, true);
            ++counted[4];
        }
    });
    tbb::collaborative_once_flag flag;
    std::atomic<int> once{0};
    tbb::parallel_for(0, 100, [&](int) { tbb::collaborative_call_once(flag, [&] { once.fetch_add(1); }); });
    print("mutexes", counted[0], counted[1], counted[2], counted[3], counted[4], once.load());
}

void resumable() {
    std::atomic<int> resumed{0};
    tbb::task_group g;
    for (int i = 0; i < 8; ++i)
        g.run([&] {
            std::thread waker;
            tbb::task::suspend(
                [&](tbb::task::suspend_point p) { waker = std::thread([p] { tbb::task::resume(p); }); });
            waker.join();
            resumed.fetch_add(1);
        });
    g.wait();
    print("resumable", resumed.load());
}

void containers() {
    tbb::enumerable_thread_specific<long> local(0);
    tbb::concurrent_vector<int> vector;
    tbb::concurrent_hash_map<int, int> map;
    tbb::concurrent_unordered_map<int, int> unordered;
    tbb::parallel_for(0, 2000, [&](int i) {
        local.local() += i;
        vector.push_back(i);
        map.insert({i, i});
        unordered.emplace(i, i);
    });
    int thrown = 0;
    try {
        vector.at(2000);
    } catch (const std::out_of_range&) {
        thrown = 1;
    }
    print("containers", local.combine(std::plus<long>()), vector.size(), map.size(), unordered.size(),
          thrown);
}

void finalize() {
    tbb::task_scheduler_handle handle{tbb::attach{}};
    tbb::parallel_for(0, 100, [](int) {});
    print("finalize", tbb::finalize(handle, std::nothrow));
}

void print_mapped() {
    std::ifstream maps("/proc/self/maps");
    std::set<std::string> paths;
    for (std::string line; std::getline(maps, line);)
        if (line.find("/libtbb.so") != std::string::npos)
            paths.insert(line.substr(line.find('/')));
    for (const std::string& path : paths)
        std::fprintf(stderr, "mapped %s\n", path.c_str());
}

}  // namespace

int main() {
    loops();
    other_algorithms();
    pipeline();
    flow_graph();
    groups();
    contexts();
    arenas();
    queues();
    mutexes();
    resumable();
    containers();
    finalize();
    print_mapped();
}
