/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/* The benches of `proact bench`, on emulated machines and on GPUs. A bench adds rows to a
   report. A failure prints its reason and ends the program without a report file. */

#include <proact/proact.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct bench_request {
    const char *machine;   /* as in proact_options */
    unsigned devices;      /* of its first devices; 0: all */
    const char *against;   /* a file of measurements to compare with; or NULL */
    const char *pattern;   /* micro: only this pattern; NULL: all */
    const char *method;    /* link, micro and step: comma-separated list; NULL: all */
    double ratio;          /* micro: one of bench_ratios; 0: all */
    unsigned threads;      /* of micro's agent; 0: enough to fill the links, and two other
                              counts */
    const char *agent;     /* of micro's polling, as in proact_plan; NULL: its default */
    unsigned launches;     /* link and micro: launches before the host waits; 0: 1, for link
                              on hardware 16 */
    uint64_t chunk_bytes;  /* micro; 0: all */
    uint64_t bytes;        /* size of the array of link and micro; 0: link's default */
    unsigned store_bytes;  /* micro: of a store of a thread, 4, 8 or 16; 0: 16 */
    unsigned run_bytes;    /* micro: consecutive bytes that threads store at once; 0: 512 */
    bool sleeps;           /* micro's kernel sleeps instead of computing */
    bool peers;            /* include other libraries whose programs are built */
    unsigned host_threads; /* of the emulator; 0: one per core */
};

enum { BENCH_METHOD_BYTES = 32 }; /* a method's name or a pair of names, with the NUL */

/* Result of repeated runs. */
struct bench_sample {
    double median, lowest, highest;
    unsigned runs;
};

struct bench_row {
    char what[96]; /* "" if the columns below name the row */
    char unit[8];  /* "x": a speedup */
    struct bench_sample value;
    double measured; /* earlier, on hardware; 0: not measured */
    /* A base value; the added fraction is compared, too. 0: no base. */
    double base, base_measured;
    char excluded[160]; /* why the model does not cover it, or "" */
    char pattern[16], method[BENCH_METHOD_BYTES]; /* micro's columns start here; or "" */
    char plan[64];                                /* of auto, or "" */
    char note[24]; /* distinguishes rows with equal columns; or "" */
    double ratio, took_ns, uncopied_ns, skipped_ns, ideal; /* the last three of bulk */
    uint64_t chunk_bytes, threads;
};

struct measured;

struct bench_report {
    const char *bench;             /* its name; borrowed */
    const struct measured *before; /* searched by `what` for each row; NULL: none */
    char machine[64], device[64];
    char source[256], source_machine[64]; /* of `before` */
    unsigned devices;
    bool is_virtual;
    struct bench_row *rows;
    size_t count, capacity;
    /* Rows of `before`: all, those measured again, and the name of one that was not, or
       "". */
    size_t rows_before, rows_compared;
    char left_over[160];
};

/* Prints a row with its value under the column names. */
void bench_add(struct bench_report *r, const struct bench_row *row);
/* The largest deviation from the measurements, over the rows that the model covers. */
double bench_worst(const struct bench_report *r);
/* The largest deviation of the fraction added to a base, in percentage points. */
double bench_worst_points(const struct bench_report *r);
struct json_writer;
/* Date, version and commit, which every results file states. */
void bench_write_build(struct json_writer *w);
enum proact_status bench_write(const struct bench_report *r, const char *path,
                               const char *command_line, struct proact_error *err);
void bench_clear(struct bench_report *r);

#define BENCH_AUTO "auto" /* among micro's methods: the plan of the planner */
#define BENCH_RAW "raw"   /* among link's methods: the bench's own copies and stores */
/* Goodput of copies and stores (PROACT Figure 2), and of an array sent by each method. */
void bench_link(const struct bench_request *q, struct bench_report *r);
enum { BENCH_RATIOS = 4 };
extern const double bench_ratios[BENCH_RATIOS]; /* compute / copy */
extern const char *const bench_patterns[];      /* of producers; NULL-terminated */
/* The methods that --peers adds to micro; NULL-terminated. */
const char *const *bench_peers(void);
/* Speedup over bulk (PROACT V-A, Figure 6). */
void bench_micro(const struct bench_request *q, struct bench_report *r);
/* Flags, and copies that are followed by flags. */
void bench_latency(const struct bench_request *q, struct bench_report *r);
/* An iteration without computation, over all devices. */
void bench_step(const struct bench_request *q, struct bench_report *r);
/* The cost of counting for a kernel. */
void bench_tracking(const struct bench_request *q, struct bench_report *r);
