#include "faults/matrix.h"

namespace throwing {
namespace {

const char* name_of(place p) {
    static constexpr std::array<const char*, places> names{
        "nowhere",       "copy",       "move",         "split",         "call",
        "join",          "assign",     "range copy",   "range split",   "range is empty",
        "range divides", "comparison", "element move", "element swap",  "dereference",
        "increment",     "item copy",  "input filter", "middle filter", "output filter"};
    return names[static_cast<std::size_t>(p)];
}

void in_a_loop(const std::function<void()>& call) {
    bough::parallel_for(0, 3, [&](int i) {
        if (i == 1)
            call();
    });
}

void in_a_group(const std::function<void()>& call) {
    bough::task_group group;
    group.run([&] { call(); });
    group.run([] {});
    group.wait();
}

void in_an_arena(const std::function<void()>& call) {
    bough::task_arena arena(3);
    arena.execute(call);
}

void in_an_arena_in_a_loop(const std::function<void()>& call) {
    bough::task_arena arena(2);
    bough::parallel_for(0, 2, [&](int i) {
        if (i == 0)
            arena.execute(call);
    });
}

void in_an_isolated_region(const std::function<void()>& call) {
    bough::task_group group;
    group.run_and_wait([&] { bough::this_task_arena::isolate(call); });
}

struct outcome {
    bool right = false;
    bool threw = false;
    bool other = false;  // than ours
    thrown what{place::nowhere, 0};
};

outcome run(const algorithm& a, const nesting& n, experiment& e, bough::task_group_context* context) {
    outcome o;
    try {
        n.run([&] { o.right = a.run(e, context); });
    } catch (const thrown& t) {
        o.threw = true;
        o.what = t;
    } catch (...) {
        o.threw = o.other = true;
    }
    e.end();
    return o;
}

bool pool_works() {
    bough_test::visits loop(64), tasks(4);
    bough::parallel_for(std::size_t{0}, std::size_t{64}, [&](std::size_t i) { loop.hit(i); });
    bough::task_group group;
    for (std::size_t i = 0; i < 4; ++i)
        group.run([&tasks, i] { tasks.hit(i); });
    group.wait();
    return loop.each_once() && tasks.each_once();
}

class one_case {
public:
    one_case(const algorithm& a, const nesting& n, place p, long occurrence, bool with_context)
        : a_(a), n_(n), place_(p), occurrence_(occurrence), context_(with_context ? &own_ : nullptr) {}

    void check(experiment& e) {
        e.begin(place_, occurrence_);
        const outcome o = run(a_, n_, e, context_);
        ++counted().cases;
        counted().exceptions += e.times_thrown();
        counted().not_reached += e.times_thrown() == 0 ? 1 : 0;
        EXPECT_FALSE(o.other) << what() << "an exception that nothing has thrown";
        EXPECT_EQ(o.threw, e.times_thrown() != 0) << what() << "thrown: " << e.times_thrown();
        const bool is_ours =
            o.what.where == place_ && (occurrence_ == experiment::every || o.what.occurrence == occurrence_);
        EXPECT_TRUE(is_ours || !o.threw || o.other)
            << what() << "another exception came out: " << name_of(o.what.where) << ' ' << o.what.occurrence;
        EXPECT_EQ(e.alive(), 0) << what() << "objects that are not destroyed";
        EXPECT_EQ(e.twice_dead(), 0) << what() << "objects that were destroyed twice";
        EXPECT_TRUE(o.threw ? e.none_seen_twice() : o.right && e.each_seen_once()) << what() << "elements";
        EXPECT_TRUE(pool_works()) << what();
        EXPECT_EQ(e.late(), 0) << what() << "user code was called after the end";
        if (context_)
            use_context_again(e, o.threw);
    }

private:
    void use_context_again(experiment& e, bool threw) {
        // What is thrown before the first body runs, or by a join after the last, need not cancel: nothing is left to.
        const bool is_cancelled = context_->is_group_execution_cancelled();
        EXPECT_TRUE(is_cancelled == threw || (!is_cancelled && place_ != place::call)) << what();
        context_->reset();
        e.begin(place::nowhere, 0);
        const outcome o = run(a_, n_, e, context_);
        EXPECT_TRUE(!o.threw && o.right && e.each_seen_once() && e.alive() == 0)
            << what() << "the context again";
    }
    std::string what() const {
        return std::string(a_.name) + ", " + n_.name + ", from " + name_of(place_) + ' ' +
               (occurrence_ == experiment::every ? "each time" : std::to_string(occurrence_)) +
               (context_ ? ", context: " : ": ");
    }

    const algorithm& a_;
    const nesting& n_;
    const place place_;
    const long occurrence_;
    bough::task_group_context own_;
    bough::task_group_context* const context_;
};

}  // namespace

const std::vector<nesting>& nestings() {
    static const std::vector<nesting> all{
        {"outermost", [](const std::function<void()>& call) { call(); }},
        {"in a loop", in_a_loop},
        {"in a task group", in_a_group},
        {"in an arena", in_an_arena},
        {"in another arena inside a loop", in_an_arena_in_a_loop},
        {"in an isolated region of a group", in_an_isolated_region},
    };
    return all;
}

tally& counted() {
    static tally t;
    return t;
}

// How often each place is come to. Some only if another thread comes to help: a busy machine may take its
// time.
static std::array<long, places> times_of_places(const algorithm& a, experiment& e) {
    std::array<long, places> times{};
    bough_test::comes_true([&] {
        e.begin(place::nowhere, 0);
        const outcome clean = run(a, nestings().front(), e, nullptr);
        EXPECT_TRUE(!clean.threw && clean.right && e.each_seen_once() && e.alive() == 0)
            << a.name << " without exceptions";
        for (std::size_t p = 0; p < places; ++p)
            times[p] = std::max(times[p], e.passed(static_cast<place>(p)));
        return ::testing::Test::HasFailure() || std::all_of(a.from.begin(), a.from.end(), [&](place p) {
                   return times[static_cast<std::size_t>(p)] != 0;
               });
    });
    return times;
}

void try_all(const algorithm& a) {
    static experiment e;
    const auto times = times_of_places(a, e);
    for (const place p : a.from) {
        const long n = times[static_cast<std::size_t>(p)];
        EXPECT_GT(n, 0) << a.name << " never comes to " << name_of(p);
        for (const nesting& nest : nestings())
            for (const long occurrence : {0L, n / 2, n - 1, experiment::every})
                for (const bool with_context : {false, true})
                    if (!::testing::Test::HasFailure() && (!with_context || a.takes_context))
                        one_case(a, nest, p, occurrence, with_context).check(e);
    }
}

namespace {
class said_at_the_end : public ::testing::Environment {
    void TearDown() override {
        const tally& t = counted();
        std::cout << "cases: " << t.cases << ", exceptions thrown: " << t.exceptions
                  << ", cases whose place was not reached: " << t.not_reached << std::endl;
    }
};
[[maybe_unused]] const auto* const says = ::testing::AddGlobalTestEnvironment(new said_at_the_end);
}  // namespace

}  // namespace throwing
