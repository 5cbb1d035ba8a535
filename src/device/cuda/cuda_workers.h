/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/* Worker threads that queue work on several devices concurrently. A launch takes the driver
   3 to 4 us, so with one thread the last of four devices starts 10 us late. A helper
   without work for some time sleeps. Waking it takes longer than its part of the work, so
   the caller then does that part itself and wakes the helper for the next time. */

struct workers;
typedef void workers_task(void *context, unsigned part);

/* Creates `helpers` threads in addition to the caller, or as many as the system allows. */
struct workers *workers_create(unsigned helpers);
void workers_destroy(struct workers *c); /* NULL is allowed */

/* Calls run(context, part) for each part < count, at most 32; returns when all are done.
   Helper n does part n. The caller does part 0 and the parts after the last helper. */
void workers_run(struct workers *c, unsigned count, workers_task *run, void *context);
