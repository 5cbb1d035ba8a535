/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/* Checkpoint files of `proact run`: the key of a computation, the iteration, and the state.
   A file is complete or absent. */

#include "graph/app_state.h"
#include "run/run_application.h"

struct run_checkpoint;

/* Reads the checkpoint that --resume names. PROACT_EINVAL with both values if it belongs to
   another input, options or version, or if it is damaged. *out is destroyed by the caller
   also after a failure. Ctrl-C then ends the program with the name of the last
   checkpoint. */
enum proact_status run_checkpoint_open(const struct run_application *application,
                                       const void *work, const struct run_request *request,
                                       struct run_checkpoint **out,
                                       struct proact_error *err);
/* The callbacks for the application; valid until run_checkpoint_close(). */
struct app_checkpoint run_checkpoint_callbacks(struct run_checkpoint *c);
void run_checkpoint_close(struct run_checkpoint *c); /* NULL is allowed */
