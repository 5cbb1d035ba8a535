/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/* An application with its input, for the programs of this folder. Options have the names of
   `proact run`. */

#include <proact/proact.h>

#include "als/als.h"
#include "als/ratings_read.h"
#include "band/band.h"
#include "ct/ct.h"
#include "jacobi/jacobi.h"
#include "pagerank/pagerank.h"
#include "sssp/sssp.h"

enum app_name { APP_PAGERANK, APP_SSSP, APP_JACOBI, APP_BAND, APP_ALS, APP_CT, APPS };

struct app_job {
    enum app_name app;
    const char *name, *file; /* file: NULL for generated inputs */
    unsigned devices, runs;  /* devices: 0, all */
    bool shares;             /* more devices than GPUs: parts of a grid share a GPU */
    bool no_graph;           /* single launches, where they could be recorded */
    double one_device_ns;    /* twins: of an iteration; 0: not given */
    struct graph graph;      /* pagerank, sssp */
    struct band_system band;
    struct rating_set ratings;
    struct ct_scan scan;
    struct pagerank_options pagerank;
    struct sssp_options sssp;
    struct jacobi_options jacobi;
    struct band_options band_options;
    struct als_options als;
    struct ct_options ct;
};

struct app_answer {
    void *bytes; /* owned */
    size_t size;
    unsigned iterations;
    uint64_t time_ns;
};

/* Parses the command line and reads or generates the input; ends the program with a
   sentence if something is wrong. */
void app_job_open(int argc, char **argv, struct app_job *out);
void app_job_close(struct app_job *job);
enum proact_status app_job_run(const struct app_job *job, struct proact *p,
                               struct app_answer *out, struct proact_error *err);
