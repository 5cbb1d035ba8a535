/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/* What the CTAs of a launch write: of boxes of them by closed forms, of the others by
   running the slice. A loop that threads leave at different times has a form wherever those
   of a box leave it at the same. */

#include "access/access.h"
#include "access/write_set/write_set_execute.h"

struct boxes_result {
    const char *why; /* some were run: a phrase about the store at */
    uint32_t line;   /* ... of the kernel; 0: all of them */
    uint32_t ran;    /* CTAs */
    uint64_t places; /* where closed forms were looked at */
    uint64_t lanes;  /* thread instructions */
    uint64_t work;   /* the same, and what noting and sorting took */
};

/* `launch` looks at all CTAs. `into` knows its arrays, and gets what is written of them;
   `run` says how to run the slice, but not for which CTAs, nor why. */
enum proact_status boxes_find(const struct access_launch *launch,
                              const struct execution *run, struct record *into,
                              struct boxes_result *out, struct proact_error *err);
