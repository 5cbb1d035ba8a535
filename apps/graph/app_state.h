/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/* The state of an iterative application between two iterations, for checkpoints. A run that
   starts from a saved state gives the bits of an uninterrupted run. */

#include <proact/status.h>
#include <stddef.h>
#include <stdint.h>

/* Host memory of one part. The application owns it. */
struct app_part {
    const char *name;
    void *data;
    size_t bytes;
};

/* Where states go and come from. A zeroed struct saves and loads nothing. The callbacks may
   fail; the run then ends with their status. */
struct app_checkpoint {
    unsigned every; /* iterations between two states, at least; 0: save none */
    /* Saves the state before iteration `iteration`, counted from 0. */
    enum proact_status (*save)(void *context, unsigned iteration,
                               const struct app_part *parts, size_t count,
                               struct proact_error *err);
    /* Fills all parts and *iteration. NULL: start from the beginning. */
    enum proact_status (*load)(void *context, unsigned *iteration,
                               const struct app_part *parts, size_t count,
                               struct proact_error *err);
    void *context;
};
