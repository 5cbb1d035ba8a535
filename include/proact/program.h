/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/* Interface for whole programs that were written for one GPU and own addresses
   (docs/proactcc.md). The memory of the program is arrays of <proact/proact.h>; an address
   is that of the replica on device 0. An operation on device 0 makes the other replicas
   outdated; proact_array_broadcast() or a split launch that reads them updates them. */

#include <proact/proact.h>

#ifdef __cplusplus
extern "C" {
#endif

/* ---- Memory and addresses ---- */

/* Array whose replica on device 0 the host may also access by its address, after a wait and
   before the next operation is queued. A pinned one stays in host memory; any other
   (managed memory) migrates to the processor that accesses it. PROACT_ENOSPACE and
   PROACT_EINVAL as from proact_array_create(). */
PROACT_API enum proact_status proact_array_create_host_accessible(
    struct proact *p, const struct proact_shape *shape, bool is_pinned,
    struct proact_array **out, struct proact_error *err);

/* Address of the replica on a device, valid until the array is destroyed. A distributed
   array has one address on all devices. 0: no such device. */
PROACT_API uint64_t proact_array_address(const struct proact_array *a, unsigned device);
/* Array that contains `address` on device 0, and the offset of the address in it; borrowed.
   NULL: no array contains it. */
PROACT_API struct proact_array *proact_array_find(struct proact *p, uint64_t address,
                                                  uint64_t *offset_bytes);

/* Page-locks memory of the caller, until proact_host_unregister() or proact_close(): copies
   then use the full bandwidth of the link. False: the memory could not be locked, and
   remains usable as before. */
PROACT_API bool proact_host_register(struct proact *p, void *memory, size_t bytes);
/* Waits for all queued work, then unlocks the memory. */
PROACT_API void proact_host_unregister(struct proact *p, void *memory);

/* ---- Copies and fills on device 0 ---- */

/* Operations on `bytes` bytes of device 0, by address, in the order of all other operations
   (see Streams). Reads wait; the others queue, and a write has copied `from` when it
   returns. PROACT_EINVAL: the range exceeds the array in which it begins, it lies in no
   array or variable, or a recording is in progress. Copies and fills of arrays can be
   recorded. */
PROACT_API enum proact_status proact_device0_write(struct proact *p, uint64_t to,
                                                   const void *from, size_t bytes,
                                                   struct proact_error *err);
PROACT_API enum proact_status proact_device0_read(struct proact *p, void *into,
                                                  uint64_t from, size_t bytes,
                                                  struct proact_error *err);
PROACT_API enum proact_status proact_device0_copy(struct proact *p, uint64_t to,
                                                  uint64_t from, size_t bytes,
                                                  struct proact_error *err);
/* Two-dimensional copy: rows of equal length at a constant distance. */
struct proact_copy_2d {
    uint64_t to, from;           /* addresses of the first row */
    size_t row_bytes, row_count; /* length of a row, number of rows */
    size_t to_pitch, from_pitch; /* bytes from row to row, at least row_bytes */
};
/* The same operations on rows. The host end of a write (`from`) or a read (`to`) is a host
   address. PROACT_EINVAL also if a pitch is less than row_bytes. */
PROACT_API enum proact_status proact_device0_copy_2d(struct proact *p,
                                                     const struct proact_copy_2d *copy,
                                                     struct proact_error *err);
PROACT_API enum proact_status proact_device0_write_2d(struct proact *p,
                                                      const struct proact_copy_2d *copy,
                                                      struct proact_error *err);
PROACT_API enum proact_status proact_device0_read_2d(struct proact *p,
                                                     const struct proact_copy_2d *copy,
                                                     struct proact_error *err);
/* Sets each byte to `value`. */
PROACT_API enum proact_status proact_device0_fill(struct proact *p, uint64_t to,
                                                  unsigned char value, size_t bytes,
                                                  struct proact_error *err);
/* The same for rows. `from` is not used, but from_pitch is checked. */
PROACT_API enum proact_status proact_device0_fill_2d(struct proact *p,
                                                     const struct proact_copy_2d *rows,
                                                     unsigned char value,
                                                     struct proact_error *err);

/* Makes all replicas current: queues copies of what they are missing. PROACT_EINVAL: a
   recording is in progress. PROACT_ENODEV: lazy devices could not be opened. */
PROACT_API enum proact_status proact_array_broadcast(struct proact_array *a,
                                                     struct proact_error *err);

/* ---- Launches with a parameter buffer ---- */

/* Relocation: at `offset` of a parameter buffer the runtime writes the address of byte
   `addend` of the array's replica on the executing device. The addend may be the size of
   the array. It may also be up to PROACT_POINTER_TOLERANCE_BYTES outside (2^64 - n: n bytes
   before the array), if no other array is there. A launch that accesses memory through an
   address farther outside is not split, because it may access another array. */
enum { PROACT_POINTER_TOLERANCE_BYTES = 256 };
struct proact_relocation {
    uint32_t offset; /* in the parameter buffer; 8 bytes */
    struct proact_array *array;
    uint64_t addend;
};
/* Parameters of a kernel in its own layout, without a partition parameter. */
struct proact_parameter_buffer {
    const void *bytes;
    size_t size;
    const struct proact_relocation *relocations;
    size_t relocation_count;
};

/* Queues a kernel; borrows all arguments for the call. A plain kernel executes in one of
   two modes. It is split over the devices if this is possible (proact_kernel_refusal()) and
   device_count is not 1. Otherwise it executes on device 0, may access all memory there,
   and sends nothing. With a device_count of 0 proact selects the faster mode: the second
   launch of a grid is timed split and the third on device 0, and timing is repeated now and
   then within a budget. A cooperative launch and one with clusters execute on device 0. An
   annotated kernel is launched as by proact_launch().

   PROACT_EINVAL: as from proact_launch(); the buffer has another size than the parameters;
   a relocation is outside of it or has no array of the session; the grid exceeds CUDA's
   limits; a cooperative launch does not fit at once. PROACT_EREFUSED: a relocation of an
   annotated kernel is not the start of a parameter and of an array.

   In a recording the launch uses the mode selected before. PROACT_EINVAL there: no mode is
   selected yet, plans are measured (proact_record_is_early()), it is cooperative, or it may
   use memory that is not among its arguments. A replay of such a recording returns
   PROACT_EINVAL, and it has to be recorded again, if it contains split launches and module
   variables may have changed, if the plan of a launch has changed, or if each of the last
   four replays had to fetch arrays first. */
PROACT_API enum proact_status proact_launch_buffer(
    struct proact_kernel *k, const struct proact_grid *grid,
    const struct proact_parameter_buffer *buffer, struct proact_error *err);

/* Report on lazy device opening in one sentence: when the remaining devices were opened, or
   why not. Borrowed until the next call. NULL: the session opened all devices at once.
   `failed` is set to whether the devices could not be opened. */
PROACT_API const char *proact_lazy_devices_report(struct proact *p, bool *failed);
/* Report on stored plans (docs/tuning.md): line 0, 1, ... in one sentence each, borrowed
   until the next call. NULL: there are no more lines. `is_warning` is set to whether a file
   could not be used. */
PROACT_API const char *proact_profile_report(struct proact *p, unsigned line,
                                             bool *is_warning);
/* Writes the decisions of the session to the file of PROACT_PROFILE now. proact_close()
   does it as well, but cannot report a failure. Without effect after a failure, which is a
   warning of the report. */
PROACT_API void proact_profile_save(struct proact *p);
/* Number of devices that are open now. */
PROACT_API unsigned proact_open_device_count(const struct proact *p);

/* Partition axis of the last launch: 'x' or 'y'. 0: the launch was not split, or along the
   slowest dimension, which is the default (AMGE 4.2.1). */
PROACT_API char proact_kernel_split_axis(const struct proact_kernel *k);

/* First device that executed CTAs of the last launch. */
PROACT_API unsigned proact_last_launch_device(const struct proact *p);

/* ---- Properties of kernels ---- */

/* Position of a parameter in the parameter buffer. */
struct proact_parameter {
    uint32_t offset, bytes, align;
};
/* Description of a kernel from its PTX. The pointers are valid as long as the kernel. */
struct proact_kernel_info {
    const char *name;
    const struct proact_parameter *parameters;
    unsigned parameter_count;     /* without a partition parameter */
    uint32_t parameter_bytes;     /* of the parameter buffer */
    const bool *may_hold_pointer; /* per byte of the buffer: whether the kernel may read an
                                     address that begins there; other bytes are values,
                                     even if they look like an address */
    uint32_t static_shared_bytes; /* static shared memory of a CTA */
    uint32_t max_threads;         /* .maxntid; 0: absent */
    uint32_t cluster_ctas[3];     /* CTAs of a required cluster size; 0: absent */
    uint32_t max_cluster_ctas;    /* .maxclusterrank; 0: absent */
    bool requires_cluster;        /* the kernel must be launched with clusters */
    bool is_annotated;
};
PROACT_API struct proact_kernel_info proact_kernel_describe(const struct proact_kernel *k);

/* Resources that the compiler assigned on device 0; on an emulated machine, those that PTX
   states. */
struct proact_kernel_resources {
    uint32_t registers;   /* per thread; 0: unknown */
    uint32_t max_threads; /* per CTA */
    uint64_t local_bytes; /* local memory per thread */
    uint64_t const_bytes; /* constant memory of the module */
};
PROACT_API enum proact_status proact_kernel_resources_get(
    const struct proact_kernel *k, struct proact_kernel_resources *out,
    struct proact_error *err);
/* Number of CTAs, of `threads` threads and `shared_bytes` bytes of dynamic shared memory,
   that are resident on an SM of device 0 at once. 0: none fits. */
PROACT_API enum proact_status proact_kernel_occupancy(const struct proact_kernel *k,
                                                      uint32_t threads,
                                                      uint64_t shared_bytes, uint32_t *out,
                                                      struct proact_error *err);

/* ---- Variables of modules ---- */

/* Variable of a module. It exists on every device if the module has an annotated kernel,
   otherwise on device 0, and split kernels observe its value there. A variable that kernels
   write is an array if there are several devices; launches pass it to the kernels that use
   it, and the session owns it. */
struct proact_variable {
    uint64_t address[PROACT_DEVICES_MAX]; /* 0: not on this device */
    size_t bytes;
    struct proact_array *array; /* NULL: the variable is no array */
};
/* Finds the variable `name` of a module, which is loaded if it is new. PROACT_EINVAL: the
   module has no such variable. */
PROACT_API enum proact_status proact_variable_find(struct proact *p,
                                                   const struct proact_image *image,
                                                   const char *name,
                                                   struct proact_variable *out,
                                                   struct proact_error *err);
/* Finds the variable that contains the address on device 0, if some kernel of a loaded
   module may have given its address to the program. In that case acts as
   proact_variables_escape(). False: no such variable. */
PROACT_API bool proact_variable_at(struct proact *p, uint64_t address,
                                   struct proact_variable *out);
/* Queues a write of bytes from offset `first` to every device that has the variable. A read
   waits, and reads from device 0. PROACT_EINVAL: the range exceeds the variable; a read,
   or a write of an array, while a recording is in progress. */
PROACT_API enum proact_status proact_variable_write(struct proact *p,
                                                    const struct proact_variable *v,
                                                    size_t first, const void *from,
                                                    size_t bytes, struct proact_error *err);
PROACT_API enum proact_status proact_variable_read(struct proact *p,
                                                   const struct proact_variable *v,
                                                   size_t first, void *into, size_t bytes,
                                                   struct proact_error *err);

/* Restores the initial values of all variables that kernels or the host may change, except
   of those with addresses in their initializer. */
PROACT_API enum proact_status proact_variables_reset(struct proact *p,
                                                     struct proact_error *err);

/* States that from now on the program has addresses of variables. Kernels may write through
   them, also to constant variables. */
PROACT_API void proact_variables_escape(struct proact *p);

/* States that from now on the program has the address of this variable, and updates `v`. If
   no kernel names the variable and there are several devices, it becomes an array at
   another address with the same content. Any other variable acts as
   proact_variables_escape(). */
PROACT_API enum proact_status proact_variable_export(struct proact *p,
                                                     const struct proact_image *image,
                                                     const char *name,
                                                     struct proact_variable *v,
                                                     struct proact_error *err);

/* Memory limits of kernels: stack bytes per thread, and bytes of all malloc() and new
   together. Emulated devices use the stack only for recursion, with at least 64 KiB. */
enum proact_limit { PROACT_LIMIT_STACK, PROACT_LIMIT_HEAP };
/* Waits, then sets a limit on all devices. Call it before a kernel that needs the limit is
   loaded. PROACT_EINVAL: the limit is unknown, a recording is in progress, or the devices
   can no longer change it. */
PROACT_API enum proact_status proact_limit_set(struct proact *p, enum proact_limit what,
                                               size_t bytes, struct proact_error *err);

/* ---- Streams ---- */

/* Streams of the program, numbered 1 to PROACT_STREAMS_MAX; 0 means none. Operations on
   device 0 (writes, copies, fills, reads, events, launches that are not split) are queued
   in the current stream and may overlap with those of other streams. Everything else, and
   everything without a current stream, is ordered after all work queued before and ahead
   of all later work, as in CUDA's default stream. The program orders its streams by events;
   unordered operations must not access the same bytes. PROACT_EINVAL: no such stream, or a
   recording is in progress. */
enum { PROACT_STREAMS_MAX = 16 };
PROACT_API enum proact_status proact_stream_set_current(struct proact *p, unsigned number,
                                                        struct proact_error *err);

/* Waits for the current stream. It waits for everything, as proact_wait(), without a
   current stream or while other devices have work. */
PROACT_API enum proact_status proact_stream_wait(struct proact *p,
                                                 struct proact_error *err);

/* Progress of the current stream; without one, of everything. Does not wait. */
PROACT_API enum proact_progress proact_stream_query(struct proact *p);

/* Whether the devices become idle without further actions of the host. False: a kernel may
   be waiting for the host. Where a queued kernel may do so, the call waits for up to 100
   ms; after a negative result it waits only with `again`. */
PROACT_API bool proact_try_quiesce(struct proact *p, bool again);

/* ---- Events ---- */

/* Event: a point in the work of device 0. The session owns it. Events without timing cost
   less. */
struct proact_event;
PROACT_API enum proact_status proact_event_create(struct proact *p, bool enable_timing,
                                                  struct proact_event **out,
                                                  struct proact_error *err);
/* Waits if the event was recorded, then frees it. NULL is allowed. */
PROACT_API void proact_event_destroy(struct proact_event *e);
/* Sets the event to the end of the work queued so far in the current stream; without one,
   on device 0. PROACT_EINVAL: a recording is in progress. */
PROACT_API enum proact_status proact_event_record(struct proact_event *e,
                                                  struct proact_error *err);
/* Orders later work of the current stream after the event. An event that was never recorded
   has no effect. PROACT_EINVAL: a recording is in progress. */
PROACT_API enum proact_status proact_stream_wait_event(struct proact_event *e,
                                                       struct proact_error *err);
/* Waits for the event; for everything, as proact_wait(), while other devices have work. */
PROACT_API enum proact_status proact_event_wait(struct proact_event *e,
                                                struct proact_error *err);
/* Progress up to the event; DONE if it was never recorded. Does not wait. */
PROACT_API enum proact_progress proact_event_query(const struct proact_event *e);
/* Waits for both events, and returns the time between them. PROACT_EINVAL: an event was
   never recorded or has no timing. */
PROACT_API enum proact_status proact_event_elapsed(struct proact_event *from,
                                                   struct proact_event *to, double *ns,
                                                   struct proact_error *err);

/* ---- Loops ---- */

/* Loop: a sequence of operations that repeats between begin and end. Launches, copies and
   fills on device 0 that equal those of the previous iterations are queued as one graph, on
   GPUs; all others are queued as usual. Errors may be returned by end instead of by the
   operation. The session owns the loop. PROACT_EINVAL: a loop or a recording is active
   (begin), or this loop is not (end). */
struct proact_loop;
PROACT_API enum proact_status proact_loop_create(struct proact *p, struct proact_loop **out,
                                                 struct proact_error *err);
PROACT_API enum proact_status proact_loop_begin(struct proact_loop *l,
                                                struct proact_error *err);
PROACT_API enum proact_status proact_loop_end(struct proact_loop *l,
                                              struct proact_error *err);
/* Ends the loop if it is active, and frees it. NULL is allowed. */
PROACT_API void proact_loop_destroy(struct proact_loop *l);

/* Whether the last recording failed, or will fail, because the planner measures plans of
   one of its launches. The same launches outside a recording complete the measurement, and
   can be recorded after it. */
PROACT_API bool proact_record_is_early(const struct proact *p);
/* Whether a recording contains work of devices other than device 0. */
PROACT_API bool proact_recording_is_split(const struct proact_recording *r);

/* ---- Properties of devices ---- */

/* Time that measurements of the session took beyond its work, and the time that they may
   take: 50 ms and 1/20 of the time until the last wait; UINT64_MAX: PROACT_EFFORT lifts the
   limit. */
struct proact_budget {
    uint64_t spent_ns, allowed_ns;
};
PROACT_API struct proact_budget proact_measurement_budget(const struct proact *p);

/* Description of a device; all devices of a machine are equal. */
struct proact_device_info {
    const char *machine, *name; /* valid as long as the session */
    unsigned compute_capability, sm_count, threads_per_sm, ctas_per_sm, threads_per_cta;
    uint64_t shared_bytes_per_sm, shared_bytes_per_cta, memory_bytes, l2_bytes;
    double clock_ghz, memory_gbps;
};
PROACT_API struct proact_device_info proact_device_describe(const struct proact *p);

#ifdef __cplusplus
}
#endif
