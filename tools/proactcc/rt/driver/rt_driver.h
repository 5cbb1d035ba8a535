/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/* The CUDA driver interface on top of the runtime. The program sees one device, which all
   contexts name. Memory, streams, events, functions and arrays have the same handles in
   both interfaces. */

#include "rt/abi/driver_calls.h"
#include "rt/rt.h"

/* Entry and exit of every driver call. driver_leave() converts the runtime's error to a
   driver result. DRIVER_NEVER: no requirement; DRIVER_ANY: the driver is initialized;
   DRIVER_CONTEXT: the thread has a context. */
enum driver_need { DRIVER_NEVER, DRIVER_ANY, DRIVER_CONTEXT };
enum cuda_error driver_enter(enum driver_need need);
enum cuda_error driver_leave(enum cuda_error error);
/* Entry and exit of calls that use the runtime's state. After a failed driver_begin() only
   driver_end() is allowed. */
enum cuda_error driver_begin(enum driver_need need, struct rt **out);
enum cuda_error driver_end(struct rt *rt, enum cuda_error error);

/* The thread's current context, or NULL. */
struct cuda_context *driver_current(struct rt *rt);
struct cuda_context *driver_primary(struct rt *rt);

/* cudaErrorInvalidChannelDescriptor if the format does not exist. */
enum cuda_error driver_channel(int format, unsigned channels, struct cuda_channel *out);

struct cuda_launch_config driver_config(const struct driver_launch *l);

/* A kernel of a module or of the program (rt_driver_kernel.c). An error in its PTX is
   printed and returned; the program may continue. */
enum cuda_error driver_kernel_load(struct rt *rt, struct cuda_kernel *k);
/* The same without a message; `why` is empty or states the reason. */
enum cuda_error driver_kernel_try(struct rt *rt, struct cuda_kernel *k,
                                  struct proact_error *why);
