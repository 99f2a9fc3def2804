// Groups, forks, arenas and pipelines, thrown out of everywhere.

#include "faults/matrix.h"

namespace {

using namespace throwing;
using bough::task_group_context;

// Sees one element when it is called.
struct function : copied {
    function(experiment& e, std::size_t n) : copied(e), element(n) {}
    void operator()() const {
        of().pass(place::call);
        of().visit(element);
    }
    std::size_t element;
};

bool group_of_copies(experiment& e, task_group_context*) {
    bough::task_group group;
    for (std::size_t i = 0; i < experiment::elements; ++i) {
        const function f(e, i);
        group.run(f);
    }
    return group.wait() == bough::complete;
}

bool group_of_moved(experiment& e, task_group_context*) {
    bough::task_group group;
    for (std::size_t i = 0; i + 1 < experiment::elements; ++i)
        group.run(function(e, i));
    return group.run_and_wait(function(e, experiment::elements - 1)) == bough::complete;
}

// The group and its context can be used again.
bool group_again(experiment& e, task_group_context*) {
    task_group_context context;
    bough::task_group group(context);
    bool threw = false;
    std::exception_ptr error;
    for (std::size_t half : {std::size_t{0}, experiment::elements / 2})
        try {
            for (std::size_t i = half; i < half + experiment::elements / 2; ++i)
                group.run([f = function(e, i)] { f(); });
            EXPECT_EQ(group.wait(), bough::complete);
        } catch (const thrown&) {
            threw = true;
            error = std::current_exception();
            group.wait();
        }
    if (threw)
        std::rethrow_exception(error);
    return !context.is_group_execution_cancelled();
}

// Tasks that spawn tasks into their group.
struct tree {
    bough::task_group& group;
    void grow(const function& node) const {
        node();
        for (const std::size_t child : {2 * node.element + 1, 2 * node.element + 2})
            if (child < experiment::elements)
                group.run([me = *this, f = function(node.of(), child)] { me.grow(f); });
    }
};
bool group_tree(experiment& e, task_group_context*) {
    bough::task_group group;
    tree{group}.grow(function(e, 0));
    return group.wait() == bough::complete;
}

TEST(throws, task_group) {
    try_all({"group, copies", group_of_copies, false, {place::call, place::copy}});
    try_all({"group, moved", group_of_moved, false, {place::call, place::move}});
    try_all({"group, again after an exception", group_again, false, {place::call, place::move}});
    try_all({"group, tree", group_tree, false, {place::call, place::move}});
}

void halves(experiment& e, std::size_t first, std::size_t last, task_group_context* context) {
    if (last - first <= 3) {
        for (std::size_t i = first; i < last; ++i)
            function(e, i)();
        return;
    }
    const std::size_t third = (last - first) / 3;
    const auto one = [&] { halves(e, first, first + third, nullptr); };
    const auto two = [&] { halves(e, first + third, first + 2 * third, nullptr); };
    const auto three = [&] { halves(e, first + 2 * third, last, nullptr); };
    if (context)
        bough::parallel_invoke(one, two, three, *context);
    else
        bough::parallel_invoke(one, two, three);
}

TEST(throws, parallel_invoke) {
    try_all({"invoke",
             [](experiment& e, task_group_context* context) {
                 halves(e, 0, experiment::elements, context);
                 return true;
             },
             true,
             {place::call}});
}

// Waits, whatever happens, until the functions that an arena was given are gone.
struct until_gone {
    experiment& e;
    const long others;
    ~until_gone() {
        while (e.alive() > others)
            std::this_thread::yield();
    }
};

bool enqueue(experiment& e, task_group_context*) {
    // The one that waits here by its own means may be the only worker.
    constexpr auto limit = bough::global_control::max_allowed_parallelism;
    const bough::global_control another(limit, bough::global_control::active_value(limit) + 1);
    bough::task_arena arena(2);
    const until_gone wait{e, e.alive()};
    for (std::size_t i = 0; i < experiment::elements; ++i)
        arena.enqueue([&e, i, f = copied(e)] { e.visit(i); });
    return true;
}

bool execute(experiment& e, task_group_context*) {
    bough::task_arena arena(3);
    const sum result = arena.execute([&e] {
        sum s(e);
        bough::parallel_for(std::size_t{0}, experiment::elements, [&](std::size_t i) { function(e, i)(); });
        s.value = 5;
        return sum(s);
    });
    const auto isolated = [&]() -> const sum& {
        e.pass(place::call);
        return result;
    };
    return bough::this_task_arena::isolate(isolated).value == 5;
}

// There and back again, twice: the exception passes four arenas.
bool through_arenas(experiment& e, task_group_context*) {
    bough::task_arena one(2), two(2);
    one.execute([&] {
        two.execute([&] {
            one.execute([&] {
                bough::parallel_for(0, 2, [&](int half) {
                    two.execute([&] {
                        const auto n = experiment::elements / 2;
                        for (std::size_t i = 0; i < n; ++i)
                            function(e, static_cast<std::size_t>(half) * n + i)();
                    });
                });
            });
        });
    });
    return true;
}

TEST(throws, task_arena) {
    try_all({"arena, enqueue", enqueue, false, {place::move}});
    try_all({"arena, execute", execute, false, {place::call, place::copy, place::move}});
    try_all({"arena, back and forth", through_arenas, false, {place::call}});
}

// ---- pipelines

struct item : tracked {
    item(experiment& e, std::size_t n) : tracked(e), number(n) {}
    item(const item& other) : tracked(other), number(other.number) { of().pass(place::item_copy); }
    std::size_t number;
};

struct read : copied {
    read(experiment& e, std::size_t& n) : copied(e), next(n) {}
    item operator()(bough::flow_control& control) const {
        of().pass(place::input);
        if (next == experiment::elements)
            control.stop();
        return item(of(), next == experiment::elements ? next : next++);
    }
    std::size_t& next;
};
struct hand_on : copied {
    using copied::copied;
    item operator()(const item& i) const {
        of().pass(place::middle);
        return i;
    }
};
struct write : copied {
    using copied::copied;
    void operator()(const item& i) const {
        of().pass(place::output);
        of().visit(i.number);
    }
};

template <bough::filter_mode middle, bough::filter_mode last>
bool pipeline(experiment& e, task_group_context* context) {
    std::size_t next = 0;
    const auto in = bough::make_filter<void, item>(bough::filter_mode::serial_in_order, read(e, next));
    const auto on = bough::make_filter<item, item>(middle, hand_on(e));
    const auto out = bough::make_filter<item, void>(last, write(e));
    if (context)
        bough::parallel_pipeline(6, in, on, out, *context);
    else
        bough::parallel_pipeline(6, in, on, out);
    return next == experiment::elements;
}

TEST(throws, parallel_pipeline) {
    using bough::filter_mode;
    const std::vector<place> from{place::copy, place::input, place::middle, place::output, place::item_copy};
    try_all(
        {"pipeline, in order", pipeline<filter_mode::parallel, filter_mode::serial_in_order>, true, from});
    try_all({"pipeline, parallel", pipeline<filter_mode::parallel, filter_mode::parallel>, true, from});
    try_all({"pipeline, serial", pipeline<filter_mode::serial_out_of_order, filter_mode::serial_in_order>,
             true, from});
}

}  // namespace
