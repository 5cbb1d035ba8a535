/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/* Definitions shared by the kernels and the host. */

/* The vertices of a launch. Each CTA has cta_size consecutive ones. */
struct pagerank_size {
    unsigned vertex_count, cta_size;
    unsigned sum_count; /* pairs that each CTA adds */
    double damping, tolerance;
};

/* Boundaries of a CTA's vertices, which are sorted by descending in-degree. The CTA sums
   for each vertex before `warps`, a warp for each one before `threads`, and a thread for
   each of the others. */
struct pagerank_cta {
    unsigned warps, threads;
};
