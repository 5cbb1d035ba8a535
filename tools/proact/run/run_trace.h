/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/* A trace for Perfetto (ui.perfetto.dev) or chrome://tracing: a process for each device, in
   it a row for each stream and each link. Streamed to a file aside, so that a long run
   takes no memory and a failed one leaves nothing. */

#include <proact/proact.h>

struct run_trace;

enum proact_status run_trace_open(const char *path, struct run_trace **out,
                                  struct proact_error *err);
void run_trace_span(void *trace,
                    const struct proact_trace_span *span); /* a proact_trace_callback */

/* Names the file what it was asked to be; frees the trace in any case. */
enum proact_status run_trace_finish(struct run_trace *t, struct proact_error *err);
void run_trace_discard(struct run_trace *t); /* NULL is fine */
