/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/* Host threads that share the devices of a window. They start when a window first turns out
   to be worth it, sleep where there is nothing to share, and end with the set. */

struct device_set;
struct team; /* with the calling thread: as many as options.threads, or devices */

struct team *team_create(struct device_set *set);
void team_destroy(struct team *t); /* NULL is fine */

/* Calls run(set, i) once for every device; whichever thread does it, all is done, and seen,
   when this is back. */
typedef void team_work(struct device_set *set, unsigned device);
void team_run(struct team *t, team_work *run);

/* The caller of team_run() is at work and may want help: called now and then by `run`. */
void team_ask(struct team *t);
