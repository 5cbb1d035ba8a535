/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/* What `proact bench` runs, on emulated machines and on GPUs alike. A bench adds rows to a
   report; one that cannot go on says why and ends the program: nothing is half written. */

#include <proact/proact.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct bench_request {
    const char *machine;   /* as in proact_options */
    unsigned devices;      /* the first ones of it; 0: all */
    const char *against;   /* a file of measurements to ask for and to show; or NULL */
    const char *pattern;   /* of micro, only this; NULL: all */
    const char *method;    /* of link, micro and step, only these, with commas between;
                              NULL: all */
    double ratio;          /* of micro, one of bench_ratios; 0: all */
    unsigned threads;      /* of micro's agent; 0: as fill the way out, and some others */
    unsigned launches;     /* of link and micro, in a row before the host waits; 0: 1, or of
                              link, on hardware, 16 */
    uint64_t chunk_bytes;  /* of micro; 0: all */
    uint64_t bytes;        /* of the array of link and micro; 0, of link alone: as many as
                              are quick to send */
    bool sleeps;           /* micro's kernel sleeps instead of computing */
    bool peers;            /* other libraries too, where their programs were built */
    unsigned host_threads; /* that emulate; 0: as many as cores */
};

enum { BENCH_METHOD_BYTES = 32 }; /* of a method's name, or a pair of them, with its NUL */

/* Of repeated runs: all that is told of them. */
struct bench_sample {
    double median, lowest, highest;
    unsigned runs;
};

struct bench_row {
    char what[96]; /* "" where the columns below say it */
    char unit[8];  /* "x": a speedup */
    struct bench_sample value;
    double measured; /* on hardware, before; 0: not */
    /* What it is more than, of which the share it adds is compared, too; 0: nothing. */
    double base, base_measured;
    char excluded[160]; /* why the model does not cover it, or "" */
    char pattern[16], method[BENCH_METHOD_BYTES]; /* micro's columns from here on; or "" */
    char note[24]; /* what else tells it from another row; or "" */
    double ratio, took_ns, ideal;
    uint64_t chunk_bytes, threads;
};

struct measured;

struct bench_report {
    const char *bench;             /* its name; borrowed */
    const struct measured *before; /* looked up by `what` for each row; NULL: none */
    char machine[64], device[64];
    char source[256], source_machine[64]; /* of `before` */
    unsigned devices;
    bool is_virtual;
    struct bench_row *rows;
    size_t count, capacity;
    /* Of the rows that were measured before: all, those that were asked again, and one that
       was not, or "". */
    size_t rows_before, rows_compared;
    char left_over[160];
};

/* Prints a row, once it has its value, below the columns' names. */
void bench_add(struct bench_report *r, const struct bench_row *row);
/* The largest difference from what was measured, of the rows that the model covers. */
double bench_worst(const struct bench_report *r);
/* The largest difference of what rows add to their base, in percentage points of that. */
double bench_worst_points(const struct bench_report *r);
struct json_writer;
/* The day, and of which version and commit this is: what each file of results says. */
void bench_write_build(struct json_writer *w);
enum proact_status bench_write(const struct bench_report *r, const char *path,
                               const char *command_line, struct proact_error *err);
void bench_clear(struct bench_report *r);

#define BENCH_RAW "raw" /* of link's methods: the bench's own copies and stores */
/* Goodput of copies and stores (PROACT, Figure 2), and of an array sent by each method. */
void bench_link(const struct bench_request *q, struct bench_report *r);
enum { BENCH_RATIOS = 4 };
extern const double bench_ratios[BENCH_RATIOS]; /* compute / copy */
/* What --peers adds to micro's methods, NULL-terminated. */
const char *const *bench_peers(void);
/* PROACT V-A and Figure 6: speedup over bulk. */
void bench_micro(const struct bench_request *q, struct bench_report *r);
/* Flags, and copies behind flags. */
void bench_latency(const struct bench_request *q, struct bench_report *r);
/* An iteration in which nothing is computed, over all devices. */
void bench_step(const struct bench_request *q, struct bench_report *r);
/* What counting costs a kernel. */
void bench_tracking(const struct bench_request *q, struct bench_report *r);
