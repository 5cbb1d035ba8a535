/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/* What the probes share. */

#include "link_probe.h"

/* One question under way; each probe uses what it needs. */
struct link_query {
    struct link_machine *m;
    const struct link_question *q;
    unsigned devices, streams;
    link_work *work;
    uint64_t bytes, count;
    bool rotated; /* one stream sends to one peer after the other */
    struct device_function *function;
    const void *parameters;
    size_t parameter_bytes;
};

/* One run of it; a context for bench_repeat(). */
double link_once(void *link_query);
struct bench_sample link_measure(struct link_query *a);
struct bench_sample link_us(struct bench_sample ns, double count); /* of one of `count` */

/* flag_probe.c */
struct bench_sample flag_ping(struct link_machine *m, const struct link_question *q);
struct bench_sample flag_waits(struct link_machine *m, const struct link_question *q);
struct bench_sample flag_landing(struct link_machine *m, const struct link_question *q);
struct bench_sample flag_events(struct link_machine *m, const struct link_question *q);
struct bench_sample flag_step(struct link_machine *m, const struct link_question *q);
struct bench_sample flag_empty(struct link_machine *m, const struct link_question *q);

/* rows_probe.c */
struct bench_sample rows_time(struct link_machine *m, const struct link_question *q);
