/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/* Directed graphs with the degree distribution of Wikipedia's links. The generator is R-MAT
   with a = .57, b = .10, c = .22, d = .11 and sources as rows: fitted to wikipedia-20070206
   of the SuiteSparse collection, it meets the standard deviations and the maxima of both
   degrees within a factor of two. */

#include <proact/status.h>
#include <stddef.h>
#include <stdint.h>

struct wiki_options {
    uint64_t vertices; /* 2 to UINT32_MAX */
    uint64_t edges;    /* 1 to UINT32_MAX */
    uint64_t seed;
    void (*progress)(void *context, double part); /* NULL is allowed */
    void *context;
};

/* The edges in ascending order, source << 32 | target, from 0: exactly options->edges,
   without loops and duplicates. free(*out). Fails if the graph is too dense for the
   generator, and if there is too little memory. */
enum proact_status wiki_graph_create(const struct wiki_options *options, uint64_t **out,
                                     struct proact_error *err);
