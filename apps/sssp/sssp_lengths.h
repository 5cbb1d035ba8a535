/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/* Definitions shared by the kernels and the host: distances as the kernels store them.

   An int32 distance d is stored as the key d + 2^31 - 1, an unsigned number in the same
   order. The greatest key means unreachable, and the one below it is 2^31 - 1. */

enum { SSSP_CTA_VERTICES = 256, SSSP_WORD_VERTICES = 32 };

#define SSSP_FAR_KEY 0xffffffffu      /* unreachable */
#define SSSP_LAST_KEY 0xfffffffeu     /* 2^31 - 1 */
#define SSSP_ZERO_KEY 0x7fffffffu     /* 0 */
#define SSSP_F32_LAST 3.402823466e38f /* largest finite f32 */

/* The vertices of a launch. Each CTA has cta_size consecutive ones. */
struct sssp_shape {
    unsigned vertex_count, cta_size, cta_count;
    unsigned window;    /* largest difference of the vertices of an edge */
    unsigned sum_count; /* pairs that each CTA adds */
    double tolerance;   /* a round that changes fewer vertices is the last one */
};
