#include "pipeline/pipeline.h"

#include <algorithm>
#include <new>
#include <utility>

#include "bough/detail/dispatch.h"
#include "bough/detail/fp_scope.h"
#include "bough/detail/raise.h"
#include "bough/exports/termination.h"

namespace bough {

// Takes a token that has just been let in where it stands as far as it goes, then the one that it let in, if any; and
// so on. What was let in is shown to others before user code is called, which may wait for it. When nothing is left in
// hand the pipeline may be gone.
void pipeline::carry(token* t) noexcept {
    token* let_in = nullptr;
    while (t != nullptr) {
        stage& s = *stages_[t->stage];
        const bool input = is_input(s);
        if (input && has_ended()) {
            token* const next = come_home();
            t = next != nullptr ? next : std::exchange(let_in, nullptr);
            continue;
        }
        if (input && !s.is_serial()) {  // the next read begins beside this one
            if (token* const next = leave(s))
                detail::post(*next);
        }
        if (let_in != nullptr)
            detail::post(*std::exchange(let_in, nullptr));
        call_filter(s, *t);
        const bool starts_over = input && !t->has_item;
        if (s.numbers && !starts_over)
            t->place = next_place_++;
        if (s.is_serial())
            let_in = leave(s);
        t->stage = starts_over || t->stage + 1 == stages_.size() ? 0 : t->stage + 1;
        t = arrive(*t);
        if (t == nullptr)
            t = std::exchange(let_in, nullptr);
    }
}

// A token that has lost its item goes on without: others may stand in line behind it.
void pipeline::call_filter(stage& s, token& t) noexcept {
    const bool input = is_input(s);
    if (!input && (!t.has_item || job_.node.is_stopped()))
        return drop_item(s, t);
    try {
        detail::check_nesting(detail::here());
        if (!s.filter.call(s.filter, input ? nullptr : t.item, t.room))
            // relaxed: a reader that misses it calls the input once more, as one that came a moment earlier would have.
            return input_ended_.store(true, std::memory_order_relaxed);
        std::swap(t.item, t.room);
        t.has_item = &s != stages_.back().get();
    } catch (...) {
        keep_exception();
        drop_item(s, t);
    }
}

void pipeline::keep_exception() noexcept {
    if (detail::terminates_on_exception())
        std::terminate();
    // relaxed: one winner; the caller reads `error` after the end.
    if (!failed_.exchange(true, std::memory_order_relaxed))
        job_.error = std::current_exception();
    job_.node.stop();
}

void pipeline::drop_item(stage& s, token& t) noexcept {
    if (std::exchange(t.has_item, false) && s.filter.drop)
        s.filter.drop(s.filter, t.item);
}

// The token that was inside leaves; the one that is inside now is returned. At the input, if none waits and there may
// be one more, that is a new one.
token* pipeline::leave(stage& s) noexcept {
    if (is_input(s) && made_ < job_.max_live_tokens && !s.entrance.has_waiting() && !has_ended())
        if (token* const fresh = make_token())
            return fresh;
    return s.entrance.leave();
}

// The token that is inside now where t wants to be: t, another or none.
token* pipeline::arrive(token& t) noexcept {
    stage& s = *stages_[t.stage];
    return s.is_serial() || is_input(s) ? s.entrance.arrive(t) : &t;
}

// The token inside the input's turnstile stays at home. Returns the next; the last one ends the pipeline.
token* pipeline::come_home() noexcept {
    if (++home_ != made_)
        return stages_.front()->entrance.leave();
    const void* const waiter = this;
    // seq_cst: pairs with the caller's last look before it sleeps (work_until). The pipeline may be gone right after.
    is_over_.store(true, std::memory_order_seq_cst);
    detail::unpark_all(waiter);
    return nullptr;
}

bool pipeline::has_ended() const noexcept {
    return input_ended_.load(std::memory_order_relaxed) || job_.node.is_stopped();
}

// ---- tasks ----

// execute() puts back the scope that was there before.
void pipeline::run_token(detail::task& task, bool) {
    auto& t = static_cast<token&>(task);
    detail::slot_view& view = *detail::current_view();
    view.scope = &t.home.job_.node;
    const detail::fp_scope fp(view, t.home.job_.fp_settings);
    t.home.carry(&t);
}

void pipeline::run() {
    token* const first = make_token();
    if (!first)
        throw std::bad_alloc();
    stages_.front()->entrance.arrive(*first);
    const auto is_over = [](const void* p) {
        return static_cast<const pipeline*>(p)->is_over_.load(std::memory_order_seq_cst);
    };
    // Pipelines that call the same input are alike.
    detail::run_tree(*first, {is_over, this}, reinterpret_cast<const void*>(stages_.front()->filter.call));
}

// ---- making and freeing ----

pipeline::pipeline(detail::pipeline_job& job) : job_(job) {
    bool numbered = false;
    for (std::size_t i = 0; i < job.filter_count; ++i) {
        const detail::pipeline_filter& f = *job.filters[i];
        const bool in_order = f.mode == filter_mode::serial_in_order;
        stages_.push_back(std::make_unique<stage>(
            f, in_order && numbered ? turns::by_place : turns::by_arrival, in_order && !numbered));
        numbered = numbered || in_order;
        item_size_ = std::max(item_size_, f.out_size);
        item_alignment_ = std::max(item_alignment_, f.out_alignment);
    }
}

namespace {
std::size_t round_up(std::size_t n, std::size_t alignment) {
    return (n + alignment - 1) / alignment * alignment;
}
}  // namespace

// With room for two items behind it.
token* pipeline::make_token() noexcept {
    const std::size_t head = round_up(sizeof(token), item_alignment_);
    const std::size_t each = round_up(item_size_, item_alignment_);
    void* const memory = ::operator new(head + 2 * each, std::align_val_t(item_alignment_), std::nothrow);
    if (!memory)
        return nullptr;
    auto* const t = new (memory) token(*this);
    t->run = run_token;
    t->item = static_cast<char*>(memory) + head;
    t->room = static_cast<char*>(memory) + head + each;
    t->made_before = std::exchange(newest_, t);
    ++made_;
    return t;
}

pipeline::~pipeline() {
    while (token* const t = newest_) {
        newest_ = t->made_before;
        t->~token();
        ::operator delete(t, std::align_val_t(item_alignment_));
    }
}

void detail::run_pipeline(pipeline_job& job) {
    or_terminate([&job] { pipeline(job).run(); });
}

}  // namespace bough
