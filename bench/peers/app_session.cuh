/* SPDX-License-Identifier: Apache-2.0 */
/* The part of <proact/proact.h> that the applications use, on CUDA's runtime: the host code
   of the applications runs unchanged on another transport. A grid has `parts` parts of
   adjacent CTAs, and part p runs on GPU p. Replicas of all arrays on one GPU are the
   reference. A transport derives from `struct proact`. Failures of CUDA end the program. */
#pragma once

#include <proact/proact.h>

#include <algorithm>
#include <vector>

#include "app_kernel.h"
#include "must.cuh"

/* GPUs of this machine, and the one of part 0. With more parts than GPUs, parts share them
   (--share). */
extern unsigned app_gpu_count, app_first_gpu;

inline unsigned app_gpu(unsigned part)
{
    return (app_first_gpu + part) % app_gpu_count;
}

inline void app_use(unsigned part)
{
    MUST(cudaSetDevice((int)app_gpu(part)));
}

struct proact_array {
    proact *session;
    size_t count, element_bytes, bytes;
    std::vector<char *> base; /* by local part; equal for unified memory */
    /* Bytes that each part wrote at last, if its peers have only a halo of them; empty:
       every replica is complete. */
    std::vector<uint64_t> first;
    bool is_advised; /* unified memory */
};

struct proact_kernel {
    proact *session;
    const app_kernel *kernel;
};

/* An array after a launch: where the bytes of each part begin (proact_array.first). */
struct app_note {
    proact_array *array;
    std::vector<uint64_t> first;
};

struct proact_recording {
    proact *session;
    std::vector<cudaGraphExec_t> graph;
    std::vector<app_note> notes; /* of its launches, in their order */
};

/* A launch over all parts. */
struct app_launch {
    const app_kernel *kernel;
    const proact_arg *args;
    uint32_t ctas;
    std::vector<uint32_t> first_cta; /* by part, and the end */
    unsigned write_count;
    app_write write[APP_WRITES_MAX];

    proact_array &array(unsigned w) const
    {
        return *args[write[w].arg].array;
    }
    /* First byte that a part writes; of part `parts`: the end. */
    uint64_t first_byte(unsigned w, unsigned part) const
    {
        return std::min<uint64_t>(first_cta[part] * write[w].cta_bytes, array(w).bytes);
    }
};

struct proact {
    unsigned parts;
    std::vector<unsigned> local; /* the parts of this process */
    std::vector<cudaStream_t> stream;
    std::vector<proact_array *> arrays;
    uint64_t now_ns = 0;
    bool sends_halos = true; /* where the table has them; else everything is sent */
    bool may_record = true;  /* launches as graphs */
    bool is_recording = false;
    std::vector<app_note> notes; /* of the recorded launches */

    explicit proact(unsigned parts_, std::vector<unsigned> local_);
    virtual ~proact();

    void synchronize();
    /* Sends what a launch wrote, in stream order. */
    virtual void exchange(const app_launch &)
    {
    }
    virtual void before_launch(const app_launch &)
    {
    }
    /* Boundaries are multiples of this many CTAs, if the grid is large enough. */
    virtual uint32_t cta_step(const app_launch &)
    {
        return 1;
    }
    /* False: the message says why. */
    virtual bool make(proact_array &a, struct proact_error *err);
    virtual void drop(proact_array &a);
    virtual void write(proact_array &a, uint64_t first, const void *from, uint64_t bytes);
    virtual void read(proact_array &a, uint64_t first, void *into, uint64_t bytes);
    virtual bool records() const
    {
        return true;
    }
};
