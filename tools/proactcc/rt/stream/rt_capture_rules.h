/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/* Rules for calls while streams are under capture, as CUDA 13.0 has them on a GPU. A call
   that breaks one gets an error and invalidates the captures concerned; their end is then
   an error too. */

#include "rt/rt.h"

struct cuda_graph;

/* The capture under way with that number, or NULL. */
struct cuda_graph *rt_capture_find(const struct rt *rt, uint64_t id);

/* Work in a stream. cudaErrorStreamCaptureImplicit: the stream is the legacy stream, and a
   stream that waits for it is under capture. cudaErrorStreamCaptureInvalidated: the
   stream's own capture is invalid. */
enum cuda_error rt_capture_check_work(struct rt *rt, const struct cuda_stream *s);
/* A query of the capture of a stream: the first of these errors, without an effect. */
enum cuda_error rt_capture_check_query(const struct rt *rt, const struct cuda_stream *s);
/* A call whose effect is not limited to a stream, such as an allocation.
   cudaErrorStreamCaptureUnsupported: a capture and the mode of the thread forbid it. */
enum cuda_error rt_capture_check_unsafe(struct rt *rt);
/* A wait for a stream or a query of its progress, and a wait for all work. */
enum cuda_error rt_capture_check_wait(struct rt *rt, const struct cuda_stream *s);
enum cuda_error rt_capture_check_device(struct rt *rt);
/* A wait for or a query of an event whose last record was in the capture; 0: in none.
   cudaErrorCapturedEvent: the capture is under way; cudaErrorInvalidValue: it has ended. */
enum cuda_error rt_capture_check_event(struct rt *rt, uint64_t capture);
