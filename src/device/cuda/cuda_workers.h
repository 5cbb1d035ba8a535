/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/* Threads of the host, so that what is queued on several devices is queued on all at once:
   a launch takes the driver 3 to 4 us, and the last of four begins 10 us late by one
   thread. A helper that had nothing to do for a while sleeps; what it takes to wake it is
   longer than what it helps with, so the caller does its part then, and wakes it for the
   next time. */

struct workers;
typedef void workers_task(void *context, unsigned part);

/* `helpers` beside the caller, or as many as there can be threads. */
struct workers *workers_create(unsigned helpers);
void workers_destroy(struct workers *c); /* NULL is fine */

/* run(context, part) for each part < count, at most 32; back when all are done. Part n is
   helper n's, those past the last helper are the caller's, as is part 0. */
void workers_run(struct workers *c, unsigned count, workers_task *run, void *context);
