/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/* Host threads that share the devices of a window. They start when a window first turns out
   to be worth it, sleep where there is nothing to share, and end with the set. */

struct device_set;
struct emulator_workers; /* with the calling thread: as many as options.threads, or devices
                          */

struct emulator_workers *emulator_workers_create(struct device_set *set);
void emulator_workers_destroy(struct emulator_workers *t); /* NULL is fine */

/* Calls run(set, i) once for every device; whichever thread does it, all is done, and seen,
   when this is back. */
typedef void emulator_workers_task(struct device_set *set, unsigned device);
void emulator_workers_run(struct emulator_workers *t, emulator_workers_task *run);

/* The caller of emulator_workers_run() is at work and may want help: called now and then by
 * `run`. */
void emulator_workers_request(struct emulator_workers *t);
