#include "cluster/simulation/virtual_locality.h"

#include <algorithm>
#include <utility>

namespace bough::cluster {

// ---- the pool

void virtual_pool::push(std::uint32_t depth, std::uint32_t task) {
    if (depth >= depths_.size())
        depths_.resize(depth + 1);
    depths_[depth].push_back(task);
    lowest_ = std::max<std::size_t>(lowest_, depth);
    shallowest_ = std::min<std::size_t>(shallowest_, depth);
    ++size_;
}

bool virtual_pool::pop(std::uint32_t& task) {
    if (size_ == 0)
        return false;
    while (!looks_at_one_depth_ && depths_[lowest_].empty())
        --lowest_;
    if (depths_[lowest_].empty())
        return false;  // the fault
    take(depths_[lowest_], task);
    while (lowest_ > 0 && depths_[lowest_].empty())
        --lowest_;
    return true;
}

bool virtual_pool::steal(std::uint32_t& task) {
    if (size_ == 0)
        return false;
    while (depths_[shallowest_].empty())
        ++shallowest_;
    take(depths_[shallowest_], task);
    return true;
}

void virtual_pool::take(std::deque<std::uint32_t>& from, std::uint32_t& task) {
    task = from.front();
    from.pop_front();
    --size_;
}

std::size_t virtual_pool::visible() const {
    return looks_at_one_depth_ && size_ > 0 && depths_[lowest_].empty() ? 0 : size_;
}

void virtual_pool::clear() {
    depths_.clear();
    size_ = lowest_ = shallowest_ = 0;
}

// ---- the locality

virtual_locality::virtual_locality(virtual_network& network, int rank, const task_tree& tree,
                                   const options& with)
    : network_(network), rank_(rank), tree_(tree), with_(with), pool_(with.looks_at_one_depth),
      workers_(with.workers) {}

void virtual_locality::put(packed_task task) {
    if (stopped_) {
        ++dropped_;
        return;
    }
    if (with_.looks_at_one_depth)
        stolen_.push_back(unpack(tree_, task));
    else
        pool_.push(task.depth, unpack(tree_, task));
    wake_workers();
}

void virtual_locality::take_shallowest(std::size_t most, std::vector<packed_task>& out) {
    for (std::uint32_t task = 0; most > 0 && pool_.steal(task); --most)
        out.push_back(pack(tree_, task));
}

void virtual_locality::stop() {
    stopped_ = true;
    dropped_ += pool_.size() + stolen_.size();
    pool_.clear();
    stolen_.clear();
}

double virtual_locality::rate() const {
    double sum = 0;
    for (const worker& w : workers_)
        sum += w.rate.value();
    return sum / static_cast<double>(workers_.size());
}

void virtual_locality::set_stealing(bool steals) {
    steals_ = steals;
    if (!with_.holds_lock || steals)
        return;
    for (const std::uint64_t number : std::exchange(blocked_, {}))
        worker_finished(number);
    wake_workers();
}

void virtual_locality::wake_workers() {
    for (std::uint64_t w = 0; w < workers_.size() && tasks() > 0; ++w)
        if (!workers_[w].runs && !start(w))
            return;
}

bool virtual_locality::find_task(std::uint32_t& task) {
    if (with_.holds_lock && steals_)
        return false;
    if (stolen_.empty())
        return pool_.pop(task);
    task = stolen_.front();
    stolen_.pop_front();
    return true;
}

bool virtual_locality::start(std::uint64_t number) {
    worker& w = workers_[number];
    if (!find_task(w.task))
        return false;
    const time_ns now = network_.now();
    w.runs = true;
    w.idle_before = now - w.since;
    w.since = now;
    ++running_;
    on_run(w.task);
    const auto cost = static_cast<time_ns>(static_cast<double>(tree_.tasks[w.task].cost) * with_.slowness);
    network_.set_timer(rank_, now + cost, number);
    return true;
}

void virtual_locality::worker_finished(std::uint64_t number) {
    if (with_.holds_lock && steals_) {
        blocked_.push_back(number);
        return;
    }
    worker& w = workers_[number];
    const recorded_task& done = tree_.tasks[w.task];
    const time_ns now = network_.now();
    w.rate.task_ended(now - w.since, w.idle_before);
    busy_ += now - w.since;
    ++executed_;
    on_end();
    for (std::uint32_t c = 0; c < done.children; ++c) {
        ++spawned_;
        if (stopped_)
            ++dropped_;
        else
            pool_.push(done.depth + 1, done.first_child + c);
    }
    w.runs = false;
    w.since = now;
    --running_;
    wake_workers();
    if (tasks() == 0)
        mail_.starved();
}

}  // namespace bough::cluster
