// r1::parallel_pipeline, on the public task interface of oneTBB's headers. A task is a token: it takes its item through
// one filter after the other (bind-to-item: MacDonald, Szafron and Schaeffer, "Rethinking the pipeline as object-oriented
// states with transformations", HIPS 2004), one filter per execute(), so that cancellation is seen between two filters.
//
// The reader is the token at the input, or on its way there. spare_ counts the tokens that may still be taken. Invariant
// until the input ends: there is one reader if spare_ > 0, and none if spare_ is 0. A reader that takes the last spare
// token makes no other; a token that gives back the first spare one becomes the reader itself. A serial input takes its
// token after the read, so that the next read begins when this one is over; a parallel one before it.
//
// running_ counts the tasks that may touch the pipeline: not those that a stage holds back. In front of each of those
// there is always one that counts: the token inside that stage, or the one whose turn it is.
//
// As with every task of oneTBB, cancel() is called on a task whose execute() has thrown.

#include <oneapi/tbb/detail/_task.h>
#include <oneapi/tbb/parallel_pipeline.h>

#include "pipeline_stage.h"

#include <algorithm>
#include <atomic>
#include <deque>
#include <vector>

namespace tbb::detail::r1 {
namespace {

using bough::compat::abi::owned_filter;
using bough::compat::abi::stage;
using bough::compat::abi::token;

// The filter whose last call on this thread ended the input. A filter says so right before it returns, so no other filter
// runs between the mark and take_end_mark() below, nor can its body be suspended there and go on in another thread.
constinit thread_local const d1::base_filter* input_ended_by = nullptr;

// Not inlined: an address computed before the body ran may belong to the thread that the body began in.
__attribute__((noinline)) bool take_end_mark(const d1::base_filter& f) {
    const bool ended = input_ended_by == &f;
    input_ended_by = nullptr;
    return ended;
}

class token_pipeline {
public:
    token_pipeline(d1::task_group_context& context, std::size_t most_tokens)
        : context_(context), spare_(std::max<std::size_t>(1, most_tokens)) {}
    ~token_pipeline();
    token_pipeline(const token_pipeline&) = delete;
    token_pipeline& operator=(const token_pipeline&) = delete;

    void make_stages(const d1::filter_node& chain);
    void run();

private:
    class token_task;

    void spawn_reader(d1::execution_data& ed);
    void let_in(token& t);

    d1::task_group_context& context_;
    std::deque<stage> stages_;  // where nothing moves
    d1::wait_context running_{0};
    std::uint64_t next_place_ = 0;  // the reader's, of a serial_in_order input
    alignas(64) std::atomic<std::size_t> spare_;
    std::atomic<bool> input_ended_{false};
};

class token_pipeline::token_task : public d1::task, public token {
public:
    token_task(token_pipeline& p, d1::small_object_allocator& allocator)
        : pipeline_(p), allocator_(allocator) {}

    d1::task* execute(d1::execution_data& ed) override { return stage == 0 ? read(ed) : pass_filter(ed); }
    d1::task* cancel(d1::execution_data& ed) override {
        finalize_item();
        return leave_pipeline(ed);
    }
    void abandon() {
        finalize_item();
        allocator_.delete_object(this);
    }

private:
    d1::task* read(d1::execution_data& ed);
    bool call_input(d1::base_filter& f);
    void take_token(d1::execution_data& ed);
    d1::task* pass_filter(d1::execution_data& ed);
    d1::task* go_on(d1::execution_data& ed);
    d1::task* leave_pipeline(const d1::execution_data& ed);
    void finalize_item();

    token_pipeline& pipeline_;
    d1::small_object_allocator allocator_;
};

d1::task* token_pipeline::token_task::read(d1::execution_data& ed) {
    bough::compat::abi::stage& input = pipeline_.stages_.front();
    if (!input.is_serial()) {
        // relaxed: a reader that misses it calls the input once more, as one that came a moment earlier would have.
        if (pipeline_.input_ended_.load(std::memory_order_relaxed))
            return leave_pipeline(ed);
        take_token(ed);
    }
    if (!call_input(input.filter())) {
        pipeline_.input_ended_.store(true, std::memory_order_relaxed);
        return leave_pipeline(ed);
    }
    if (input.is_ordered())
        place_in_line = pipeline_.next_place_++;
    if (input.is_serial())
        take_token(ed);
    return go_on(ed);
}

// False when the input has ended. A filter with typed items says so by set_end_of_input(), others by nullptr.
bool token_pipeline::token_task::call_input(d1::base_filter& f) {
    item = f(nullptr);
    if (item == nullptr && (!f.object_may_be_null() || take_end_mark(f)))
        return false;
    stage = 1;
    return true;
}

void token_pipeline::token_task::take_token(d1::execution_data& ed) {
    // acq_rel: pairs with go_on(); what this reader did at the input, the next one sees.
    if (pipeline_.spare_.fetch_sub(1, std::memory_order_acq_rel) > 1)
        pipeline_.spawn_reader(ed);
}

d1::task* token_pipeline::token_task::pass_filter(d1::execution_data& ed) {
    bough::compat::abi::stage& here = pipeline_.stages_[stage];
    if (here.is_serial() && !entered) {
        token_pipeline& p = pipeline_;
        if (!here.enter(*this)) {  // from here on this task belongs to whoever lets it in
            p.running_.release();
            return nullptr;
        }
    }
    item = here.filter()(item);
    ++stage;
    if (here.is_serial()) {
        entered = false;
        if (token* const next = here.leave())
            pipeline_.let_in(*next);
    }
    return go_on(ed);
}

// To the next filter, or from the last one: back to the input if nobody is there, else out.
d1::task* token_pipeline::token_task::go_on(d1::execution_data& ed) {
    if (stage < pipeline_.stages_.size())
        return this;
    item = nullptr;
    // acq_rel: pairs with take_token(); who becomes the reader sees what the last one did.
    const bool none_was_spare = pipeline_.spare_.fetch_add(1, std::memory_order_acq_rel) == 0;
    if (!none_was_spare || pipeline_.input_ended_.load(std::memory_order_relaxed))
        return leave_pipeline(ed);
    static_cast<token&>(*this) = token{};
    return this;
}

// The release is the last touch of the pipeline.
d1::task* token_pipeline::token_task::leave_pipeline(const d1::execution_data& ed) {
    token_pipeline& p = pipeline_;
    allocator_.delete_object(this, ed);
    p.running_.release();
    return nullptr;
}

// An item that is no pointer may look like nullptr; nothing has to be done for it.
void token_pipeline::token_task::finalize_item() {
    if (item != nullptr && stage < pipeline_.stages_.size())
        pipeline_.stages_[stage].filter().finalize(item);
}

// The chain is a tree whose leaves are the filters, from left to right.
void token_pipeline::make_stages(const d1::filter_node& chain) {
    std::vector<const d1::filter_node*> to_do{&chain};
    while (!to_do.empty()) {
        const d1::filter_node& node = *to_do.back();
        to_do.pop_back();
        if (!node.left) {
            stages_.emplace_back(owned_filter(node.create_filter()));
            continue;
        }
        to_do.push_back(&*node.right);
        to_do.push_back(&*node.left);
    }
}

void token_pipeline::run() {
    d1::small_object_allocator allocator{};
    token_task& first = *allocator.new_object<token_task>(*this, allocator);
    running_.reserve();
    r1::execute_and_wait(first, context_, running_, context_);
}

void token_pipeline::spawn_reader(d1::execution_data& ed) {
    d1::small_object_allocator allocator{};
    token_task& reader = *allocator.new_object<token_task>(ed, *this, allocator);
    running_.reserve();
    r1::spawn(reader, context_);
}

void token_pipeline::let_in(token& t) {
    running_.reserve();
    r1::spawn(static_cast<token_task&>(t), context_);
}

// Tokens are held back at this point only after a cancellation.
token_pipeline::~token_pipeline() {
    for (stage& s : stages_)
        while (token* const t = s.abandon())
            static_cast<token_task*>(t)->abandon();
}

}  // namespace

void parallel_pipeline(d1::task_group_context& context, std::size_t max_token, const d1::filter_node& fn) {
    token_pipeline p(context, max_token);
    p.make_stages(fn);
    p.run();
}

void set_end_of_input(d1::base_filter& bf) {
    input_ended_by = &bf;
}

}  // namespace tbb::detail::r1
