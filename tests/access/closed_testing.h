/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/* Comparison of the write set that closed forms give for a launch with the one that the
   slice gives. */

#include "write_set_testing.h"

struct launched {
    uint32_t ctas, threads, n, lines, planes;
};

/* Numbers of launches: with closed forms, left to the slice, and failed. */
struct tally {
    unsigned closed, sliced, failed;
};

static inline void compare(const struct cut *c, struct launched at, const char *text,
                           struct tally *tally)
{
    static const struct write_set_array array = {"out", 0, 1 << 20};
    static const struct write_set_pointer pointer = {0, 0, 0};
    struct block b = {.n = at.n};
    struct write_set_launch l = {.grid = {at.ctas, at.lines, at.planes},
                                 .block = {at.threads},
                                 .parameters = &b,
                                 .parameter_bytes = 20,
                                 .arrays = &array,
                                 .array_count = 1,
                                 .pointers = &pointer,
                                 .pointer_count = 1,
                                 .limit = 20000};
    struct write_set *forms = NULL, *slice = NULL;
    struct proact_error err = {""};
    enum proact_status status = write_set_run(c->slice, &l, &forms, &err);

    l.is_sliced = true;
    if (write_set_run(c->slice, &l, &slice, &err) != status)
        fail_msg("n %u, %u x %u x %u CTAs of %u: %s\n%s", at.n, at.ctas, at.lines,
                 at.planes, at.threads, err.text, text);
    if (forms && forms->digest != slice->digest)
        fail_msg("n %u, %u x %u x %u CTAs of %u: forms say other bytes\n%s", at.n, at.ctas,
                 at.lines, at.planes, at.threads, text);
    tally->closed += forms && !forms->ctas_run;
    tally->sliced += forms && forms->ctas_run;
    tally->failed += !forms;
    write_set_destroy(forms);
    write_set_destroy(slice);
}
