/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/* Applies each shape's writes to the arrays' reference. */

#include "stress/stress.h"

void stress_truth_line(const struct stress_shape *s, const struct stress_work *w,
                       const struct stress_array *from, struct stress_array *const to[2]);
void stress_truth_comb(const struct stress_shape *s, const struct stress_work *w,
                       const struct stress_array *from, struct stress_array *const to[2]);
void stress_truth_tile(const struct stress_shape *s, const struct stress_work *w,
                       const struct stress_array *from, struct stress_array *const to[2]);
void stress_truth_ranges(const struct stress_shape *s, const struct stress_work *w,
                         const struct stress_array *from, struct stress_array *const to[2]);
void stress_truth_pair(const struct stress_shape *s, const struct stress_work *w,
                       const struct stress_array *from, struct stress_array *const to[2]);
