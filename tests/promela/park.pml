/* The park protocol (src/park/README.md): whatever is published is begun by somebody, and nobody sleeps for ever.
 *
 * A body returns at once, or blocks until every piece has begun: so each piece has to find a thread of its own.
 * (BODIES_RETURN where there are not so many.)
 * Shared variables are sequentially consistent, but for what publishers store: that stays in the publisher's write buffer
 * until its processor writes it out, or a heavy fence has it written. README.md says which function each step is.
 *
 * -D: WORKERS, CALLERS, ENQUEUERS, PIECES of each publisher, SLOTS for workers, LIMIT of workers, NEW_LIMIT that is set at
 * any moment, SEQUENTIAL stores of publishers, LOOKS_TWICE who gives a slot back, BLOCKED workers go whose bodies block; and the
 * mutants (check.py).
 */

#ifndef SLOTS
#define SLOTS WORKERS
#endif
#ifndef LIMIT
#define LIMIT WORKERS
#endif
#define PUBLISHERS (CALLERS + ENQUEUERS)  /* one or two; callers first */
#define ALL (PUBLISHERS * PIECES)
#define NOBODY 255

/* Of each thread. */
#define locals byte c, k, from = NOBODY, chosen = NOBODY; bool found; bool taken_off[CALLERS + 1]

/* ---- what is published: a slot's queue, or the word of a part ---- */

byte buffered[PUBLISHERS];  /* stored, seen by nobody else */
byte published[PUBLISHERS];
byte begun;

inline write_out(p) {
    d_step {
        published[p] = published[p] + buffered[p];
        buffered[p] = 0
    }
}

proctype write_buffer(byte p) {
end:
    do
    :: d_step { buffered[p] > 0 -> buffered[p]--; published[p]++ }
    od
}

/* arena::has_published_work: one word after the other. */
inline has_work() {
    found = published[0] > 0;
#if PUBLISHERS == 2
    found = found || published[1] > 0
#endif
}

/* A look finds what there is, or misses it: it was there a moment ago, or its gate is closed. */
inline take(may) {
    if
    :: atomic { published[0] > 0 && (may) -> published[0]--; from = 0 }
#if PUBLISHERS == 2
    :: atomic { published[1] > 0 && (may) -> published[1]--; from = 1 }
#endif
    :: from = NOBODY
    fi
}

/* ---- watch.h, alarm.h ---- */

bool raised = true;
bool watched;
byte inside;  /* workers */
byte blocked;   /* and such as sleep inside something else */
byte asleep;  /* callers that sleep, or are about to */

/* The heavy fence: each publisher's processor passes a full barrier, one after the other. */
inline raise() {
    raised = true;
#if !defined(SEQUENTIAL) && !defined(NO_HEAVY_FENCE)
    write_out(0);
#if PUBLISHERS == 2
    write_out(1)
#endif
#endif
}

/* ---- parking_lot.h: one list ---- */

byte listed_count;
bool listed[CALLERS + 1];  /* + 1: none is empty */
bool woken[CALLERS + 1];

/* The list is searched under its mutex, the flags are stored outside. */
inline wake_listed(is_meant) {
#if CALLERS > 0
    if
    :: listed_count > 0 ->
        d_step {
            do
            :: c < CALLERS ->
                if
                :: listed[c] && (is_meant) -> listed[c] = false; listed_count--; taken_off[c] = true
                :: else
                fi;
                c++
            :: else -> c = 0; break
            od
        }
        do
        :: atomic { taken_off[0] -> taken_off[0] = false; woken[0] = true }
#if CALLERS == 2
        :: atomic { !taken_off[0] && taken_off[1] -> taken_off[1] = false; woken[1] = true }
#endif
        :: else -> break
        od
    :: else
    fi
#else
    skip
#endif
}

/* ---- crew.cpp: one mutex over all but the wake-ups ---- */

byte limit = LIMIT;
byte awake;  /* workers that are not parked */
byte wanted;
bool parked[WORKERS];
bool wake[WORKERS];
byte slots_taken;

#define slots_left (SLOTS - blocked)
#define allowed (limit < slots_left -> limit : slots_left)
#define has_excess (awake > limit)

/* In a d_step. Of those that are parked any: they are alike. */
inline grant() {
    do
    :: k < WORKERS && !parked[k] -> k++
    :: else -> break
    od;
    if
    :: k < WORKERS && wanted > 0 && awake < limit -> wanted--; awake++; parked[k] = false; chosen = k
    :: else
    fi;
    k = 0
}

inline wake_chosen() {
    if
    :: atomic { chosen != NOBODY -> wake[chosen] = true; chosen = NOBODY }
    :: else
    fi
}

inline want_and_grant() {
    d_step {
        wanted = (wanted > 1 -> wanted : 1);
        grant()
#ifdef CREW_FORGETS
        ; wanted = 0
#endif
    }
    wake_chosen()
}

/* crew::request */
inline request() {
    if
    :: (limit != 0 && inside >= allowed) || inside >= slots_left
    :: else -> want_and_grant()
    fi
}

inline call() {
    if
    :: atomic { raised -> raised = false }
        wake_listed(true);
        request()
    :: else
    fi
}

/* crew::blocked_worker, watch::begin_blocking */
inline begin_blocking() {
    d_step { awake--; grant() }
    wake_chosen();
#ifndef BLOCKED_COUNTS_AS_INSIDE
    d_step { inside--; blocked++ }
#endif
#ifndef BLOCKED_SILENTLY
    if
    :: watched
    :: else ->
        raise();
        has_work();
        if
        :: found -> request()
        :: else
        fi
    fi;
#endif
    found = false
}

inline end_blocking() {
#ifndef BLOCKED_COUNTS_AS_INSIDE
    d_step { blocked--; inside++ }
#endif
    awake++
}

/* ---- user code ---- */

byte pending[CALLERS + 1];  /* of the group that a caller waits for */
bool sleeps[CALLERS + 1];   /* its waiter's bit */

inline store() {
#ifdef SEQUENTIAL
    published[me]++
#else
    buffered[me]++
#endif
}

inline publish() {
#ifdef READ_BEFORE_PUBLISH
    found = raised;
#endif
    store();
#ifndef READ_BEFORE_PUBLISH
    found = raised;
#endif
    if
    :: found -> call()
    :: else
    fi;
    found = false
}

inline execute() {
    if
    :: begun++
#ifdef BLOCKED
    :: begun++;
        begin_blocking();
#ifndef BODIES_RETURN
        begun == ALL;
#endif
        end_blocking()
#elif !defined(BODIES_RETURN)
    :: begun++; begun == ALL
#endif
    fi;
    if
    :: from < CALLERS ->
        d_step {
            pending[from]--;
            found = pending[from] == 0 && sleeps[from]
        }
        if
        :: found -> wake_listed(c == from)
        :: else
        fi
    :: else
    fi;
    from = NOBODY;
    found = false
}

/* ---- who enqueues, and does not wait ---- */

proctype enqueuer(byte me) {
    locals;
    byte n;
    do
    :: n < PIECES -> publish(); n++
    :: else -> break
    od
}

/* ---- a caller: publishes, helps, sleeps ---- */

inline sleep_in_arena() {
    /* The bit is set while something is pending only. */
    sleeps[me] = sleeps[me] || pending[me] > 0;
#ifndef UNCOUNTED_SLEEPER
    asleep++;
#endif
#ifdef ALARM_BEFORE_LIST
    raise();
#endif
    d_step { listed[me] = true; listed_count++ }
#ifndef ALARM_BEFORE_LIST
    raise();
#endif
#ifdef NO_LOOK_BEFORE_SLEEP
    found = false;
#else
    has_work();
#endif
#ifndef NOT_ASKED_WHETHER_DONE
    found = found || pending[me] == 0;
#endif
    if
    :: found
    :: else -> woken[me]
    fi;
    if
    :: woken[me]
    :: else ->
        d_step {
            found = listed[me];
            listed_count = listed_count - found;
            listed[me] = false
        }
        if
        :: found
        :: else -> woken[me]
        fi
    fi;
    woken[me] = false;
#ifndef UNCOUNTED_SLEEPER
    asleep--
#endif
}

proctype caller(byte me) {
    locals;
    byte n;
    do
    :: n < PIECES -> pending[me]++; publish(); n++
    :: else -> n = 0; break
    od;
    do
    :: pending[me] == 0 -> break
    :: else ->
        write_out(me);  /* the fence in pop */
        take(true);
        if
        :: from != NOBODY -> execute()
        :: else -> sleep_in_arena()
        fi
    od
}

/* ---- a worker ---- */

inline try_watch() {
    if
    :: atomic { !watched -> watched = true; watches = true }
        if
        :: raised -> raised = false
        :: else
        fi
    :: else
    fi
}

inline look_again() {
    raise();
    has_work();
#ifndef STOP_WITHOUT_CALLING
    if
    :: found -> call()
    :: else
    fi
#endif
}

/* watch::stop */
inline stop_watching() {
    if
    :: watches -> atomic { watched = false; watches = false; found = false }
    :: else -> found = watched  /* who watches stops after this */
    fi;
    if
    :: found
#ifdef SLEEPERS_NOT_SEEN
    :: !found && inside >= allowed
#else
    :: !found && inside >= allowed ->
        if
        :: asleep == 0
        :: else -> look_again()
        fi
#endif
    :: !found && inside < allowed -> look_again()
    fi;
    found = false
}

/* watch::try_leave; `left` says how it ended. */
inline try_leave() {
    found = false;
#ifdef ROLE_READ_BEFORE_LEAVING
    found = !watches && watched;
#endif
    if
    :: watches -> atomic { watched = false; was_watching = true; watches = false }
    :: else -> was_watching = false
    fi;
    inside--;
#ifndef ROLE_READ_BEFORE_LEAVING
    found = !was_watching && watched;
#endif
    if
    :: found -> left = true
    :: else ->
#ifndef LEAVE_WITHOUT_RAISE
        raise();
#endif
#ifdef NO_LOOK_BEFORE_LEAVING
        found = false;
#else
        has_work();
#endif
        if
        :: !found -> left = true
        :: found && must ->
#ifndef SENT_AWAY_SILENTLY
            call();
#endif
            left = true
        :: found && !must -> inside++; try_watch()
        fi
    fi
}

/* It has looked around; takes what it has found, or stops watching first, as for what lies in streams. */
inline look_and_take() {
    if
    :: take(!has_excess); if
        :: from != NOBODY -> stop_watching(); execute()
        :: else
        fi
    :: stop_watching(); take(!has_excess); if
        :: from != NOBODY -> execute()
        :: else
        fi
    fi
}

inline serve() {
    inside++;
    look_and_take();
    do
    :: left -> left = false; break
    :: !left -> try_watch(); if
        :: watches -> look_and_take()
        :: else
        fi
    :: !left -> must = has_excess; try_leave(); forget()
    od
}

/* Its second look would hide what try_leave() misses: where there is a slot for everybody it is left out. */
inline give_slot_back() {
    slots_taken--;
#if (SLOTS < WORKERS || defined(LOOKS_TWICE)) && !defined(SLOT_BACK_SILENTLY)
    if
    :: watched
    :: else -> look_again(); found = false
    fi
#endif
}

/* What a variable holds that is not read any more makes two states of one. */
inline forget() {
    must = false;
    was_watching = false;
    found = false
}

proctype worker(byte me) {
    locals;
    bool watches, was_watching, must, left;
end:
    do
    :: atomic { wake[me] -> wake[me] = false }
next:
        /* crew::spread */
        if
        :: wanted > 0 -> d_step { grant() } wake_chosen()
        :: else
        fi;
        if
        :: atomic { slots_taken < SLOTS -> slots_taken++ }
            serve();
            give_slot_back()
        :: else
        fi;
        /* crew::next_arena */
        d_step {
            awake--;
            if
            :: wanted > 0 && awake < limit -> wanted--; awake++; found = true
            :: else -> parked[me] = true; found = false
            fi
        }
        if
        :: found -> found = false; goto next
        :: else
        fi
    od
}

/* ---- global_control ---- */

#ifdef NEW_LIMIT
proctype limiter() {
    locals;
    found = NEW_LIMIT > limit;
    limit = NEW_LIMIT;
#ifndef LIMIT_GROWS_SILENTLY
    if
    :: found -> want_and_grant()
    :: else
    fi
#endif
}
#endif

/* ---- when nobody can go on ---- */

proctype last_look() {
    timeout ->
    assert(begun == ALL);  /* nothing published stays */
    assert(listed_count == 0 && asleep == 0);  /* and nobody sleeps */
    assert(inside == 0 && awake == 0 && slots_taken == 0)
}

init {
    atomic {
        byte n;
        do
        :: n < WORKERS -> parked[n] = true; run worker(n); n++
        :: else -> n = 0; break
        od;
        do
        :: n < PUBLISHERS ->
#ifndef SEQUENTIAL
            run write_buffer(n);
#endif
            if
            :: n < CALLERS -> run caller(n)
            :: else -> run enqueuer(n)
            fi;
            n++
        :: else -> break
        od;
#ifdef NEW_LIMIT
        run limiter();
#endif
        run last_look()
    }
}
