/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/* Interoperation with external libraries (MAPS 4.6), for programs of <proact/program.h>: a
   library with a CUDA runtime of its own, such as cuBLAS, queues work on device 0 directly.
   Between begin and end its work is ordered after all work that the session has queued, and
   before all work that the session queues later. The host does not wait in any of these
   calls. Only GPUs support them. PROACT_EREFUSED: the machine is emulated. PROACT_EINVAL: a
   recording is in progress. */

#include <proact/program.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Makes the CUDA context of device 0 current in the calling thread, and leaves it current,
   as CUDA's runtime does at the first call of a thread. A thread with a context keeps its
   own. No effect on emulated machines. */
PROACT_API void proact_interop_attach_thread(struct proact *p);

/* Orders later work of libraries after all work of the session, and fetches what device 0
   is missing. No effect if nothing was queued since the previous call. A thread without a
   CUDA context receives that of device 0, which some libraries require. */
PROACT_API enum proact_status proact_interop_begin(struct proact *p,
                                                   struct proact_error *err);

/* Arrays that libraries may have written on device 0 since the previous
   proact_interop_end(); borrowed. */
struct proact_interop_writes {
    struct proact_array *const *arrays;
    size_t count;
    bool all_arrays; /* all arrays, textures with surfaces and variables of modules */
};
/* Orders later work of the session after all work that libraries have queued. The replicas
   of the written arrays are then current on device 0 only. */
PROACT_API enum proact_status proact_interop_end(struct proact *p,
                                                 const struct proact_interop_writes *writes,
                                                 struct proact_error *err);

/* Creates a stream of device 0 for libraries and returns its driver handle (CUstream). The
   caller owns it: destroy it before proact_close(). */
PROACT_API enum proact_status proact_interop_stream_create(struct proact *p, void **out,
                                                           struct proact_error *err);
PROACT_API void proact_interop_stream_destroy(struct proact *p, void *stream);

#ifdef __cplusplus
}
#endif
