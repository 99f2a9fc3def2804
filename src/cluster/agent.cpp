#include "cluster/agent.h"

#include <algorithm>
#include <variant>

namespace bough::cluster {

agent::agent(epoch_channel& channel, local_work& work, worker_mail& mail, victim_policy& policy,
             const parameters& with)
    : channel_(channel), work_(work), mail_(mail), policy_(policy), with_(with),
      ring_(channel.rank(), channel.size()), probe_pause_(with.probe_pause_first) {}

void agent::handle(message& m) {
    std::visit([&](auto& body) { receive(body, m.from); }, m.body);
}

time_ns agent::act() {
    read_mail();
    if (over_)
        return never;
    const time_ns now = channel_.now();
    look_for_tasks(now);
    return std::min(policy_.wake(hungry_workers()), look_for_the_end(now));
}

// ---- tasks

unsigned agent::idle_workers() const {
    const std::size_t running = work_.running();
    if (running == local_work::not_known)
        return 1;
    return running < work_.workers() ? work_.workers() - static_cast<unsigned>(running) : 0;
}

unsigned agent::hungry_workers() const {
    if (stopped_)
        return 0;
    const unsigned idle = idle_workers();
    const std::size_t queued = work_.tasks();
    return queued < idle ? idle - static_cast<unsigned>(queued) : 0;
}

void agent::look_for_tasks(time_ns now) {
    mail_.take_starved();
    for (;;) {
        const victim_policy::order o = policy_.next(now, hungry_workers());
        switch (o.what) {
        case victim_policy::order::verb::nothing:
            return;
        case victim_policy::order::verb::ask:
            ++counters_.questions;
            channel_.send(o.rank, statistics_request{});
            break;
        case victim_policy::order::verb::steal:
            ++counters_.steals_sent;
            ++counters_.steals_unanswered;
            steals_on_the_way_.push_back({o.rank, now});
            channel_.send(o.rank, steal_request{with_.tasks_per_steal});
            break;
        }
    }
}

void agent::receive(steal_request& r, int from) {
    ++counters_.steals_answered;
    stolen_tasks answer;
    const std::size_t queued = work_.tasks();
    arrived_ = std::min(arrived_, queued);  // the others have begun
    const std::size_t kept =
        channel_.now() < keep_until_ ? std::min<std::size_t>(arrived_, idle_workers()) : 0;
    if (!stopped_ && (kept == 0 || kept < queued)) {
        const std::size_t half = (queued + 1) / 2;
        work_.take_shallowest(std::clamp<std::size_t>(std::min(half, queued - kept), 1, r.most),
                              answer.tasks);
    }
    if (answer.tasks.empty()) {
        channel_.send(from, nothing_to_steal{});
        return;
    }
    counters_.tasks_given += answer.tasks.size();
    ring_.sent();
    channel_.send(from, std::move(answer));
}

void agent::receive(stolen_tasks& t, int from) {
    counters_.tasks_taken += t.tasks.size();
    count_answer(from);
    const std::size_t queued = work_.tasks();
    for (packed_task& task : t.tasks)
        work_.put(std::move(task));
    arrived_ = std::min(arrived_, queued) + t.tasks.size();
    keep_until_ = channel_.now() + wake_up_ns;
    ring_.received();
    policy_.answered(from, true, channel_.now());
}

void agent::receive(nothing_to_steal&, int from) {
    ++counters_.steals_failed;
    count_answer(from);
    policy_.answered(from, false, channel_.now());
}

// Answers of one victim come in the order of the steals.
void agent::count_answer(int from) {
    const auto sent = std::find_if(steals_on_the_way_.begin(), steals_on_the_way_.end(),
                                   [from](const steal_sent& s) { return s.to == from; });
    --counters_.steals_unanswered;
    counters_.steal_time_ns += static_cast<std::uint64_t>(channel_.now() - sent->at);
    steals_on_the_way_.erase(sent);
}

void agent::receive(statistics_request&, int from) {
    const std::size_t queued = work_.tasks();
    // A policy that looks at queues never steals in vain: one more task until it steals here.
    work_.want(queued + 1);
    channel_.send(from, statistics{queued, work_.rate(), work_.workers()});
}

// ---- bounds and stops

void agent::read_mail() {
    if (const auto bound = mail_.take_bound(); bound && *bound > best_bound_) {
        best_bound_ = *bound;
        spread(channel_.rank(), bound_found{*bound, channel_.rank()});
    }
    if (!stopped_ && mail_.target_found())
        stop(channel_.rank());
}

void agent::receive(bound_found& b, int) {
    if (b.value < best_bound_)
        return;  // the better one reaches every rank
    if (b.value > best_bound_) {
        best_bound_ = b.value;
        work_.take_bound(b.value);
    }
    spread(b.origin, b);  // an equal one, too: two trees that cut each other off may both miss a rank
}

void agent::stop(int origin) {
    if (!stopped_) {
        stopped_ = true;
        work_.stop();
    }
    spread(origin, stop_all{origin});  // of each origin, as with bounds
}

void agent::receive(stop_all& s, int) {
    stop(s.origin);
}

void agent::spread(int origin, const message_body& body) {
    const int size = channel_.size();
    const int place = (channel_.rank() - origin + size) % size;
    const bool flat = size <= with_.flat_broadcast;
    const int first = flat ? 1 : 2 * place + 1;
    const int last = flat ? size : std::min(size, 2 * place + 3);
    if (flat && place != 0)
        return;
    for (int child = first; child < last; ++child) {
        counters_.bounds_sent += std::holds_alternative<bound_found>(body);
        channel_.send((child + origin) % size, body);
    }
}

// ---- the end

time_ns agent::look_for_the_end(time_ns now) {
    const bool has_token = ring_.has_token();
    if (!has_token)
        return never;  // its arrival is a message
    const bool may_start = now >= next_probe_;
    const safra::step step = ring_.next(work_.is_idle(), may_start);
    switch (step.what) {
    case safra::step::verb::nothing:
        return channel_.rank() == 0 && !may_start ? next_probe_ : never;
    case safra::step::verb::pass:
        if (channel_.rank() == 0)
            end_probe_pause(now);
        channel_.send(step.to, step.token);
        return never;
    case safra::step::verb::over:
        over_ = true;
        spread(0, search_done{});
        return never;
    }
    return never;
}

void agent::end_probe_pause(time_ns now) {
    ++counters_.token_rounds;
    next_probe_ = now + probe_pause_;
    probe_pause_ = std::min(2 * probe_pause_, with_.probe_pause_cap);
}

void agent::receive(search_done&, int) {
    over_ = true;
    spread(0, search_done{});
}

}  // namespace bough::cluster
