"""The faults that planted.py plants: what they are, in which file of src/, and what they change there.

All are compiled into one program, which is told which one is to be: PLANTED stands for the condition that it is this one.
"""

from typing import NamedTuple


class Fault(NamedTuple):
    name: str
    file: str
    before: str  # once in the file
    after: str
    program: str = "stress"  # the one that it is planted in


FAULTS = [
    # ---- park
    Fault("a leaving watcher does not look after it raised the alarm", "park/watch.h",
          "        alarm.raise();\n        if (!has_work())\n            return true;\n        if (must())",
          "        alarm.raise();\n        if (PLANTED || !has_work())\n            return true;\n        if (must())"),
    Fault("a worker that leaves does not see that nobody watches any more", "park/watch.h",
          "if (!watches && is_watched())", "if (!watches && (PLANTED || is_watched()))"),
    Fault("a watcher that takes work raises no alarm over sleeping callers", "park/watch.h",
          "inside >= allowed(blocked) && asleep_.load(std::memory_order_seq_cst) == 0",
          "inside >= allowed(blocked) && (PLANTED || asleep_.load(std::memory_order_seq_cst) == 0)"),
    Fault("a watcher that takes work does not look after it raised the alarm", "park/watch.h",
          "        alarm.raise();\n        if (has_work())\n            call();\n    }\n\n    // ---- callers",
          "        alarm.raise();\n        if (!PLANTED && has_work())\n            call();\n    }\n\n    // ---- callers"),
    Fault("a worker that takes work gives the role up without the alarm", "park/watch.h",
          "            watcher_.store(0, std::memory_order_seq_cst);  // pairs with try_leave()\n",
          "            watcher_.store(0, std::memory_order_seq_cst);\n        if (PLANTED)\n            return;\n        if (watches)\n            ;\n"),
    Fault("a caller raises the alarm before it stands in the list", "park/watch.h",
          "        where.sleep(\n            key, place,\n            [&] {\n                alarm.raise();\n",
          "        if (PLANTED)\n            alarm.raise();\n        where.sleep(\n            key, place,\n            [&] {\n"
          "                if (!PLANTED)\n                    alarm.raise();\n"),
    Fault("a worker that sleeps over stacks does not see that nobody watches", "park/watch.h",
          "        if (is_watched())\n            return;\n        alarm.raise();\n        if (has_work())\n            ask();",
          "        if (PLANTED || is_watched())\n            return;\n        alarm.raise();\n        if (has_work())\n            ask();"),
    Fault("the alarm is raised with a light fence in place of the heavy one", "park/alarm.h", "        Atomics::heavy_fence();",
          "        if (PLANTED)\n            Atomics::light_fence();\n        else\n            Atomics::heavy_fence();"),
    Fault("a sleeper does not look once it stands in the list", "park/parking_lot.h",
          "        if (!ready())\n", "        if (!ready() || PLANTED)\n"),
    Fault("a waker overlooks the first sleeper of a list", "park/parking_lot.h",
          "if (b.asleep.load(std::memory_order_seq_cst) != 0)", "if (b.asleep.load(std::memory_order_seq_cst) > (PLANTED ? 1 : 0))"),
    # ---- queue
    Fault("the owner takes a task by a release store, not a seq_cst one", "queue/chase_lev.h",
          "q_.bottom_.store(b, std::memory_order_seq_cst);",
          "if (PLANTED)\n            q_.bottom_.store(b, std::memory_order_release);\n        else\n"
          "            q_.bottom_.store(b, std::memory_order_seq_cst);"),
    Fault("the owner takes its last task by a store, not by CAS", "queue/chase_lev.h",
          "            if (!q_.top_.compare_exchange_strong(",
          "            if (PLANTED)\n                q_.top_.store(top + 1, std::memory_order_relaxed);\n"
          "            else if (!q_.top_.compare_exchange_strong("),
    Fault("a thief takes a task by load and store, not by CAS", "queue/rings.h",
          "            !top_of_queue.compare_exchange_strong(",
          "            (PLANTED && top_of_queue.load(std::memory_order_relaxed) == top)\n"
          "                ? (top_of_queue.store(top + 1, std::memory_order_release), false)\n"
          "                : !top_of_queue.compare_exchange_strong("),
    # ---- share
    Fault("a hand-off cell is closed without taking back", "share/hand_off_cell.h",
          "            if (door_.compare_exchange_strong(d, door_closed, std::memory_order_relaxed)) {",
          "            if (door_.compare_exchange_strong(d, door_closed, std::memory_order_relaxed) || PLANTED) {"),
    Fault("a sender goes through a door that was closed meanwhile", "share/hand_off_cell.h",
          "        if (d == door_closed || !door_.compare_exchange_strong(d, door_closed, std::memory_order_acquire,\n"
          "                                                               std::memory_order_relaxed))",
          "        if (d == door_closed || (!door_.compare_exchange_strong(d, door_closed, std::memory_order_acquire,\n"
          "                                                               std::memory_order_relaxed) && !PLANTED))"),
    Fault("who takes an assignment back has a light fence in place of the heavy one", "share/hand_off_cell.h",
          "        Atomics::heavy_fence();",
          "        if (PLANTED)\n            Atomics::light_fence();\n        else\n            Atomics::heavy_fence();"),
    Fault("the receiver of an assignment that is wanted back does not decide by CAS", "share/hand_off_cell.h",
          "             slip_.compare_exchange_strong(w, slip(ticket_, taken), std::memory_order_relaxed))) {",
          "             (PLANTED || slip_.compare_exchange_strong(w, slip(ticket_, taken), std::memory_order_relaxed)))) {"),
    Fault("a door opens with the ticket that it had", "share/hand_off_cell.h",
          "door_.store(++ticket_, std::memory_order_release);",
          "ticket_ = PLANTED ? 1 : ticket_ + 1;\n        door_.store(ticket_, std::memory_order_release);"),
    Fault("the owner claims pieces by a store, not by CAS", "share/loop_part.h",
          "            if (word.compare_exchange_weak(bits, w.claimed(count, open).bits(), std::memory_order_relaxed)) {",
          "            if (PLANTED)\n                word.store(w.claimed(count, open).bits(), std::memory_order_relaxed);\n"
          "            if (PLANTED ||\n"
          "                word.compare_exchange_weak(bits, w.claimed(count, open).bits(), std::memory_order_relaxed)) {"),
    Fault("a thief of pieces is not counted as a helper", "share/loop_word.h",
          "    constexpr loop_word stolen(std::uint32_t count) const {\n"
          "        assert(count <= remaining() && helpers() < max_helpers);\n"
          "        return loop_word(bits_ - count + one_helper);",
          "    loop_word stolen(std::uint32_t count) const {\n"
          "        return loop_word(bits_ - count + (PLANTED ? 0 : one_helper));"),
    Fault("a part that is used again keeps its generation", "share/loop_word.h",
          "    constexpr loop_word prepared(std::uint32_t helpers) const {\n        assert(helpers <= max_helpers);\n"
          "        return loop_word((static_cast<std::uint64_t>(generation() + 1) << 32) |",
          "    loop_word prepared(std::uint32_t helpers) const {\n"
          "        return loop_word((static_cast<std::uint64_t>(generation() + (PLANTED ? 0 : 1)) << 32) |"),
    Fault("a caller announces by a store, not by CAS, that it leaves its part", "share/loop_part.h",
          "            if (word.compare_exchange_weak(bits, loop_word(bits).with_left().bits(),",
          "            if (PLANTED) {\n                word.store(loop_word(bits).with_left().bits(), std::memory_order_release);\n"
          "                return false;\n            }\n"
          "            if (word.compare_exchange_weak(bits, loop_word(bits).with_left().bits(),"),
    Fault("the last helper does not wake the caller", "share/loop_part.h",
          "return before.helpers() == 1 && before.left();", "return before.helpers() == 1 && before.left() && !PLANTED;"),
    Fault("a gate that opens early: at a thief's first look", "steal/sighting.h",
          "        return now - generation_since > gate.time &&",
          "        return (PLANTED || now - generation_since > gate.time) &&"),
    Fault("a gate that opens early: a thief's clock goes on when a part is used again", "steal/sighting.h",
          "        if (depth != at_depth || word.generation() != now_seen.generation() || generation_since == 0) {",
          "        if ((!PLANTED && (depth != at_depth || word.generation() != now_seen.generation())) ||\n"
          "            generation_since == 0) {"),
    Fault("a gate that opens early: its owner opens it after the first batch", "share/pacing.h",
          "        if (!open_ && now - start_ >= gate_) {", "        if (!open_ && (PLANTED || now - start_ >= gate_)) {"),
    # ---- mail
    Fault("a task that lies in two places is taken by a store, not by CAS", "mail/task_proxy.h",
          "        if ((state & both) == both &&\n            p.state_.compare_exchange_strong(",
          "        if (PLANTED && (state & both) == both) {\n"
          "            p.state_.store(both & ~from, std::memory_order_release);\n            return t;\n        }\n"
          "        if ((state & both) == both &&\n            p.state_.compare_exchange_strong("),
    Fault("two senders may write into one cell of a mailbox", "mail/mailbox.h",
          "        } while (!next_.compare_exchange_weak(",
          "            if (PLANTED) {\n                next_.store(place + 1, std::memory_order_relaxed);\n                break;\n"
          "            }\n        } while (!next_.compare_exchange_weak("),
    Fault("a mailed task lies in the mailbox only", "worker/mail_tasks.cpp",
          "    if (!push(s, *proxy)) {", "    if (!PLANTED && !push(s, *proxy)) {"),
    Fault("the gate of mailed tasks never opens", "worker/find_work.cpp",
          "    return until != 0 && until - machine::now() - 1 < tuned().longest_gate;",
          "    return until != 0 && (PLANTED || until - machine::now() - 1 < tuned().longest_gate);"),
    Fault("a worker opens letters, whatever else there is", "worker/idle.cpp",
          "has_letters(s) && !must_look_first(s) && leaving::decide_for(s).takes == takes::everything;",
          "has_letters(s) && (PLANTED || (!must_look_first(s) && leaving::decide_for(s).takes == takes::everything));"),
    Fault("tasks are handed to a worker without a look in between", "worker/idle.cpp",
          "    return s.sent_tasks >= sent_between_looks;",
          "    return !PLANTED && s.sent_tasks >= sent_between_looks;"),
    Fault("a task is handed off before what is enqueued", "worker/hand_off.cpp",
          "s.home.enqueued.has_tasks() ||", "(!PLANTED && s.home.enqueued.has_tasks()) ||"),
    # ---- worker
    Fault("a group's tasks are counted off by load and store", "worker/group_count.h",
          "const std::uint64_t before = pending.fetch_sub(one_task, std::memory_order_seq_cst);",
          "const std::uint64_t before = PLANTED ? pending.load(std::memory_order_seq_cst)\n"
          "                                        : pending.fetch_sub(one_task, std::memory_order_seq_cst);\n"
          "    if (PLANTED)\n        pending.store(before - one_task, std::memory_order_seq_cst);"),
    Fault("a waiter announces by a store, not by CAS, that it sleeps", "worker/group_count.h",
          "    while (seen >= one_task && !pending.compare_exchange_weak(seen, seen | sleeper,",
          "    if (PLANTED && seen >= one_task)\n        return pending.store(seen | sleeper, std::memory_order_relaxed);\n"
          "    while (seen >= one_task && !pending.compare_exchange_weak(seen, seen | sleeper,"),
    Fault("a worker is given an arena, and not woken", "worker/crew.cpp",
          "    machine::futex_wake(&w.wake, 1);", "    if (!PLANTED)\n        machine::futex_wake(&w.wake, 1);"),
    Fault("a worker does not wake the two that it shall wake", "worker/crew_member.cpp",
          "        if (other)\n            wake(*other);", "        if (other && !PLANTED)\n            wake(*other);"),
    Fault("a worker parks without a look at the requests", "worker/crew_member.cpp",
          "if (arena* a = next_request()) {", "if (arena* a = PLANTED ? nullptr : next_request()) {"),
    Fault("a limit that grows calls nobody", "worker/crew.cpp",
          "        if (for_all || a->has_published_work())\n            list_request(*a, 1);\n    }\n",
          "        if (!PLANTED && (for_all || a->has_published_work()))\n            list_request(*a, 1);\n    }\n"),
    Fault("who gives a worker's slot back does not look who found none", "worker/call.cpp",
          "    a.watch.alarm.raise();\n    if (a.has_published_work())\n        call(a);\n}",
          "    if (PLANTED)\n        return;\n    a.watch.alarm.raise();\n    if (a.has_published_work())\n        call(a);\n}"),
    Fault("who resumes a stack does not wake its thread", "entry/resumable.cpp",
          "    process_parking_lot().wake_at(&a);\n    process_crew().release(a);",
          "    if (!PLANTED)\n        process_parking_lot().wake_at(&a);\n    process_crew().release(a);"),
    # ---- arena
    Fault("a slot that is given back wakes nobody", "arena/arena.cpp",
          "    if (waiting_for_slot_.load(std::memory_order_seq_cst) != 0)",
          "    if (!PLANTED && waiting_for_slot_.load(std::memory_order_seq_cst) != 0)"),
    Fault("two threads take one slot", "arena/arena.cpp",
          "||\n            e.occupied.exchange(true, std::memory_order_acquire))",
          "||\n            (e.occupied.exchange(true, std::memory_order_acquire) && !PLANTED))"),
    Fault("of two stacks that are resumed at once one is lost", "arena/fibers.h",
          "        } while (!resumed_.compare_exchange_weak(first, &f, std::memory_order_seq_cst));",
          "        } while (PLANTED ? (resumed_.store(&f, std::memory_order_seq_cst), false)\n"
          "                         : !resumed_.compare_exchange_weak(first, &f, std::memory_order_seq_cst));"),
    # ---- balance
    Fault("a thief's patience does not grow", "balance/channels/find_work.cpp",
          "first << own.gave_up", "first << (PLANTED ? 0 : own.gave_up)", "stress_channels"),
    Fault("a victim that has answered calls nobody", "balance/channels/answer.cpp",
          "    machine::light_fence();\n    call_if_unwatched(s.home);\n",
          "    machine::light_fence();\n    if (!PLANTED)\n        call_if_unwatched(s.home);\n", "stress_channels"),
    Fault("a victim answers as long as requests come", "balance/channels/answer.cpp",
          "left != 0; --left", "left != 0; left -= PLANTED ? 0 : 1", "stress_channels"),
    Fault("a channel is closed over pieces that its thread keeps", "balance/channels/answer.cpp",
          "    if (!has_something(s)) {", "    if (!has_something(s, PLANTED ? keeps::a_grain : keeps::nothing)) {",
          "stress_channels"),
    Fault("a thread keeps a grain of a loop whose body waits", "balance/channels/answer.cpp",
          "d + 1 == depth ? what : keeps::nothing",
          "d + 1 == depth ? (PLANTED ? keeps::a_grain : what) : keeps::nothing", "stress_channels"),
    Fault("a thread that exposes tasks calls nobody", "balance/channels/expose.cpp",
          "if (has_exposed)", "if (has_exposed && !PLANTED)", "stress_channels"),
    Fault("a thread at work leaves its inbox open", "balance/channels/find_work.cpp",
          "put_inbox_aside(slot& s) {\n", "put_inbox_aside(slot& s) {\n    if (PLANTED)\n        return;\n", "stress_channels"),
    Fault("a thread keeps what it was sent while its body waits", "balance/channels/answer.cpp",
          "(s.queue.has_tasks() || s.balance.inbox.peek())",
          "!PLANTED && (s.queue.has_tasks() || s.balance.inbox.peek())", "stress_channels"),
    Fault("pieces that were set aside are not published", "balance/channels/find_work.cpp",
          "    else\n        s.queue.open();", "    else if (!PLANTED)\n        s.queue.open();", "stress_channels"),
    Fault("a channel is not opened", "queue/channel_queue.h",
          "        requests.open();\n    }", "        if (!PLANTED)\n            requests.open();\n    }", "stress_channels"),
]
