/* Several arenas and two workers (src/park/scenarios.md "Several arenas", worker/crew.cpp): no request is forgotten while something is enqueued.
 *
 * A thread outside enqueues functions into each arena and looks at nothing else. Functions wait for each other in pairs,
 * whichever arenas they are in: so both workers must be at work until the last has ended, and a worker that sleeps while
 * the other is in a function, and something is enqueued anywhere, is a state in which nothing can go on.
 * Everything is sequentially consistent: what weaker stores change is in park.pml, which has one arena.
 *
 * -D: ARENAS, 2 or 3; TASKS, enqueued in each; HIGHER: arena 1 has a higher priority; and the mutants (check.py).
 */

#ifndef ARENAS
#define ARENAS 2
#endif
#define WORKERS 2
#define NONE 255

byte queue[ARENAS];    /* enqueued, not begun */
bit alarm[ARENAS];     /* park/alarm.h */
bit watched[ARENAS];   /* park/watch.h, as is `inside` */
byte inside[ARENAS];
byte requests[ARENAS];   /* under the crew's mutex, as all that follows */
byte assigned[WORKERS];
bit parked[WORKERS];
byte begun;

#if ARENAS == 3
#define ANY_REQUEST (requests[0] + requests[1] + requests[2] > 0)
#else
#define ANY_REQUEST (requests[0] + requests[1] > 0)
#endif
#ifdef HIGHER
#define IS_REQUESTED_IN_HIGHER_PRIORITY (a != 1 && requests[1] > 0)
#else
#define IS_REQUESTED_IN_HIGHER_PRIORITY false
#endif

/* crew::next_request. Of equal arenas any: more orders than the crew's list has. */
inline next_request() {
    if
    :: requests[1] > 0 -> b = 1
#ifdef HIGHER
    :: requests[1] == 0 && requests[0] > 0 -> b = 0
#if ARENAS == 3
    :: requests[1] == 0 && requests[2] > 0 -> b = 2
#endif
#else
    :: requests[0] > 0 -> b = 0
#if ARENAS == 3
    :: requests[2] > 0 -> b = 2
#endif
#endif
    :: else -> b = NONE
    fi;
    if
    :: b != NONE -> requests[b]--
    :: else
    fi
}

/* crew::grant(1): both workers have been started. */
inline grant() {
    if
    :: ANY_REQUEST && parked[0] -> next_request(); assigned[0] = b; parked[0] = 0
    :: ANY_REQUEST && !parked[0] && parked[1] -> next_request(); assigned[1] = b; parked[1] = 0
    :: else
    fi;
    b = 0
}

/* call() and crew::request(). */
inline call(x) {
    atomic { answered = alarm[x]; alarm[x] = 0 };
    if
    :: answered ->
        seen = inside[x];
        if
        :: seen >= WORKERS  /* each looks before it leaves */
        :: else ->
            atomic {
                if
                :: requests[x] == 0 -> requests[x] = 1
                :: else
                fi;
                grant()
            }
        fi
    :: else
    fi;
    seen = 0;
    answered = 0
}

/* post_in() */
inline post(x) {
    queue[x]++;
    if
    :: alarm[x] -> call(x)
    :: else
    fi
}

proctype poster() {
    bit answered;
    byte seen, b, first = TASKS, second = TASKS;
#if ARENAS == 3
    byte third = TASKS;
#endif
    do
    :: first > 0 -> first--; post(0)
    :: second > 0 -> second--; post(1)
#if ARENAS == 3
    :: third > 0 -> third--; post(2)
    :: first + second + third == 0 -> break
#else
    :: first + second == 0 -> break
#endif
    od
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
    :: alone ->
        seen = inside[a];
        if
        :: seen >= WORKERS
        :: else ->
            seen = 0;
            alarm[a] = 1;
#ifndef STOPS_WITHOUT_A_CALL
            if
            :: queue[a] > 0 -> call(a)
            :: else
            fi
#endif
        fi
    :: else
    fi;
    seen = 0;
    alone = 0
}

/* Somebody may have been faster. */
inline run_enqueued() {
    stop_watching();
    atomic {
        if
        :: queue[a] > 0 -> queue[a]--; number = begun; begun++
        :: else -> number = NONE
        fi
    };
    if
    :: number != NONE -> (begun > (number | 1))
    :: else
    fi;
    number = 0
}

/* basic_watch::try_leave */
inline try_leave() {
    must = IS_REQUESTED_IN_HIGHER_PRIORITY;
    if
    :: watches -> watched[a] = 0; inside[a]--; alone = 1
    :: else -> inside[a]--; alone = !watched[a]
    fi;
    if
    :: !alone -> left = 1
    :: else ->
        alarm[a] = 1;
        if
        :: queue[a] == 0 -> left = 1
        :: queue[a] > 0 && must ->
#ifndef LEAVES_WITHOUT_A_CALL
            call(a);
#endif
            left = 1
        :: queue[a] > 0 && !must -> inside[a]++; watches = 0; try_watch()
        fi
    fi;
    alone = 0;
    must = 0
}

inline give_slot_back() {
    if
    :: !watched[a] ->
        alarm[a] = 1;
#ifndef LEAVES_WITHOUT_A_CALL
        if
        :: queue[a] > 0 -> call(a)
        :: else
        fi
#endif
    :: else
    fi
}

inline next_arena() {
    atomic {
#ifdef PARKS_WITHOUT_A_LOOK
        b = NONE;
#else
        next_request();
#endif
        if
        :: b != NONE -> assigned[me] = b
        :: else -> parked[me] = 1; assigned[me] = 0
        fi;
        b = 0;
        a = 0
    }
}

proctype worker(byte me) {
    byte a, b, seen, number;
    bit answered, watches, alone, left, must;
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
        :: queue[a] > 0 -> run_enqueued()
        :: true  /* it looked too early */
        fi;
        do
        :: left -> left = 0; watches = 0; break
        :: !left && queue[a] > 0 && !IS_REQUESTED_IN_HIGHER_PRIORITY -> run_enqueued()
        :: !left && !watches && !watched[a] -> try_watch()
        :: !left -> try_leave()
        od;
        give_slot_back();
        next_arena()
    od
}

init {
    atomic {
        alarm[0] = 1;
        alarm[1] = 1;
#if ARENAS == 3
        alarm[2] = 1;
#endif
        parked[0] = 1;
        parked[1] = 1;
        run worker(0);
        run worker(1);
        run poster()
    }
}
