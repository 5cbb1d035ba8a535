/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/* Definitions shared by the device (repeat.cu) and the host. */

enum {
    REPEAT_BATCH = 8,    /* iterations that the device adds up together */
    REPEAT_HISTORY = 64, /* most iterations between two queries of the host */
    /* Above so many CTAs the pairs are added in two levels: each CTA would otherwise read
       more than 32 KB of pairs. */
    REPEAT_DIRECT_MAX = 2048,
    REPEAT_GROUPS_MAX = 1024,
};

struct repeat_state {
    double change;                  /* of the last iteration before the stop */
    unsigned long long iterations;  /* before the stop */
    double changes[REPEAT_HISTORY]; /* of iteration i, from 0, at [i % REPEAT_HISTORY] */
};
