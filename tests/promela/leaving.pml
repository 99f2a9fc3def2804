/* Who leaves an arena, and who stays: several workers with limits, priorities and stand-ins, deciding by the code's own
 * function (src/worker/decide.h, which check.py compiles and links). src/worker/leaving.md.
 *
 * Arenas have enqueued functions, which may wait for each other in pairs, and tasks that others published. A worker looks
 * and leaves whenever it likes, so nothing that is lost is found again by a look that would have come anyway.
 * Who gives a slot back looks once more, which would hide what a worker misses that leaves: it is left out.
 * Sequentially consistent: what weaker stores change is in park.pml.
 *
 * -D: WORKERS; LIMIT, of workers, and NEW_LIMIT, set at any time; ENQUEUED and SHARED, posted into each arena; HIGHER:
 * arena 1 has a higher priority; TURNS: a worker's turn may be over when the other arena waits for one; PAIRS:
 * functions wait for each other; SLEEPER: an application thread sleeps until all shared tasks have been begun; AT_WORK:
 * one worker is in a function of arena 0 that waits for one of arena 1, and the others are there; and the mutants
 * (check.py).
 */

#define NONE 255

byte queue[2];   /* enqueued, not begun */
byte shared[2];  /* published by others, not taken */
bit alarm[2];    /* park/alarm.h */
bit watched[2];  /* park/watch.h, as is `inside` */
byte inside[2];
byte limit = LIMIT;
byte sleeping;  /* application threads */
byte requests[2]; /* under the crew's mutex, as all that follows */
byte at_work;
byte assigned[WORKERS];
bit parked[WORKERS];
byte begun;
byte taken;   /* of the shared tasks */

#define STAND_INS (limit == 0 && sleeping > 0)
#define ALLOWED (limit + STAND_INS)
#define ANY_REQUEST (requests[0] + requests[1] > 0)
#ifdef HIGHER
#define IS_REQUESTED_HIGHER(x) (x != 1 && requests[1] > 0)
#else
#define IS_REQUESTED_HIGHER(x) false
#endif
#define HAS_WORK(x) (queue[x] + shared[x] > 0)
/* crew::may_serve */
#define MAY_SERVE(x) (requests[x] > 0 && (at_work < ALLOWED || (at_work == 0 && queue[x] > 0)))

c_decl {
    extern int decide(int has_enqueued, int is_requested_elsewhere, int is_requested_higher, int is_turn_over,
                      int others, int active, int allowed);
    enum { everything, enqueued, nothing };  /* leaving::takes */
    enum { in_time, when_idle, always };     /* leaving::leaves */
}

/* ---- the crew, under its mutex ---- */

/* crew::next_request. Of equal arenas any: more orders than the crew's list has. */
inline next_request() {
    if
    :: MAY_SERVE(1) -> b = 1
#ifdef HIGHER
    :: !MAY_SERVE(1) && MAY_SERVE(0) -> b = 0
#else
    :: MAY_SERVE(0) -> b = 0
#endif
    :: else -> b = NONE
    fi;
    if
    :: b != NONE -> requests[b]--; at_work++
    :: else
    fi
}

inline give_to(w) {
    next_request();
    if
    :: b != NONE -> assigned[w] = b; parked[w] = 0
    :: else
    fi
}

/* crew::grant(1): all workers have been started. */
inline grant() {
    if
    :: parked[0] -> give_to(0)
    :: !parked[0] && parked[1] -> give_to(1)
#if WORKERS == 3
    :: !parked[0] && !parked[1] && parked[2] -> give_to(2)
#endif
    :: else
    fi;
    b = 0
}

inline want(x) {
    if
    :: requests[x] == 0 -> requests[x] = 1
    :: else
    fi
}

/* crew::request */
inline request(x) {
    seen = inside[x];
    if
    :: ALLOWED != 0 && seen >= ALLOWED  /* each looks before it leaves */
    :: else -> atomic { want(x); grant() }
    fi;
    seen = 0
}

inline call(x) {
    atomic { answered = alarm[x]; alarm[x] = 0 };
    if
    :: answered -> request(x)
    :: else
    fi;
    answered = 0
}

/* ---- threads of the application ---- */

/* call_for_enqueued(): where the limit allows no worker a quiet alarm says nothing. */
inline post_enqueued(x) {
    if
    :: ALLOWED == 0 -> alarm[x] = 0; request(x)
    :: alarm[x] && ALLOWED != 0 -> call(x)
    :: else
    fi
}

proctype poster() {
    bit answered;
    byte seen, b;
    byte to_queue[2], to_share[2];
    to_queue[0] = ENQUEUED;
    to_queue[1] = ENQUEUED;
    to_share[0] = SHARED;
    do
    :: to_queue[0] > 0 -> to_queue[0]--; queue[0]++; post_enqueued(0)
    :: to_queue[1] > 0 -> to_queue[1]--; queue[1]++; post_enqueued(1)
    :: to_share[0] > 0 -> to_share[0]--; shared[0]++; if
        :: alarm[0] -> call(0)
        :: else
        fi
    :: to_queue[0] + to_queue[1] + to_share[0] == 0 -> break
    od
}

#ifdef SLEEPER
/* A caller in another arena, or without work of its own: crew::stand_in. */
proctype sleeper() {
    byte b;
    do
    :: taken == SHARED -> break
    :: taken < SHARED ->
        sleeping++;
#ifndef SLEEPS_AND_ASKS_FOR_NOBODY
        atomic {
            if
            :: limit == 0 -> grant()
            :: else
            fi
        };
#endif
        (taken == SHARED);
        sleeping--
    od
}
#endif

#ifdef NEW_LIMIT
proctype limiter() {
    byte b;
    bit more;
    atomic {
        more = NEW_LIMIT > limit;
        limit = NEW_LIMIT;
        if
#ifndef LIMIT_GROWS_AND_NOBODY_IS_CALLED
        :: more || (limit == 0 && sleeping > 0) -> want(0); want(1); grant()
#endif
        :: else
        fi;
        more = 0
    }
}
#endif

/* ---- workers ---- */

/* leaving::read: one thing after another. Then decide(). Three workers, for fewer states, read all at once. */
#if WORKERS == 3
#define READ atomic
#else
#define READ
#endif
inline decide(counted) {
    READ {
        d.allowed = ALLOWED;
        d.requests = ANY_REQUEST;
        d.higher = IS_REQUESTED_HIGHER(a);
#ifdef TURNS
        if
        :: requests[1 - a] > 0 -> over = 1
        :: true
        fi;
#endif
        d.others = inside[a] - counted;
        d.enqueued = queue[a] > 0;
        atomic {
        c_code {
            Pworker->decision =
                decide(Pworker->d.enqueued, Pworker->d.requests, Pworker->d.higher, Pworker->over,
                       Pworker->d.others, now.at_work, Pworker->d.allowed);
        };
        saw_higher = d.higher;
        was_alone = d.others == 0;
        d.allowed = 0;
        d.requests = 0;
        d.higher = 0;
        d.others = 0;
        d.enqueued = 0
        }
    }
}

inline try_watch() {
    atomic {
        if
        :: !watched[a] -> watched[a] = 1; watches = 1
        :: else
        fi
    };
    if
    :: watches && alarm[a] -> alarm[a] = 0
    :: else
    fi
}

/* basic_watch::stop */
inline stop_watching() {
    if
    :: watches -> watched[a] = 0; watches = 0; alone = 1
    :: else -> alone = !watched[a]
    fi;
    if
    :: alone -> seen = inside[a];
        if
        :: seen >= ALLOWED
        :: else ->
            seen = 0;
            alarm[a] = 1;
            if
            :: HAS_WORK(a) -> call(a)
            :: else
            fi
        fi
    :: else
    fi;
    seen = 0;
    alone = 0
}

/* Where nothing changes the limit: what a worker takes, but for `also`, is within it, and no higher priority waits that
 * the worker has seen. */
#if defined(NEW_LIMIT) || defined(SLEEPER)
#define keeps_limit(also) skip
#else
#define keeps_limit(also) assert(also || (at_work <= ALLOWED && !saw_higher))
#endif

/* Somebody may have been faster. */
inline take_enqueued() {
    atomic {
        if
        :: queue[a] > 0 -> queue[a]--; number = begun; begun++; keeps_limit(at_work == 1 || was_alone)
        :: else -> number = NONE
        fi
    };
    wait_for_partner();
}

inline wait_for_partner() {
#ifdef PAIRS
    if
    :: number != NONE -> (begun > (number | 1))
    :: else
    fi;
#endif
    number = 0
}

inline take_shared() {
    atomic {
        if
        :: shared[a] > 0 -> shared[a]--; number = 1; keeps_limit(false)
        :: else
        fi
    };
    if
    :: number == 1 -> stop_watching(); taken++
    :: else
    fi;
    number = 0
}

/* basic_watch::try_leave. To leave as idle.cpp does: for no reason, or for one that holds whatever is published. */
inline try_leave() {
    if
    :: watches -> watched[a] = 0; inside[a]--; alone = 1
    :: else -> inside[a]--; alone = !watched[a]
    fi;
    if
    :: !alone -> left = 1
    :: else ->
        alarm[a] = 1;
        if
        :: !HAS_WORK(a) -> left = 1
        :: else ->
#ifndef DECIDES_BEFORE_IT_IS_COUNTED_OFF
            decide(0);
#endif
            if
            :: c_expr { Pworker->decision % 4 == always } ->
#ifndef GOES_WITHOUT_A_CALL
                call(a);
#endif
                left = 1
            :: else -> inside[a]++; watches = 0; try_watch()
            fi
        fi
    fi;
    alone = 0
}

inline next_arena() {
    atomic {
        at_work--;
        next_request();
        if
        :: b != NONE -> assigned[me] = b
        :: else -> parked[me] = 1; assigned[me] = 0
        fi;
        b = 0;
        a = 0
    }
}

typedef read_values {
    bit requests, higher, enqueued;
    byte others, allowed;
}

proctype worker(byte me) {
    byte a, b, seen, number, decision;
    bit answered, watches, alone, left, saw_higher, was_alone, over;
    read_values d;
#ifdef AT_WORK
    a = me > 0;
    if
    :: me == 0 -> wait_for_partner(); goto idle
    :: else -> goto idle
    fi;
#endif
    do
    :: true ->
end:    (!parked[me]);
        a = assigned[me];
        if
        :: ANY_REQUEST -> atomic { grant() }  /* spread() */
        :: else
        fi;
        inside[a]++;
        if
        :: queue[a] > 0 -> stop_watching(); take_enqueued()
        :: true  /* it looked too early */
        fi;
idle:   do
        :: left -> left = 0; over = 0; watches = 0; decision = 0; saw_higher = 0; was_alone = 0; break
        :: else ->
            decide(1);
            if
            :: c_expr { Pworker->decision / 4 != nothing } && queue[a] > 0 ->
                stop_watching();
                decide(1);
                if
                :: c_expr { Pworker->decision / 4 != nothing } -> take_enqueued()
                :: else
                fi
            :: c_expr { Pworker->decision / 4 != nothing } && (watches || !watched[a]) ->
                try_watch();
                if
                :: watches && c_expr { Pworker->decision / 4 == everything } -> take_shared()
                :: else
                fi
            :: true -> try_leave()
            fi
        od;
        next_arena()
    od
}

/* ---- when nobody can go on ---- */

proctype last_look() {
    timeout ->
    assert(queue[0] + queue[1] + shared[0] + shared[1] == 0);
    assert(inside[0] + inside[1] + at_work == 0)
}

init {
    atomic {
        byte n;
        alarm[0] = 1;
        alarm[1] = 1;
        do
        :: n < WORKERS ->
#ifdef AT_WORK
            inside[n > 0]++;
            at_work++;
#else
            parked[n] = 1;
#endif
            run worker(n);
            n++
        :: else -> n = 0; break
        od;
#ifdef AT_WORK
        queue[1] = 1;
        shared[1] = 1;
        begun = 1;
#endif
        run poster();
#ifdef SLEEPER
        run sleeper();
#endif
#ifdef NEW_LIMIT
        run limiter();
#endif
        run last_look()
    }
}
