// tbb::parallel_for: exceptions and cancellation from every place where a loop calls the user's code.
#include "support.h"

#include <oneapi/tbb/blocked_range.h>
#include <oneapi/tbb/parallel_for.h>

using namespace conformance;

namespace {

enum class place { range_copy, range_split, body_copy, body_call, is_divisible, nowhere };

// What fails, and how: the n-th visit to the place calls `fail`.
struct plan {
    void visit(place here) {
        if (here == where && ++visited == at)
            fail();
    }
    place where = place::nowhere;
    int at = 1;
    std::function<void()> fail;
    std::atomic<int> visited{0};
    std::atomic<int> alive{0};
    visits called{300};
};

// A range of one's own, with what the concept asks for and no more.
class range {
public:
    range(int begin, int end, plan& p) : begin_(begin), end_(end), plan_(&p) { ++plan_->alive; }
    range(const range& other) : begin_(other.begin_), end_(other.end_), plan_(other.plan_) {
        plan_->visit(place::range_copy);
        ++plan_->alive;
    }
    range(range& other, tbb::split)
        : begin_((other.begin_ + other.end_) / 2), end_(other.end_), plan_(other.plan_) {
        EXPECT_TRUE(other.is_divisible());
        plan_->visit(place::range_split);
        other.end_ = begin_;
        ++plan_->alive;
    }
    range& operator=(const range&) = delete;
    ~range() { --plan_->alive; }
    bool empty() const { return begin_ == end_; }
    bool is_divisible() const {
        plan_->visit(place::is_divisible);
        return end_ - begin_ > 1;
    }
    int begin() const { return begin_; }
    int end() const { return end_; }

private:
    int begin_, end_;
    plan* plan_;
};

class body {
public:
    explicit body(plan& p) : plan_(&p) { ++plan_->alive; }
    body(const body& other) : plan_(other.plan_) {
        plan_->visit(place::body_copy);
        ++plan_->alive;
    }
    ~body() { --plan_->alive; }
    void operator()(const range& r) const {
        EXPECT_FALSE(r.empty());
        for (int i = r.begin(); i < r.end(); ++i)
            plan_->called.add(static_cast<std::size_t>(i));
        plan_->visit(place::body_call);
    }

private:
    plan* plan_;
};

constexpr place all_places[] = {place::range_copy, place::range_split, place::body_copy, place::body_call,
                                place::is_divisible};

TEST(parallel_for_exceptions, a_user_written_range_is_covered_and_destroyed) {
    for_widths([] {
        for_each_loop_tail([](auto&&... tail) {
            plan p;
            tbb::parallel_for(range(0, 300, p), body(p), tail...);
            EXPECT_TRUE(p.called.each_once());
            EXPECT_EQ(p.alive, 0);
        });
    });
}

TEST(parallel_for_exceptions, from_every_place) {
    for_widths([] {
        for (place where : all_places) {
            for (int at : {1, 2, 7}) {
                for_each_loop_tail([where, at](auto&&... tail) {
                    plan p;
                    p.where = where;
                    p.at = at;
                    std::atomic<bool> thrown{false};
                    p.fail = [&] {
                        thrown = true;
                        throw test_error(int(where));
                    };
                    // How often a range or a body is copied is the engine's affair; but what is thrown must arrive.
                    try {
                        tbb::parallel_for(range(0, 300, p), body(p), tail...);
                        EXPECT_FALSE(thrown);
                    } catch (const test_error& e) {
                        EXPECT_EQ(e.number, int(where));
                        EXPECT_TRUE(thrown);
                    }
                });
            }
        }
    });
}

TEST(parallel_for_exceptions, from_places_that_are_bound_to_be_visited) {
    for_widths([] {
        for (place where : {place::range_split, place::body_call, place::is_divisible}) {
            plan p;
            p.where = where;
            p.fail = [] { throw test_error(8); };
            EXPECT_EQ(number_thrown_by(
                          [&] { tbb::parallel_for(range(0, 300, p), body(p), tbb::simple_partitioner()); }),
                      8);
        }
    });
}

TEST(parallel_for_exceptions, cancelled_from_every_place) {
    for_widths([] {
        for (place where : all_places) {
            for (int at : {1, 2, 7}) {
                plan p;
                p.where = where;
                p.at = at;
                tbb::task_group_context context;
                std::atomic<bool> cancelled{false};
                p.fail = [&] {
                    context.cancel_group_execution();
                    cancelled = true;
                };
                tbb::parallel_for(range(0, 300, p), body(p), tbb::auto_partitioner(), context);
                EXPECT_EQ(context.is_group_execution_cancelled(), cancelled);
                EXPECT_EQ(p.alive, 0);
                EXPECT_TRUE(p.called.at_most_once());
            }
        }
    });
}

TEST(parallel_for_exceptions, from_index_forms) {
    for_widths([] {
        for_each_loop_tail([](auto&&... tail) {
            EXPECT_EQ(number_thrown_by([&] {
                          tbb::parallel_for(
                              0, 500,
                              [](int i) {
                                  if (i == 250)
                                      throw test_error(250);
                              },
                              tail...);
                      }),
                      250);
        });
        for_each_loop_tail([](auto&&... tail) {
            EXPECT_EQ(number_thrown_by([&] {
                          tbb::parallel_for(
                              0, 500, 5,
                              [](int i) {
                                  if (i == 250)
                                      throw test_error(250);
                              },
                              tail...);
                      }),
                      250);
        });
    });
}

TEST(parallel_for_exceptions, one_of_many_arrives) {
    for_widths([] {
        for (int round = 0; round < 20; ++round) {
            std::atomic<int> thrown{0};
            EXPECT_GE(number_thrown_by([&] {
                          tbb::parallel_for(
                              0, 200,
                              [&](int i) {
                                  ++thrown;
                                  throw test_error(i);
                              },
                              tbb::simple_partitioner());
                      }),
                      0);
            EXPECT_GE(thrown, 1);
        }
    });
}

TEST(parallel_for_exceptions, cancel_the_other_iterations) {
    with_width(1, [] {
        int pieces = 0;
        EXPECT_EQ(number_thrown_by([&] {
                      tbb::parallel_for(
                          0, 200,
                          [&](int) {
                              ++pieces;
                              throw test_error(1);
                          },
                          tbb::simple_partitioner());
                  }),
                  1);
        EXPECT_EQ(pieces, 1);
    });
}

TEST(parallel_for_exceptions, a_loop_has_ended_when_it_throws) {
    for_widths([] {
        for (int round = 0; round < 20; ++round) {
            std::atomic<bool> over{false};
            EXPECT_EQ(number_thrown_by([&] {
                          tbb::parallel_for(0, 100, [&](int i) {
                              EXPECT_FALSE(over);
                              if (i == 50)
                                  throw test_error(50);
                              if (i % 25 == 0)
                                  std::this_thread::yield();
                              EXPECT_FALSE(over);
                          });
                      }),
                      50);
            over = true;
        }
    });
}

TEST(parallel_for_exceptions, nested) {
    for_widths([] {
        EXPECT_EQ(number_thrown_by([] {
                      tbb::parallel_for(0, 20, [](int i) {
                          tbb::parallel_for(0, 20, [i](int j) {
                              if (i == 10 && j == 10)
                                  throw test_error(110);
                          });
                      });
                  }),
                  110);
        std::atomic<int> caught{0};
        tbb::parallel_for(0, 20, [&](int) {
            caught += number_thrown_by([] { tbb::parallel_for(0, 20, [](int) { throw test_error(1); }); });
        });
        EXPECT_EQ(caught, 20) << "what is caught inside does not stop the outer loop";
    });
}

TEST(parallel_for_exceptions, many_in_a_row) {
    for_widths([] {
        for (int round = 0; round < 300; ++round) {
            EXPECT_EQ(
                number_thrown_by([&] { tbb::parallel_for(0, 8, [round](int) { throw test_error(round); }); }),
                round);
            std::atomic<int> count{0};
            tbb::parallel_for(0, 8, [&](int) { ++count; });
            ASSERT_EQ(count, 8);
        }
    });
}

TEST(parallel_for_exceptions, of_threads_do_not_mix) {
    run_threads(4, [](int thread) {
        for (int round = 0; round < 50; ++round) {
            EXPECT_EQ(number_thrown_by(
                          [&] { tbb::parallel_for(0, 20, [thread](int) { throw test_error(thread); }); }),
                      thread);
        }
    });
}

}  // namespace
