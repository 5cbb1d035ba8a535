/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/* Steps that the run and its reference share. */

#include "sssp/sssp.h"

/* The options with defaults. PROACT_EINVAL: the source is no vertex. */
enum proact_status sssp_defaults(const struct graph *g, const struct sssp_options *given,
                                 struct sssp_options *out, struct proact_error *err);

/* The distance through an edge, as the kernels compute it. */
int32_t sssp_through_int32(int32_t distance, int32_t weight);
float sssp_through_f32(float distance, float weight);

/* Whether a distance is less than another; unreachable is the greatest. */
bool sssp_less_int32(int32_t a, int32_t b);

bool sssp_has_negative_weight(const struct graph *g);

/* PROACT_EINVAL if the distances of a round show a negative cycle; the message names its
   first vertex. Only rounds after a negative cycle was passed show it. */
enum proact_status sssp_refuse_cycle(const struct graph *g, enum sssp_type type,
                                     union sssp_distances distance,
                                     struct proact_error *err);

/* PROACT_EINVAL if these final distances are no answer: the last of n rounds changed some,
   or one reached the lowest int32. */
enum proact_status sssp_refuse_unfinished(const struct graph *g,
                                          const struct sssp_result *r,
                                          struct proact_error *err);
