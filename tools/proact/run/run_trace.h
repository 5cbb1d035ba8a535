/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/* A trace for Perfetto (ui.perfetto.dev) or chrome://tracing: one process per device, with
   one row per stream and per link. It is written to a temporary file, so that a long run
   needs no memory and a failed run leaves no file. */

#include <proact/proact.h>

struct run_trace;

enum proact_status run_trace_open(const char *path, struct run_trace **out,
                                  struct proact_error *err);
void run_trace_span(void *trace,
                    const struct proact_trace_span *span); /* a proact_trace_callback */

/* Renames the file to its final name. Frees the trace in any case. */
enum proact_status run_trace_finish(struct run_trace *t, struct proact_error *err);
void run_trace_discard(struct run_trace *t); /* NULL is allowed */
