#pragma once
// One run of a pipeline. A token is bound to its item: the thread that has it in hand takes it through one filter after
// the other (MacDonald, Szafron and Schaeffer, "Rethinking the pipeline as object-oriented states with
// transformations", HIPS 2004). Tokens are free tasks of the dispatcher. Invariant: every token is in one thread's
// hands, in a queue of tasks, held back by a turnstile, or home. README.md has the states, and why nothing hangs.

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "bough/config.h"
#include "bough/detail/pipeline.h"
#include "pipeline/token.h"
#include "pipeline/turnstile.h"

namespace bough {

class pipeline {
public:
    explicit pipeline(detail::pipeline_job& job);
    ~pipeline();
    pipeline(const pipeline&) = delete;
    pipeline& operator=(const pipeline&) = delete;

    void run();

private:
    struct alignas(cache_line) stage {
        stage(const detail::pipeline_filter& f, turns t, bool gives_places)
            : filter(f), numbers(gives_places), entrance(t) {}
        bool is_serial() const { return filter.mode != filter_mode::parallel; }

        const detail::pipeline_filter& filter;
        const bool numbers;  // the first serial_in_order one
        turnstile entrance;  // of a serial stage, and of the input
    };

    static void run_token(detail::task& t, bool);
    void carry(token* t) noexcept;
    void call_filter(stage& s, token& t) noexcept;
    void keep_exception() noexcept;
    void drop_item(stage& s, token& t) noexcept;
    token* leave(stage& s) noexcept;
    token* arrive(token& t) noexcept;
    token* come_home() noexcept;

    bool has_ended() const noexcept;
    bool is_input(const stage& s) const noexcept { return &s == stages_.front().get(); }

    token* make_token() noexcept;

    detail::pipeline_job& job_;
    std::vector<std::unique_ptr<stage>> stages_;
    std::size_t item_size_ = 0, item_alignment_ = cache_line;
    std::uint64_t next_place_ = 0;  // the numbering stage's

    // Of whoever is inside the input's turnstile.
    token* newest_ = nullptr;
    std::size_t made_ = 0;
    std::size_t home_ = 0;

    std::atomic<bool> input_ended_{false};
    std::atomic<bool> failed_{false};
    std::atomic<bool> is_over_{false};
};

}  // namespace bough
