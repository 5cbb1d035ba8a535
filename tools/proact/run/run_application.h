/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/* The interface of an application to `proact run`. An application is one file and one row
   in run_command.c. */

#include <proact/proact.h>
#include <stdio.h>

#include "base/json/json_write.h"
#include "run/run_methods.h"

/* The parsed command line. Strings are borrowed; NULL and 0 mean "not given". */
struct run_request {
    const char *input, *names, *machine, *json, *plot, *trace;
    struct run_methods methods;
    unsigned devices, threads, iterations, size;
    uint64_t chunk_bytes, seed;
    double tolerance; /* negative: never stop */
    bool check;
    bool sends_all; /* each written byte to all devices; else only what they read */
    bool chart;     /* also where stdout is no terminal */
    const char *command_line;
};

/* The result of one run. */
struct run_outcome {
    void *answer; /* compared byte by byte; the caller frees it */
    size_t answer_bytes;
    unsigned iterations;
    double residual;
    bool converged;
    uint64_t time_ns;
    struct proact_statistics statistics;
};

struct run_watcher {
    void (*progress)(void *context, unsigned iteration, double residual);
    void *context;
};

struct run_application {
    const char *name;
    bool takes_input; /* one file, the only operand */
    enum proact_status (*open)(const struct run_request *request, void **work,
                               struct proact_error *err);
    enum proact_status (*run)(void *work, struct proact *p,
                              const struct run_watcher *watcher, struct run_outcome *out,
                              struct proact_error *err);
    void (*print_input)(const void *work, FILE *to);
    void (*print_answer)(const void *work, const struct run_outcome *outcome, FILE *to);
    void (*write_input)(const void *work,
                        struct json_writer *w); /* the keys of an object */
    void (*write_answer)(const void *work, const struct run_outcome *outcome,
                         struct json_writer *w);
    void (*close)(void *work);
};

extern const struct run_application run_pagerank, run_jacobi;
