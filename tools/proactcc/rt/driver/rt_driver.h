/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/* The driver's interface over our runtime: the program sees one device, all contexts lead
   to that one, memory, streams, events, functions and arrays are what the runtime's calls
   know by the same handles. */

#include "rt/abi/driver_calls.h"
#include "rt/rt.h"

/* Every call begins with the one and ends with the other, which makes a result of the
   driver's of the runtime's error. NEVER: it needs nothing; ANY: the driver was started;
   CONTEXT: the thread has one. */
enum driver_need { DRIVER_NEVER, DRIVER_ANY, DRIVER_CONTEXT };
enum cuda_error driver_enter(enum driver_need need);
enum cuda_error driver_leave(enum cuda_error error);
/* For calls that look into the runtime: where enter fails, leave is all that is left. */
enum cuda_error driver_begin(enum driver_need need, struct rt **out);
enum cuda_error driver_end(struct rt *rt, enum cuda_error error);

/* The thread's context, or NULL. */
struct cuda_context *driver_current(struct rt *rt);
struct cuda_context *driver_primary(struct rt *rt);

/* cudaErrorInvalidChannelDescriptor where there are no such texels. */
enum cuda_error driver_channel(int format, unsigned channels, struct cuda_channel *out);

struct cuda_launch_config driver_config(const struct driver_launch *l);

/* A kernel of a module's, or of the program's (rt_driver_kernel.c). What its text is wrong
   with is said, and returned: the program may go on without. */
enum cuda_error driver_kernel_load(struct rt *rt, struct cuda_kernel *k);
/* The same, but it says nothing: `why` is empty, or a sentence. */
enum cuda_error driver_kernel_try(struct rt *rt, struct cuda_kernel *k,
                                  struct proact_error *why);
