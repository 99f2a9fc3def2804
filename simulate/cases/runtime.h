#pragma once
// The runtimes that are compared, each as one or more ways to run the same loops: by hand, on bough, on oneTBB. One of
// three macros says which of them a program is compiled for; its argument chooses the way.
//
// A case is written once, as main(): runtime::each_way(argc, argv, [](auto& way) { ... }). A way has
//   for_each(n, body)         runs body(unit) for units 0 to n - 1, and returns when all are done
//   nested_for_each(n, body)  the same inside of such a body
//   scan(in, out, n)          out[i] = in[0] + ... + in[i]    (if has_scan)
//   both(f, g)                runs f() and g(), forked and joined   (not by hand)
//   group_of(f, g)            the same, by a task_group

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <functional>
#include <thread>
#include <vector>

#if defined(SIMULATE_ON_BOUGH)
#include <bough/bough.h>
#elif defined(SIMULATE_ON_ONETBB)
#include <oneapi/tbb/blocked_range.h>
#include <oneapi/tbb/parallel_for.h>
#include <oneapi/tbb/parallel_invoke.h>
#include <oneapi/tbb/parallel_scan.h>
#include <oneapi/tbb/task_group.h>
#endif

namespace runtime {

inline double now_ns() {
    return std::chrono::duration<double, std::nano>(std::chrono::steady_clock::now().time_since_epoch())
        .count();
}
inline void pause() {
    __builtin_ia32_pause();
}
inline unsigned threads() {
    return std::thread::hardware_concurrency();
}

// for (rounds r(20, 60); r.next();) ...: at least 20 to warm up, and until each thread has had the time to start, one
// after the other; then 60 that count. Once 100 virtual ms are over, 5 that count are enough: a millisecond of 1,024
// cores takes some seconds of real time.
class rounds {
public:
    rounds(unsigned warm_ups, unsigned most) : warm_ups_(warm_ups), most_(most) {}
    bool next() {
        constexpr double start_ns = 40e3, enough_ns = 100e6;
        constexpr unsigned fewest = 5;
        const double spent_ns = now_ns() - begin_;
        if (done_ < warm_ups_ || (counted_ == 0 && spent_ns < std::min(threads() * start_ns, enough_ns))) {
            ++done_;
            return true;
        }
        if (counted_ == most_ || (counted_ >= fewest && spent_ns > enough_ns))
            return false;
        ++counted_;
        return true;
    }
    bool counted() const { return counted_ != 0; }

private:
    unsigned warm_ups_, most_, done_ = 0, counted_ = 0;
    double begin_ = now_ns();
};

// For each round one line: the way, and the time of run(). One more round shows whether the answer is right: clear()
// takes away the one that is there.
template <class Way, class Run, class Clear, class Check>
void measure(const Way& way, rounds r, const Run& run, const Clear& clear, const Check& check) {
    while (r.next()) {
        const double begin = now_ns();
        run();
        const double ns = now_ns() - begin;
        if (r.counted())
            std::printf("%s %.1f\n", way.name, ns);
    }
    clear();
    run();
    if (!check()) {
        std::fprintf(stderr, "wrong answer\n");
        std::exit(1);
    }
}

// Of a range: what is between begin and end, after what was before. What both libraries' scans call.
struct sums {
    const double* in;
    double* out;
    template <class Range>
    double operator()(const Range& r, double sum, bool is_final) const {
        for (std::size_t i = r.begin(); i != r.end(); ++i) {
            sum += in[i];
            if (is_final)
                out[i] = sum;
        }
        return sum;
    }
};

#if defined(SIMULATE_ON_BOUGH)

struct bough_way {
    static constexpr bool has_scan = true;
    const char* name = "bough";

    template <class Body>
    void for_each(std::size_t n, const Body& body) {
        bough::parallel_for(std::size_t{0}, n, body);
    }
    template <class Body>
    void nested_for_each(std::size_t n, const Body& body) {
        for_each(n, body);
    }
    void scan(const double* in, double* out, std::size_t n) {
        bough::parallel_scan(bough::blocked_range<std::size_t>(0, n), 0.0, sums{in, out}, std::plus<>());
    }
    template <class First, class Second>
    void both(const First& f, const Second& g) {
        bough::parallel_invoke(f, g);
    }
    template <class First, class Second>
    void group_of(const First& f, const Second& g) {
        bough::task_group group;
        group.run(f);
        g();
        group.wait();
    }
};

template <class Use>
void use_ways(const Use& use) {
    use([] { return bough_way{}; }, "bough");
}

#elif defined(SIMULATE_ON_ONETBB)

template <class Partitioner, class Nested = Partitioner>
class onetbb_way {
public:
    static constexpr bool has_scan = std::is_same_v<Partitioner, tbb::simple_partitioner> ||
                                     std::is_same_v<Partitioner, tbb::auto_partitioner>;
    const char* name;

    explicit onetbb_way(const char* n) : name(n) {}
    template <class Body>
    void for_each(std::size_t n, const Body& body) {
        loop(n, body, partitioner_);
    }
    template <class Body>
    void nested_for_each(std::size_t n, const Body& body) {
        Nested partitioner;
        loop(n, body, partitioner);
    }
    void scan(const double* in, double* out, std::size_t n) {
        if constexpr (has_scan)
            tbb::parallel_scan(range(0, n), 0.0, sums{in, out}, std::plus<>(), partitioner_);
    }
    template <class First, class Second>
    void both(const First& f, const Second& g) {
        tbb::parallel_invoke(f, g);
    }
    template <class First, class Second>
    void group_of(const First& f, const Second& g) {
        tbb::task_group group;
        group.run(f);
        g();
        group.wait();
    }

private:
    using range = tbb::blocked_range<std::size_t>;

    template <class Body, class P>
    static void loop(std::size_t n, const Body& body, P& partitioner) {
        tbb::parallel_for(
            range(0, n),
            [&](const range& r) {
                for (std::size_t unit = r.begin(); unit != r.end(); ++unit)
                    body(unit);
            },
            partitioner);
    }

    Partitioner partitioner_;
};

template <class Use>
void use_ways(const Use& use) {
    // An affinity_partitioner remembers one loop: those that run inside of it, several at once, cannot share one.
    use([] { return onetbb_way<tbb::static_partitioner>("onetbb-static"); }, "onetbb-static");
    use([] { return onetbb_way<tbb::simple_partitioner>("onetbb-simple"); }, "onetbb-simple");
    use([] { return onetbb_way<tbb::auto_partitioner>("onetbb-auto"); }, "onetbb-auto");
    use([] { return onetbb_way<tbb::affinity_partitioner, tbb::auto_partitioner>("onetbb-affinity"); },
        "onetbb-affinity");
    use([] { return onetbb_way<tbb::auto_partitioner>("onetbb"); }, "onetbb");  // for cases without loops
}

#else

// A thread on each core, all waiting on one line; each takes its chunk of a loop, of equal length. Nested loops are
// serial.
class by_hand {
public:
    static constexpr bool has_scan = true;
    const char* name = "hand";

    by_hand() {
        for (unsigned i = 1; i < threads(); ++i)
            others_.emplace_back([this, i] { serve(i); });
    }
    ~by_hand() {
        call_ = nullptr;
        generation_.fetch_add(1, std::memory_order_release);
        for (std::thread& t : others_)
            t.join();
    }
    template <class Body>
    void for_each(std::size_t n, const Body& body) {
        on_each([&](unsigned thread) {
            for (std::size_t unit = begin_of(thread, n); unit != begin_of(thread + 1, n); ++unit)
                body(unit);
        });
    }
    template <class Body>
    void nested_for_each(std::size_t n, const Body& body) {
        for (std::size_t unit = 0; unit != n; ++unit)
            body(unit);
    }
    // Each adds its chunk up; then each writes its own, beginning with the sum of those before.
    void scan(const double* in, double* out, std::size_t n) {
        struct alignas(128) chunk_sum {
            double value = 0;
        };
        std::vector<chunk_sum> of_chunk(threads());
        on_each([&](unsigned thread) {
            double sum = 0;
            for (std::size_t i = begin_of(thread, n); i != begin_of(thread + 1, n); ++i)
                sum += in[i];
            of_chunk[thread].value = sum;
        });
        on_each([&](unsigned thread) {
            double sum = 0;
            for (unsigned before = 0; before < thread; ++before)
                sum += of_chunk[before].value;
            for (std::size_t i = begin_of(thread, n); i != begin_of(thread + 1, n); ++i)
                out[i] = sum += in[i];
        });
    }

private:
    std::size_t begin_of(unsigned thread, std::size_t n) const { return n * thread / (others_.size() + 1); }

    template <class Work>
    void on_each(const Work& work) {
        work_ = &work;
        call_ = [](const void* w, unsigned thread) { (*static_cast<const Work*>(w))(thread); };
        done_.store(0, std::memory_order_relaxed);
        generation_.fetch_add(1, std::memory_order_release);
        work(0);
        while (done_.load(std::memory_order_acquire) != others_.size())
            pause();
    }
    void serve(unsigned thread) {
        for (unsigned seen = 0;; ++seen) {
            while (generation_.load(std::memory_order_acquire) == seen)
                pause();
            if (call_ == nullptr)
                return;
            call_(work_, thread);
            done_.fetch_add(1, std::memory_order_release);
        }
    }

    alignas(128) std::atomic<unsigned> generation_{0};
    const void* work_ = nullptr;
    void (*call_)(const void*, unsigned) = nullptr;
    alignas(128) std::atomic<std::size_t> done_{0};
    std::vector<std::thread> others_;
};

template <class Use>
void use_ways(const Use& use) {
    use([] { return by_hand{}; }, "hand");
}

#endif

// Calls use(way) for the way that the argument names, or without one for each.
template <class Use>
int each_way(int argc, char** argv, const Use& use) {
    const char* const wanted = argc > 1 ? argv[1] : nullptr;
    unsigned used = 0;
    use_ways([&](const auto& make, const char* name) {
        if (wanted != nullptr ? std::strcmp(wanted, name) != 0 : std::strcmp(name, "onetbb") == 0)
            return;
        auto way = make();
        use(way);
        ++used;
    });
    if (used == 0)
        std::fprintf(stderr, "no way named %s here\n", wanted);
    return used == 0 ? 2 : 0;
}

}  // namespace runtime
