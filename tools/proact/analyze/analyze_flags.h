/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/* Flags: stores that all CTAs make alike, which need not keep a kernel from being split. */

#include "analyze/analyze_launch.h"

/* Of a kernel with reductions, whose set is without these and its flags: if nothing else in
   the launch has to do with their arrays, it is split, and they are among its flags. */
void analyze_reductions_check(struct analyze_launch *l, const struct analyze_kernel *k,
                              const struct analyze_request *q,
                              const struct write_set_launch *launch);

/* Where CTAs of two devices write the same byte: looks at the launch without its flags. If
   it can be split over all devices then, the launch's set is without them, and its flags
   are where they are set; else all stays as it is. */
void analyze_flags_try(struct analyze_launch *l, const struct analyze_kernel *k,
                       const struct analyze_request *q,
                       const struct write_set_launch *launch);
