/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/* Common parts of the probes. */

#include "link_probe.h"

/* One running question; each probe uses a subset. */
struct link_query {
    struct link_machine *m;
    const struct link_question *q;
    unsigned devices, streams;
    link_work *work;
    uint64_t bytes, count;
    bool rotated; /* one stream sends to the peers in rotation */
    struct device_function *function;
    const void *parameters;
    size_t parameter_bytes;
};

/* One run; a bench_once(). */
double link_once(void *link_query);
struct bench_sample link_measure(struct link_query *a);
struct bench_sample link_us(struct bench_sample ns, double count); /* per one of `count` */

/* flag_probe.c */
struct bench_sample flag_ping(struct link_machine *m, const struct link_question *q);
struct bench_sample flag_waits(struct link_machine *m, const struct link_question *q);
struct bench_sample flag_landing(struct link_machine *m, const struct link_question *q);
struct bench_sample flag_events(struct link_machine *m, const struct link_question *q);
struct bench_sample flag_step(struct link_machine *m, const struct link_question *q);
struct bench_sample flag_empty(struct link_machine *m, const struct link_question *q);

/* rows_probe.c */
struct bench_sample rows_time(struct link_machine *m, const struct link_question *q);
