/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/* Guests of a program of <proact/program.h>: libraries that bring a CUDA runtime of their
   own, as cuBLAS does, and queue on the first device past us. Between enter and leave of a
   call they find there all that was queued so far, and what they queue is followed by all
   that is queued later. Only GPUs have guests: an emulated machine refuses. */

#include <proact/program.h>

#ifdef __cplusplus
extern "C" {
#endif

/* The calling thread gets the first device's CUDA context and keeps it, as CUDA's own
   runtime does at a thread's first call, unless it has one: the driver's calls find it, and
   ours need not change it. Emulated devices have none. */
PROACT_API void proact_interop_attach_thread(struct proact *p);

/* What a guest queues from now on comes after all that the session has queued. Nothing
   happens where that holds already. A thread without a CUDA context gets the first
   device's, which some libraries need, and keeps it. PROACT_EREFUSED on emulated devices.
 */
PROACT_API enum proact_status proact_interop_begin(struct proact *p,
                                                   struct proact_error *err);

/* What guests may have written on the first device since they were last followed. */
struct proact_interop_writes {
    struct proact_array *const *arrays;
    size_t count;
    bool all_arrays; /* every array, and the variables of modules */
};
/* What the session queues from now on comes after all that guests have queued. */
PROACT_API enum proact_status proact_interop_end(struct proact *p,
                                                 const struct proact_interop_writes *writes,
                                                 struct proact_error *err);

/* A stream of the first device for guests, by its handle of the driver. */
PROACT_API enum proact_status proact_interop_stream_create(struct proact *p, void **out,
                                                           struct proact_error *err);
PROACT_API void proact_interop_stream_destroy(struct proact *p, void *stream);

#ifdef __cplusplus
}
#endif
