/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/* What the device's side of the loop (repeat.cu) and the host's agree on. */

enum { REPEAT_BATCH = 8 }; /* iterations that one look adds up */

struct repeat_state {
    double change;                 /* of the last iteration that did something */
    unsigned long long iterations; /* that did something */
};
