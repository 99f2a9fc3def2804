// The lists of the object pool: objects that other threads free, and pools whose threads have ended.

#include "memory/shared_list.h"

#include <gtest/gtest.h>

#include <array>
#include <cstddef>
#include <memory>
#include <utility>

#include "model/atomics.h"
#include "model/explorer.h"
#include "model/mutants.h"

namespace bough::model {
namespace {

struct element {
    plain<int> content{0};
    element* next = nullptr;
    int owners = 0;
};
using list = detail::shared_list<element, atomics>;

// ---- objects: others free them, the owner uses them again ----

struct pool {
    void free_foreign(std::size_t i) {
        element& e = objects[i];
        e.content.set(e.content.get() + 1);  // its last use
        returned.push(&e, e.next);
    }
    void find_taken() {
        if (!returned.is_empty())
            use_again(returned.take());
    }
    void use_again(element* taken) {
        for (; taken; taken = taken->next) {
            check(taken->content.get() == 1, "an object came without its last use");
            taken->content.set(0);
            check(++taken->owners == 1, "an object came back twice");
        }
    }

    list returned;
    std::array<element, 3> objects;
};

program objects_come_back() {
    return [](run& r) {
        auto p = std::make_shared<pool>();
        r.thread([p] {
            p->free_foreign(0);
            p->free_foreign(1);
        });
        r.thread([p] { p->free_foreign(2); });
        r.thread([p] {
            p->find_taken();
            p->find_taken();
        });
        r.finally([p] {
            p->use_again(p->returned.take());
            for (const element& e : p->objects)
                check(e.owners == 1, "an object is lost");
        });
    };
}

// ---- pools: a thread takes one over, and leaves it when it ends ----

struct pools {
    void push_idle(element* first) {
        element* last = first;
        while (last->next)
            last = last->next;
        idle.push(first, last->next);
    }
    // As object_pool::pop_idle() does.
    element* pop_idle() {
        if (idle.is_empty())
            return nullptr;
        element* const p = idle.take();
        if (p && p->next)
            push_idle(std::exchange(p->next, nullptr));
        return p;
    }
    void live(int times) {
        for (int i = 0; i < times; ++i)
            if (element* const p = pop_idle()) {
                check(++p->owners == 1, "a pool has two owners");
                p->content.set(p->content.get() + 1);
                --p->owners;
                push_idle(p);
            }
    }

    list idle;
    std::array<element, 2> made;
};

program pools_change_owners() {
    return [](run& r) {
        auto p = std::make_shared<pools>();
        for (element& e : p->made)
            p->push_idle(&e);
        r.thread([p] { p->live(2); });
        r.thread([p] { p->live(1); });
        r.finally([p] {
            int idle = 0;
            for (const element* e = p->idle.take(); e; e = e->next)
                ++idle;
            check(idle == 2, "a pool is lost");
        });
    };
}

TEST(model_shared_list, each_access_matters) {
    each_access_matters({objects_come_back(), pools_change_owners()}, {}, {"shared_list.h"});
}

}  // namespace
}  // namespace bough::model
