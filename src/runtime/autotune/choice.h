/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/* Decision between a split and a single-device launch, per launch shape: the measured times
   of both modes and the current step of the probe (choose_split.h). */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "runtime/autotune/plan_record.h"
#include "runtime/session/stopwatch.h"
#include "transfer/transfer.h"

struct launching;
struct proact_kernel;

/* Steps of a probe. The first launch only prepares tables, kernel versions and replicas. */
enum { CHOICE_READY, CHOICE_TIME_SPLIT, CHOICE_TIME_WHOLE, CHOICE_MADE };

/* Labels of a launch shape in the joint step: one device, split under the faster one of the
   plans whose split was timed, and split under the other one. */
enum choice_label { CHOICE_SINGLE, CHOICE_SPLIT, CHOICE_SPLIT_OTHER };

struct choice_edge;
struct profile_key;

struct choice {
    struct choice *next;
    struct choice *next_of_all, **of_all; /* list of all decisions of the session, with the
                                             pointer to this one */
    struct proact *session;
    uint32_t grid[3], threads[3];
    unsigned step;
    uint64_t launches, looked, look_next, calm; /* launches since the first probe; number of
                                                   the last and the next probe; minimum
                                                   interval */
    uint64_t split_ns, whole_ns;
    uint64_t split_most_ns, whole_most_ns; /* the largest time of this probe */
    /* Host time per split launch: for its write set, and for queueing it. */
    uint64_t found_ns, queued_ns;
    uint64_t broadcast_ns; /* fetch before a split launch, without the part charged to other
                              kernels */
    uint64_t missing_bytes; /* missing bytes before the timed split launch, in bytes */
    /* Copies in other streams during the last launches. They precede or follow a split
       launch, and run concurrently with a single-device launch. */
    uint64_t copies_ns, longest_copy_ns;
    unsigned timed_split, timed_whole; /* timed launches of this probe */
    uint64_t former_ns; /* of a split launch under the plan before; 0: it is the same */
    struct transfer_plan timed_plan;  /* of the timed split launches */
    unsigned odd, untimed, replanned; /* replanned: changes of that plan in this probe */
    uint64_t orders;   /* axis changes of the session that this decision accounts for */
    unsigned settling; /* launches since the last of these changes */
    bool is_short;     /* see is_short in launching.h */
    /* Split under the other plan that was timed, and the part of it as of sending_share. */
    struct {
        uint64_t split_ns; /* 0: only one plan was timed */
        double sending_share;
    } other;
    enum choice_label settled; /* converged decision with the other kernels
                                  (choice_edges.h) */
    enum choice_label second;  /* the same in the other minimum of the joint step */
    enum choice_label now;     /* decision in the current window (choice_windows.h) */
    bool is_small;             /* it runs on one device without a probe (choose_split.h) */
    struct choice_edge **edges;
    size_t edge_count, edge_capacity;
    unsigned node;        /* in the joint table that is being built */
    double sending_share; /* part of a split launch in which it may send output */
    uint64_t chosen;      /* the session's launch count (proact.chosen) at the last
                             launch */
    double apart;         /* moving average of launches from one to the next */
    unsigned char *block; /* parameters of the last probe */
    /* Stored decisions (stored_choice.h). */
    struct profile_key *key;  /* NULL: no profile is in use */
    struct plan_record plans; /* of its split launches */
    bool is_stored;           /* made by a profile: never timed */
    bool is_superseded;       /* its launches have another partition axis since then */
    unsigned axis;            /* partition axis: 1 + dimension; 0: the slowest one */
    unsigned stored_axis;     /* the same, of the profile */
    uint64_t stored_launches; /* of an earlier session whose probe did not end */
    enum {
        RAN_SPLIT,
        RAN_TO_BE_TIMED,
        RAN_WHOLE,
        RAN_UNTRIED,    /* see look.h */
        RAN_UNPREPARED, /* see preparation.h */
        RAN_UNMEASURED,
        RAN_UNCOMPILED, /* its versions are being compiled */
        RAN_SMALL       /* a split cannot pay */
    } last;             /* mode of the last launch */
    char why[192];      /* written on request */
};

/* Decision for the next launch of a shape. */
struct choice *choice_next(const struct launching *l);
/* Decision for a recorded launch, which advances no step. NULL: the shape was not launched
   before. */
struct choice *choice_known(const struct launching *l);
/* Record the time of a timed launch. */
void choice_note_split(struct choice *c, struct stopwatch_time took, bool is_divided,
                       uint64_t found_ns);
void choice_note_whole(struct choice *c, struct stopwatch_time took);
/* Records the host time of a later split launch. It may include waits for the devices. */
void choice_note_queued(struct choice *c, uint64_t ns);
/* Records the host time for the write set of a launch that was split anyway. */
void choice_note_found(struct choice *c, struct proact_kernel *k);
bool choice_is_made(const struct choice *c);
bool choice_is_split(const struct choice *c);
/* Time of a launch in each mode, without joint costs. */
uint64_t choice_split_ns(const struct choice *c);
uint64_t choice_whole_ns(const struct choice *c);
uint64_t choice_other_ns(const struct choice *c); /* split under the other plan */
uint64_t choice_least_ns(const struct choice *c); /* the smaller known time; 0: none is
                                                     known */
uint64_t choice_host_ns(const struct choice *c);  /* host time of a split launch */
/* Whether the budget is used up and the kernel's last write set was not used again, like
   others before it. Without a measurement the kernel is then not analyzed further. */
bool choice_is_dear(const struct choice *c, const struct proact_kernel *k);
/* Whether the shape was never timed and the budget permits no probe, or no preparation of
   all kernels. It then runs under the mode of the other kernels, also in windows. */
bool choice_waits(const struct choice *c);
/* Whether, in addition, no launch was prepared and the other kernels run on one device. */
bool choice_is_untried(const struct choice *c);
/* Whether the slower mode is so much slower that a probe would cost more than it may
   gain. */
bool choice_is_clear(const struct choice *c);
/* Next step after a timed launch. First launches and transfers can lengthen a time, never
   shorten it, so the slower mode is timed again if the difference is small. */
unsigned choice_after(const struct choice *c);

/* Whether the kernel's last launch had a decision, and the sentence about it: the times in
   both modes, and the selected one. */
bool choice_was_made(const struct proact_kernel *k);
struct text;
void choice_describe(const struct proact_kernel *k, struct text *out);
/* Reason why the last launch was not split although it could be; NULL: it was split. */
const char *choice_refusal(const struct proact_kernel *k);
void choices_drop(struct proact_kernel *k);
