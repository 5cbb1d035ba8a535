/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/* The progress of a study: runs, and the iterations of each. */

#include "progress_bar.h"

struct run_progress {
    struct progress_bar bar;
    unsigned runs, done;          /* in all, and finished */
    unsigned iterations_expected; /* of a run; 0: not known yet */
    const char *label;            /* of the run that is under way */
};

void run_progress_init(struct run_progress *p, unsigned runs);
void run_progress_next(struct run_progress *p, const char *label);    /* a run begins */
void run_progress_done(struct run_progress *p, unsigned iterations);  /* and ends */
void run_progress_step(void *p, unsigned iteration, double residual); /* run_watcher */
void run_progress_clear(struct run_progress *p);                      /* wipes the line */
