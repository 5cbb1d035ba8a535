/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/* Profile of a session (plan/profile.h): the stored plans that it may use, and the
   decisions that it adds. docs/tuning.md describes the files and their order. */

#include "plan/profile.h"
#include "runtime/request/launching.h"
#include "topology/topology.h"

struct proact;

/* Value of PROACT_EFFORT, which `proact tune` sets. */
enum profile_effort {
    EFFORT_ESTIMATE,  /* probes within the budget of look.h; the default */
    EFFORT_MEASURE,   /* probes without a budget */
    EFFORT_EXHAUSTIVE /* likewise, each mode of a launch at least three times */
};

struct profile_note {
    char *text;
    bool is_warning; /* reported even without PROACT_REPORT */
};

struct session_profile {
    struct profile *stored; /* of all files; NULL: no entries */
    struct profile *made;   /* decisions of this session */
    char *path;             /* file that receives them; NULL: none */
    bool has_failed;        /* it could not be written, and is not tried again */
    enum profile_effort effort;
    char version[16], machine[88], driver[32]; /* of all keys */
    uint64_t until_ns;                         /* host time at which that ends; 0: never */
    uint64_t timed;                            /* launches and replays */
    struct profile_key *used;                  /* of stored plans in use */
    size_t used_count, used_capacity;
    struct profile_note *notes;
    size_t note_count, note_capacity;
    char *report; /* of session_profile_report() */
    bool lists_shapes;
    struct profile_key *shapes; /* launched ones, if lists_shapes */
    size_t shape_count, shape_capacity;
};

/* Reads the profiles: the default paths, the file of PROACT_PROFILE, and `path` (NULL:
   none). `machine` has all devices. A malformed default file or file of PROACT_PROFILE is a
   warning, and is not used. PROACT_EINVAL: `path` does not exist or is malformed; an
   invalid PROACT_EFFORT. */
enum proact_status session_profile_open(struct proact *p, const struct topology *machine,
                                        const char *path, struct proact_error *err);
void session_profile_close(struct proact *p);

/* Whether a launch used a stored plan. */
bool session_profile_has_used(const struct proact *p);
/* Whether stored plans exist or decisions are written; otherwise keys have no use. */
bool session_profile_is_used(const struct proact *p);
/* Key of a launch, with the original kernel and grid. */
struct profile_key session_profile_key(const struct launching *l);
/* Stored plan of the key; NULL: none. The report then names the key that differs, except
   of recordings, which may have the plans of launches. */
const struct profile_entry *session_profile_find(struct proact *p,
                                                 const struct profile_key *key);
/* The same, if its plan is to be used: an effort beyond the estimate measures again what no
   user has pinned. */
const struct profile_entry *session_profile_usable(struct proact *p,
                                                   const struct profile_key *key);
/* Counts a stored plan that is in use, once. */
void session_profile_use(struct proact *p, const struct profile_key *key);
/* Adds a stored plan for this session only, before its first launch. */
void session_profile_put(struct proact *p, const struct profile_entry *entry);
/* Adds a decision, and writes all to the file. */
void session_profile_add(struct proact *p, const struct profile_entry *entry);
/* Adds a line to the report, once. */
__attribute__((format(printf, 3, 4))) void session_profile_note(struct proact *p,
                                                                bool is_warning,
                                                                const char *format, ...);
/* Records the keys of all later launches over several devices in `shapes`. */
void session_profile_list_shapes(struct proact *p);
