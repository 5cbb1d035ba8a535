/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/* What a whole program needs that was written for one GPU and knows nothing of replicas
   (docs/proactcc.md): it owns addresses, and launches kernels with blocks of parameters.
   Its memory is arrays of <proact/proact.h>, and the address that it knows is the one on
   the first device. What it does there alone leaves the other replicas behind, until
   proact_array_broadcast() brings them up to date. */

#include <proact/proact.h>

#ifdef __cplusplus
extern "C" {
#endif

/* An array whose first replica the host may touch, too, by its address, between a wait and
   the next thing that is queued. `is_pinned`: it stays in the host's memory; else it moves
   to who touches it. Fails with PROACT_ENOSPACE. */
PROACT_API enum proact_status proact_array_create_host_accessible(
    struct proact *p, const struct proact_shape *shape, bool is_pinned,
    struct proact_array **out, struct proact_error *err);

/* Address of the replica on that device, of a distributed array the same on all; valid
   until the array is destroyed. */
PROACT_API uint64_t proact_array_address(const struct proact_array *a, unsigned device);
/* The array with this byte on the first device, and how far in it lies; NULL: none. */
PROACT_API struct proact_array *proact_array_find(struct proact *p, uint64_t address,
                                                  uint64_t *byte);

/* Memory of the host's own, until it is unlocked, or the session is closed: copies of it go
   at the link's full speed, where those of ordinary memory do not. False where that cannot
   be: it is as good as before. Unlocking waits for all that is queued. */
PROACT_API bool proact_host_register(struct proact *p, void *memory, size_t bytes);
PROACT_API void proact_host_unregister(struct proact *p, void *memory);

/* Bytes on the first device alone, by address, queued in order with everything else; only
   read waits. Fails with PROACT_EINVAL where they do not lie in one array or variable. */
PROACT_API enum proact_status proact_device0_write(struct proact *p, uint64_t to,
                                                   const void *from, size_t bytes,
                                                   struct proact_error *err);
PROACT_API enum proact_status proact_device0_read(struct proact *p, void *into,
                                                  uint64_t from, size_t bytes,
                                                  struct proact_error *err);
PROACT_API enum proact_status proact_device0_copy(struct proact *p, uint64_t to,
                                                  uint64_t from, size_t bytes,
                                                  struct proact_error *err);
/* Stretches of equal length that lie equally far apart: lines of a pitch. */
struct proact_copy_2d {
    uint64_t to, from;           /* of the first */
    size_t row_bytes, row_count; /* of each; how many */
    size_t to_pitch, from_pitch; /* from one's first byte to the next's, `bytes` or more */
};
PROACT_API enum proact_status proact_device0_copy_2d(struct proact *p,
                                                     const struct proact_copy_2d *rows,
                                                     struct proact_error *err);
/* The same to and from the host's memory, whose end is an address of the host's. */
PROACT_API enum proact_status proact_device0_write_2d(struct proact *p,
                                                      const struct proact_copy_2d *rows,
                                                      struct proact_error *err);
PROACT_API enum proact_status proact_device0_read_2d(struct proact *p,
                                                     const struct proact_copy_2d *rows,
                                                     struct proact_error *err);
PROACT_API enum proact_status proact_device0_fill(struct proact *p, uint64_t to,
                                                  unsigned char value, size_t bytes,
                                                  struct proact_error *err);
/* Of rows that come from nowhere. */
PROACT_API enum proact_status proact_device0_fill_2d(struct proact *p,
                                                     const struct proact_copy_2d *rows,
                                                     unsigned char value,
                                                     struct proact_error *err);

/* The first device's replica to all others, queued; nothing where they have it already. */
PROACT_API enum proact_status proact_array_broadcast(struct proact_array *a,
                                                     struct proact_error *err);

/* A kernel's parameters as one block, laid out as the kernel has them (without a share),
   and the places in it where the address of an array goes: of its byte `byte`, on
   whichever device runs the kernel. The address of its end is one, and so is any up to
   PROACT_POINTER_TOLERANCE_BYTES outside of it (before it as 2^64 has that), where no other
   array lies. Farther outside it may be another's: then the kernel is not split. */
enum { PROACT_POINTER_TOLERANCE_BYTES = 256 };
struct proact_relocation {
    uint32_t offset; /* in the block */
    struct proact_array *array;
    uint64_t addend;
};
struct proact_parameter_buffer {
    const void *bytes;
    size_t size;
    const struct proact_relocation *relocations;
    size_t relocation_count;
};

/* Queues the kernel. One that is marked is launched as by proact_launch(); its places must
   then be the first bytes of parameters and of arrays (else PROACT_EREFUSED). Any other is
   split where that can be done (see proact_kernel_refusal()) and grid->device_count is not
   1; else it runs on the first device alone, may use all of its memory, and nothing is
   sent. With a device_count of 0, the second launch of a grid is timed split, the third on
   one device, and from then on the faster of the two is taken (after a second look at the
   split one, where it lost). A cooperative one, whose
   CTAs may wait for each other, runs on the first device; PROACT_EINVAL where they do not
   all fit there at once. In a recording it is what it was chosen to be, PROACT_EINVAL where
   nothing is chosen yet, or that cannot be recorded; copies and fills on the first device
   can be. Such a recording ends (PROACT_EINVAL) when variables of modules may have changed
   that its split kernels have, and when each of several replays had to bring arrays to
   devices that had them when it was made. */
PROACT_API enum proact_status proact_launch_buffer(
    struct proact_kernel *k, const struct proact_grid *grid,
    const struct proact_parameter_buffer *block, struct proact_error *err);

/* Of a session that opened with `late`: when the devices but the first were there, or why
   not, until the next call; NULL: all were, from the beginning. `failed`: they could not be
   opened. */
PROACT_API const char *proact_lazy_devices_report(struct proact *p, bool *failed);
/* How many are there by now. */
PROACT_API unsigned proact_open_device_count(const struct proact *p);

/* The dimension of its grid, 'x' or 'y', along which the last launch was split; 0: it was
   not, or along the slowest, as launches are but where they lack less otherwise. */
PROACT_API char proact_kernel_split_axis(const struct proact_kernel *k);

/* The first device that ran CTAs of the last launch. */
PROACT_API unsigned proact_last_launch_device(const struct proact *p);

struct proact_parameter {
    uint32_t offset, bytes, align; /* in the block */
};
struct proact_kernel_info {
    const char *name; /* these are borrowed from the kernel */
    const struct proact_parameter *parameters;
    unsigned parameter_count;     /* without a share */
    uint32_t parameter_bytes;     /* of a block */
    const bool *may_hold_pointer; /* by byte of it: whether the kernel may read an address
                              that begins there; what else looks like one is none */
    uint32_t static_shared_bytes; /* static, a CTA */
    uint32_t max_threads;         /* .maxntid; 0: not said */
    uint32_t cluster_ctas[3];     /* CTAs that it was built for clusters of; 0: not said */
    uint32_t max_cluster_ctas;    /* of at most so many; 0: not said */
    bool requires_cluster;        /* it is launched in clusters only */
    bool is_annotated;
};
PROACT_API struct proact_kernel_info proact_kernel_describe(const struct proact_kernel *k);

/* What its compiler gave it, for the first device; where that is emulated, as far as PTX
   tells. */
struct proact_kernel_resources {
    uint32_t registers;   /* of a thread; 0: nobody counts them there */
    uint32_t max_threads; /* of a CTA, at most */
    uint64_t local_bytes; /* of a thread */
    uint64_t const_bytes; /* its module's */
};
PROACT_API enum proact_status proact_kernel_resources_get(
    const struct proact_kernel *k, struct proact_kernel_resources *out,
    struct proact_error *err);
/* CTAs of so many threads, with so much dynamic shared memory, that an SM of the first
   device holds at once; 0: none. */
PROACT_API enum proact_status proact_kernel_occupancy(const struct proact_kernel *k,
                                                      uint32_t threads,
                                                      uint64_t shared_bytes, uint32_t *out,
                                                      struct proact_error *err);

/* A variable of a module, on every device, if one of the module's kernels is marked; else
   on the first, and the address is 0 elsewhere: split kernels see what it holds there. One
   that kernels write is an array where there are several devices, which the session owns:
   launches give it to the kernels that use it. */
struct proact_variable {
    uint64_t address[PROACT_DEVICES_MAX];
    size_t bytes;
    struct proact_array *array; /* NULL: it is none */
};
/* Fails with PROACT_EINVAL where the image has no such variable. */
PROACT_API enum proact_status proact_variable_find(struct proact *p,
                                                   const struct proact_image *image,
                                                   const char *name,
                                                   struct proact_variable *out,
                                                   struct proact_error *err);
/* Bytes from `first` on: write to every device that has it, read from the first. */
PROACT_API enum proact_status proact_variable_write(struct proact *p,
                                                    const struct proact_variable *v,
                                                    size_t first, const void *from,
                                                    size_t bytes, struct proact_error *err);
PROACT_API enum proact_status proact_variable_read(struct proact *p,
                                                   const struct proact_variable *v,
                                                   size_t first, void *into, size_t bytes,
                                                   struct proact_error *err);

/* Variables of all modules hold again what they did when these were loaded, but for those
   that held addresses. */
PROACT_API enum proact_status proact_variables_reset(struct proact *p,
                                                     struct proact_error *err);

/* From now on the program has addresses of variables: kernels may write by them, also to
   constant ones. */
PROACT_API void proact_variables_escape(struct proact *p);

/* From now on the program has the address of this one, as it is then: one that no kernel
   names becomes an array of several devices, at another address, with what it holds; of any
   other it is proact_variables_escape(). */
PROACT_API enum proact_status proact_variable_export(struct proact *p,
                                                     const struct proact_image *image,
                                                     const char *name,
                                                     struct proact_variable *v,
                                                     struct proact_error *err);

/* What threads may have: of stack each, of memory by malloc and new all together. Before a
   kernel is loaded that needs it; later it may fail with PROACT_EINVAL. An emulated
   device's stack is only for functions that call themselves, and never below 64 KiB. */
enum proact_limit { PROACT_LIMIT_STACK, PROACT_LIMIT_HEAP };
PROACT_API enum proact_status proact_limit_set(struct proact *p, enum proact_limit what,
                                               size_t bytes, struct proact_error *err);

/* Streams of the program, 1 to PROACT_STREAMS_MAX. What is queued on the first device alone
   (writes, copies, fills, reads, launches that are not split, moments) while one is used
   belongs to it, and may run beside what belongs to another. What belongs to none (0, as
   it is before one is used), and every split launch, comes after all that was queued in
   streams, and ahead of all that is later: as with CUDA's default stream. Of two streams
   the caller says what must come after what; where that is not said, they had better not
   touch the same bytes. */
enum { PROACT_STREAMS_MAX = 16 };
PROACT_API enum proact_status proact_stream_set_current(struct proact *p, unsigned number,
                                                        struct proact_error *err);

/* Waits for the stream in use; for all, as proact_wait() does, where none is or more than
   the first device is at work. */
PROACT_API enum proact_status proact_stream_wait(struct proact *p,
                                                 struct proact_error *err);

/* Of the stream in use; where none is, of everything. Does not wait. */
PROACT_API enum proact_progress proact_stream_query(struct proact *p);

/* Whether devices come to rest by themselves: not where a kernel waits for what the host
   does after this call. Waits for a while where there may be such; `again`: also if they
   did not the last time. */
PROACT_API bool proact_try_quiesce(struct proact *p, bool again);

/* A moment of the first device: when it, or the stream in use, had done what was queued
   before. The session owns it. elapsed waits, and fails with PROACT_EINVAL where one was
   never set, or has no time, which costs less. */
struct proact_event;
PROACT_API enum proact_status proact_event_create(struct proact *p, bool has_time,
                                                  struct proact_event **out,
                                                  struct proact_error *err);
PROACT_API void proact_event_destroy(struct proact_event *m); /* NULL is fine */
PROACT_API enum proact_status proact_event_record(struct proact_event *m,
                                                  struct proact_error *err);
/* The stream in use comes after it from now on; after nothing, where it was never set. */
PROACT_API enum proact_status proact_stream_wait_event(struct proact_event *m,
                                                       struct proact_error *err);
/* Waits for it; where more than the first device is at work, as proact_wait(). */
PROACT_API enum proact_status proact_event_wait(struct proact_event *m,
                                                struct proact_error *err);
/* DONE: it has passed, or was never set. Does not wait. */
PROACT_API enum proact_progress proact_event_query(const struct proact_event *m);
/* Waits for both. */
PROACT_API enum proact_status proact_event_elapsed(struct proact_event *from,
                                                   struct proact_event *to, double *ns,
                                                   struct proact_error *err);

/* Launches, copies and fills that are queued again and again, between begin and end: what
   is the same as the last times, and all the first device's, is queued as one (a graph, on
   GPUs). Everything may come between the two; what cannot be queued at once is queued as
   ever. Errors may be said as late as by end. PROACT_EINVAL within another one, or while a
   recording is made. The session owns what create gives. */
struct proact_loop;
PROACT_API enum proact_status proact_loop_create(struct proact *p, struct proact_loop **out,
                                                 struct proact_error *err);
PROACT_API enum proact_status proact_loop_begin(struct proact_loop *r,
                                                struct proact_error *err);
PROACT_API enum proact_status proact_loop_end(struct proact_loop *r,
                                              struct proact_error *err);
PROACT_API void proact_loop_destroy(struct proact_loop *r); /* NULL is fine */

/* Whether more than the first device's own order is at work in what was recorded. No
   recording begins within a repeat, or in a stream of the program's (PROACT_EINVAL). */
PROACT_API bool proact_recording_is_split(const struct proact_recording *r);

/* One device of the session's machine. */
struct proact_device_info {
    const char *machine, *name; /* borrowed from the session */
    unsigned compute_capability, sm_count, threads_per_sm, ctas_per_sm, threads_per_cta;
    uint64_t shared_bytes_per_sm, shared_bytes_per_cta, memory_bytes, l2_bytes;
    double clock_ghz, memory_gbps;
};
PROACT_API struct proact_device_info proact_device_describe(const struct proact *p);

#ifdef __cplusplus
}
#endif
