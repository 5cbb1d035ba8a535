/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/* Functions for the samples_*.c files that fill cases. Arrays and parameters are added in
   the order of the kernel's parameters; an array's number is its position. */

#include "samples/samples.h"

float *samples_floats(struct samples_case *c, const char *name, size_t count);
int32_t *samples_ints(struct samples_case *c, const char *name, size_t count);
unsigned char *samples_octets(struct samples_case *c, const char *name, size_t count);
void *samples_array_add(struct samples_case *c, const char *name,
                        enum samples_element element, size_t count);

/* Makes the last added array an output. Returns its expected content, which starts as a
   copy of its content. */
void *samples_output(struct samples_case *c, double tolerance);
void samples_map(struct samples_case *c, struct proact_map map);
struct proact_map samples_contiguous(uint64_t run_bytes);

void samples_pass_array(struct samples_case *c, int array);
void samples_pass_all(struct samples_case *c); /* every array, in order */
void samples_pass_int(struct samples_case *c, int value);
void samples_pass_float(struct samples_case *c, float value);
void samples_pass_u64(struct samples_case *c, uint64_t value);
/* A struct: an address, then these ints. */
void samples_pass_struct(struct samples_case *c, int array, const int *ints, size_t count);
/* Any value, which the caller fills, and then the offsets of addresses in it. align 0 as
   above. */
void *samples_pass_bytes(struct samples_case *c, size_t bytes, size_t align);
void samples_point(struct samples_case *c, int array, size_t offset);

void samples_grid(struct samples_case *c, int ctas_x, int ctas_y, int threads_x,
                  int threads_y);

static inline int samples_parts(int whole, int part)
{
    return (whole + part - 1) / part;
}

/* The cases by file. */
void fill_vecadd(struct samples_case *c, bool large);
void fill_vecadd64(struct samples_case *c, bool large);
void fill_vecadd4(struct samples_case *c, bool large);
void fill_saxpy_gs(struct samples_case *c, bool large);
void fill_coarsen(struct samples_case *c, bool large);
void fill_hist(struct samples_case *c, bool large);
void fill_hist_part(struct samples_case *c, bool large);
void fill_reduce(struct samples_case *c, bool large);
void fill_reduce_smem(struct samples_case *c, bool large);

void fill_jacobi(struct samples_case *c, bool large);
void fill_jacobi_clamp(struct samples_case *c, bool large);
void fill_nd_jacobi(struct samples_case *c, bool large);
void fill_stencil3d(struct samples_case *c, bool large);
void fill_nd_stencil3d(struct samples_case *c, bool large);
void fill_flat2d(struct samples_case *c, bool large);
void fill_transpose(struct samples_case *c, bool large);
void fill_nd2_transpose(struct samples_case *c, bool large);
void fill_nd2_blockcyclic(struct samples_case *c, bool large);
void fill_nd2_cyclic_row(struct samples_case *c, bool large);

void fill_sgemm(struct samples_case *c, bool large);
void fill_sgemm_amge(struct samples_case *c, bool large);
void fill_nd_sgemm(struct samples_case *c, bool large);
void fill_sgemv(struct samples_case *c, bool large);

void fill_pr_pull(struct samples_case *c, bool large);
void fill_pr_push(struct samples_case *c, bool large);
void fill_relax_csr(struct samples_case *c, bool large);
void fill_relax_edges(struct samples_case *c, bool large);
