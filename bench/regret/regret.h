/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/* Times of one case of bench/regret.sh under several plans: an application of `proact run`,
   or the microbenchmark. A case is one file and one row of a table in regret_runs.c. */

#include <proact/proact.h>
#include <stdbool.h>

enum {
    REGRET_PLANS = 64,
    REGRET_RUNS = 128, /* of a plan */
    REGRET_NAME_BYTES = 32,
    REGRET_TEXT_BYTES = 512
};

struct regret_plan {
    char name[REGRET_NAME_BYTES];   /* as given: METHOD, or METHOD:CHUNK */
    char method[REGRET_NAME_BYTES]; /* "auto": that of the planner */
    uint64_t chunk_bytes;           /* 0: the default */
    char text[REGRET_TEXT_BYTES];   /* of auto: what was selected */
    bool is_refused;                /* the machine does not support it */
    unsigned count;
    double ns[REGRET_RUNS];
};

struct regret_case {
    const char *first_word; /* NULL: all others */
    /* Reads the words and prepares the input. Returns an exit status. */
    int (*open)(int argc, char **argv, void **context, bool *is_emulated);
    /* The next run of the plan: its time and text. Run n of an emulated application has
       seed n. PROACT_EREFUSED: the machine does not support the plan. */
    enum proact_status (*run)(void *context, struct regret_plan *plan,
                              struct proact_error *err);
    void (*close)(void *context);
    bool has_seeds; /* emulated runs differ by the seed */
};

extern const struct regret_case regret_application, regret_micro;
