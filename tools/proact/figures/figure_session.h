/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/* The state of one `proact bench figures`: its options, and the studies that several
   figures share. */

#include "run/run_study.h"

struct figure_session {
    const char *machine; /* only this one; NULL: those of each figure */
    const char *folder;  /* of the files */
    const char *only;    /* the application; NULL: all */
    unsigned devices;    /* of Figure 10; 0: several counts */
    bool quick;          /* small inputs and few plans */
    bool replay;         /* times by recorded costs, without comparing answers */
    unsigned sample;     /* the same, with one of `sample` CTAs executed; 0: all */
    bool differs;        /* an answer differs from that of one device */
    unsigned study_count;
    size_t study_capacity;
    struct figure_study **study;
};

/* A study of an application on a machine. Its answer is freed. */
struct figure_study {
    char machine[64];
    const char *application;
    unsigned devices; /* the first ones of the machine */
    struct run_study result;
};

/* The machines of a figure: those of the NULL-terminated list, or the session's. NULL after
   the last. */
const char *figure_machine(const struct figure_session *s, const char *const *machines,
                           unsigned index);
/* The three 4-device machines of the paper. */
extern const char *const figure_machines[];

/* The applications that have an input (figure_inputs.c), or the session's. NULL after the
   last. */
const char *figure_application(const struct figure_session *s, unsigned index);

/* Runs the study, or finds an earlier one; borrowed from the session. `devices`: 0 means
   all. Fails if an answer differs from that of one device. */
enum proact_status figure_study_get(struct figure_session *s, const char *machine,
                                    unsigned devices, unsigned application,
                                    const struct figure_study **out,
                                    struct proact_error *err);
void figure_session_clear(struct figure_session *s);

/* The fastest plan of a kind; NULL: the machine supports none. */
enum figure_kind {
    FIGURE_BULK_SERIAL,
    FIGURE_BULK,
    FIGURE_UNIFIED, /* by the best hint */
    FIGURE_INLINE,
    FIGURE_DECOUPLED, /* polling, dynamic and fused, by the swept chunks and threads */
    FIGURE_KINDS
};
extern const char *const figure_kinds[FIGURE_KINDS];
const struct run_row *figure_fastest(const struct run_study *study, enum figure_kind kind);
/* The faster of inline and decoupled (PROACT, Table II). */
const struct run_row *figure_best(const struct run_study *study);
/* "I", or "D 16kB 256 CDP" as in Table II. */
void figure_plan_name(const struct run_row *row, char *into, size_t size);

/* Plans of a study: all, those of --quick, or those of Figure 10, which has no unified
   memory. */
enum figure_sweep { FIGURE_SWEEP_ALL, FIGURE_SWEEP_QUICK, FIGURE_SWEEP_SCALING };
/* Adds the plans to the request. */
void figure_plans_add(enum figure_sweep which, struct run_methods *methods);

/* Words of the command line of `proact run`; `file` is the generated input. */
struct figure_input {
    const char *application;
    const char *make[2], *run[2]; /* the paper's size, and quick; make: NULL, no file */
    const char *suffix;           /* of the file */
};
const struct figure_input *figure_input_find(const char *application);
