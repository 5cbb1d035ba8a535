/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/* Definitions shared by the device (repeat.cu) and the host. */

enum { REPEAT_BATCH = 8 }; /* iterations that one query adds up */

struct repeat_state {
    double change;                 /* of the last iteration before the stop */
    unsigned long long iterations; /* before the stop */
    double batch[REPEAT_BATCH];    /* the change of each iteration of the last batch; after
                                      the stop unchanged */
};
