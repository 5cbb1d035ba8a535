/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/* One run of an application by one method: its answer, one line of times, and the files
   that the request names. */

#include "run/run_application.h"
#include "topology/topology.h"

/* Without a named method the run uses fused, or bulk if no device has peer access.
 *differs: the answer is not that of the reference program. */
enum proact_status run_single(const struct run_application *application, void *work,
                              const struct run_request *request,
                              const struct topology *topology, bool *differs,
                              struct proact_error *err);
