/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/* What is known of a shape of launches that could be split: how long it took each way, and
   which step of a look comes next (choose_split.h). */

#include "runtime/choice/stopwatch.h"
#include "runtime/launch/launching.h"

/* The steps of a look: the first launch makes tables, clones and replicas ready. */
enum { CHOICE_READY, CHOICE_TIME_SPLIT, CHOICE_TIME_WHOLE, CHOICE_MADE };

struct coupling;

struct choice {
    struct choice *next;
    struct choice *next_of_all, **of_all; /* of the session; what points to this one */
    struct proact *session;
    uint32_t grid[3], threads[3];
    unsigned step;
    uint64_t launches, looked, look_next, calm; /* since the shape's first look */
    uint64_t split_ns, whole_ns;
    /* Of the host, for each split launch: to find what it writes, and to queue it. */
    uint64_t found_ns, queued_ns;
    uint64_t broadcast_ns; /* before a split launch; without what others are charged with */
    uint64_t missing_bytes; /* bytes, before the timed split launch */
    /* Of the last launch: copies of other streams, which a split one has before and behind
       it, and a whole one beside it. */
    uint64_t copies_ns, longest_copy_ns;
    unsigned timed_split, timed_whole; /* launches of this look */
    unsigned odd, untimed;
    uint64_t orders;   /* of the session, that it knows of; */
    unsigned settling; /* launches since it had others */
    bool is_short;     /* launching.h */
    bool settled;      /* split, once it is made, among the others (coupling.h), */
    bool splits;       /* and as these are tried (trial.h) */
    struct coupling **couplings;
    size_t coupling_count, coupling_capacity;
    uint64_t chosen;      /* which of the session's launches (proact.chosen) was the last */
    double apart;         /* of these, from one to the next: a mean of some */
    unsigned char *block; /* parameters of the last look */
    enum {
        RAN_SPLIT,
        RAN_TO_BE_TIMED,
        RAN_WHOLE,
        RAN_UNTRIED, /* look.h */
        RAN_UNMEASURED
    } last;        /* how the last launch ran */
    char why[192]; /* written when it is asked for */
};

/* For one more launch. */
struct choice *choice_next(const struct launching *l);
/* For one that is recorded, which is no step; NULL: none was launched before. */
struct choice *choice_known(const struct launching *l);
/* What a launch took that was timed. */
void choice_note_split(struct choice *c, struct stopwatch_time took, bool is_divided,
                       uint64_t found_ns);
void choice_note_whole(struct choice *c, struct stopwatch_time took);
/* What queueing a later one took; it may have waited for the devices. */
void choice_note_queued(struct choice *c, uint64_t ns);
/* What finding what this launch writes took, which was chosen split all the same. */
void choice_note_found(struct choice *c, struct proact_kernel *k);
bool choice_is_made(const struct choice *c);
bool choice_is_split(const struct choice *c);
/* Its own time, each way, by what was timed so far. */
uint64_t choice_split_ns(const struct choice *c);
uint64_t choice_whole_ns(const struct choice *c);
uint64_t choice_least_ns(const struct choice *c); /* of what is known; 0: nothing is */
uint64_t choice_host_ns(const struct choice *c);  /* of a split one */
/* The kernel has taken much of the host, to find what launches write of which none came
   again: where it is not known whether that pays, it is not looked for. */
bool choice_kernel_is_dear(const struct proact_kernel *k);
bool choice_is_dear(const struct choice *c, const struct proact_kernel *k);
/* The slower way is so much slower that a look would cost more than it may bring. */
bool choice_is_clear(const struct choice *c);
/* The next step, when one more launch was timed. A kernel's first launch, or what is
   moved once, makes a time long, never short: what loses by less than that may be is
   timed twice. */
unsigned choice_after(const struct choice *c);

/* Why the last launch was not split, for all that it could be; NULL: it was. */
const char *choice_refusal(const struct proact_kernel *k);
void choices_drop(struct proact_kernel *k);
