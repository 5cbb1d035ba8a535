/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/* Worker threads that run the devices of a window concurrently. They start with the first
   window that is worth it, sleep without work, and end with the set. */

struct device_set;
struct emulator_workers; /* including the caller: at most options.threads, and one per
                            device */

struct emulator_workers *emulator_workers_create(struct device_set *set);
void emulator_workers_destroy(struct emulator_workers *t); /* NULL is allowed */

/* Calls run(set, i) once for each device. All effects are visible on return. */
typedef void emulator_workers_task(struct device_set *set, unsigned device);
void emulator_workers_run(struct emulator_workers *t, emulator_workers_task *run);

/* Requests help for emulator_workers_run(); `run` calls it from time to time. */
void emulator_workers_request(struct emulator_workers *t);
