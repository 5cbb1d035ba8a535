/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/* Host interface of proact (PROACT, ISCA 2021): kernels launched over all devices of a
   machine, and arrays whose changes travel while the kernels run. docs/api.md is the guide.

   Errors: a call that can fail returns a status and writes one sentence to `err`, which may
   be NULL. Outputs are written only on success. PROACT_EINVAL of every call: an object, a
   struct or an output is NULL, or an object belongs to another session. A call that queues
   work may also return PROACT_EDRIVER; a call that waits, the errors of proact_wait().
   Threads: one thread at a time may use a session and its objects. Sessions are
   independent. Ownership: the session owns its objects; texts and arguments are borrowed
   for a call. */

#include <proact/status.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#define PROACT_VERSION "0.1.0"
#define PROACT_API __attribute__((visibility("default")))

enum { PROACT_DEVICES_MAX = 16 };

struct proact;           /* session: the opened devices of one machine */
struct proact_array;     /* memory that all devices of a session share */
struct proact_recording; /* sequence of launches that replays as one operation */
struct proact_kernel;    /* one kernel, loaded on the devices of a session */
struct proact_quanta;    /* recorded costs of emulated launches */

/* ---- Plans and options (PROACT III-A, III-C) ---- */

/* Plan of a launch: how written data reaches the peers. Zero fields select defaults. */
struct proact_plan {
    const char *method;        /* a name of proact_method_names(), or two that share the
                                  chunks, as "copy-engine+fused:16M"; NULL: "fused", or
                                  "bulk" if no device has peer access to another */
    uint64_t chunk_bytes;      /* power of two, 4 KiB to 256 MiB; 0: the method's default,
                                  mostly 64 KiB */
    unsigned transfer_threads; /* threads of the agent: a multiple of 32 up to 8192, on
                                  large devices up to 1024 for every second SM and 49152;
                                  0: enough to saturate the links, at most 8192 */
    double compute_to_copy_ratio; /* copy-engine without chunk_bytes: expected kernel time
                                     divided by copy time to all peers; to 1000; 0: 1 */
    const char *agent;   /* polling: "sleep" between two checks, or "spin", as in the
                            paper; NULL: sleep if the devices can (sm_70) */
    bool broadcast;      /* push to every device; else only what it read between
                            the previous two launches (consumer prediction) */
    bool skip_transfers; /* same launches, counters and waits, but no data is sent,
                            to measure them; results are wrong */
};

/* Hints of a program to unified memory (cudaMemAdvise, cudaMemPrefetchAsync). */
enum proact_unified {
    PROACT_UNIFIED_OFF,         /* transfers, not unified memory */
    PROACT_UNIFIED_NO_HINT,     /* a page is where it was accessed last */
    PROACT_UNIFIED_PREFERRED,   /* preferred location: the writer; accessed by all */
    PROACT_UNIFIED_READ_MOSTLY, /* readers have copies until the next write */
    PROACT_UNIFIED_PREFETCH,    /* the same, sent to every reader before each launch */
};

#define PROACT_MACHINE_LOCAL "local" /* the GPUs of this computer */

/* How the plan of a kernel is found where proact_plan leaves it open. No effort changes the
   bits of a result. */
enum proact_effort {
    PROACT_EFFORT_ESTIMATE,   /* by a cost model, from the kernel's time at its first
                                 launches, which nothing waits for */
    PROACT_EFFORT_MEASURE,    /* times launches under the best plans of the model */
    PROACT_EFFORT_EXHAUSTIVE, /* times launches under all plans of the model */
};

/* Options of a session. Zero fields select defaults. */
struct proact_options {
    const char *machine;     /* PROACT_MACHINE_LOCAL, the name of an emulated machine, or
                                the path of a machine file; NULL: the local GPUs if there
                                are any, else the emulated "v100x4" */
    unsigned device_count;   /* use the first devices of the machine; 0: all */
    uint64_t seed;           /* seed of the emulated schedule */
    bool check;              /* detect data races, uninitialised reads, early or missing
                                chunks and small maps; emulated machines only; slow */
    bool infinite_bandwidth; /* emulated transfers take no time (limit study, PROACT V-C) */
    enum proact_unified unified; /* emulated unified memory instead of transfers, as a
                                    baseline (PROACT V-B): launches wait for pages as
                                    docs/machines.md states. No recordings */
    unsigned host_threads;       /* host threads that emulate, analyze and queue launches;
                                    0: one per core */
    double wait_timeout_ms;    /* limit of each wait on a device, 1e-6 to 1e9; 0: 10 s. More
                                  than 10 s also extends the time that an emulated CTA may
                                  compute without a store (else 5 s) */
    bool reassociate_floats;   /* kernels of <proact/program.h>: sum floating-point atomics
                                  per device first; the last digits may differ */
    bool lazy_devices;         /* open only device 0 in proact_open(). The others are opened
                                  in the background once the program has launched kernels
                                  for as long as opening them takes, or synchronously when
                                  a call needs them. If they cannot be opened, everything
                                  keeps running on device 0 */
    const char *profile;       /* file of stored plans, in addition to those that every
                                  session reads (docs/tuning.md); NULL: none */
    struct proact_plan plan;   /* plan of all launches until proact_plan_set() */
    enum proact_effort effort; /* for launches whose method is open; PROACT_EFFORT may
                                  raise it (docs/tuning.md) */
    struct proact_quanta *quanta; /* costs that the session records and replays; emulated
                                     machines, without `check`. NULL: all is executed */
    /* Receiver of the text that emulated kernels print; called during waits. NULL: the text
       is discarded. On GPUs the driver prints to standard output. */
    void (*on_print)(void *context, const char *text, size_t length);
    void *callback_context; /* first argument of on_print and on_warning */
    /* Receiver of one sentence about the first emulated access outside an array, by up to
       2 MiB, that hardware tolerates; called once, during a wait. NULL, or with `check`:
       such an access is PROACT_EFAULT. With both, a value-returning atomic has acquire
       semantics, as on GPUs; PTX does not guarantee them. */
    void (*on_warning)(void *context, const char *sentence);
};

/* ---- Sessions ---- */

/* Opens the devices of a machine; NULL options are defaults. PROACT_EINVAL: unknown machine
   or method, a number out of range, or a missing or malformed profile. PROACT_ENODEV: no
   driver or too few devices. PROACT_EREFUSED: the devices do not support the method or
   `quanta`, or the method needs peer access and no device has any. */
PROACT_API enum proact_status proact_open(const struct proact_options *options,
                                          struct proact **out, struct proact_error *err);
/* Waits for all work, then frees the session and its objects. NULL is allowed. */
PROACT_API void proact_close(struct proact *p);

/* Number of devices, including devices that lazy opening has not opened yet. */
PROACT_API unsigned proact_device_count(const struct proact *p);
/* Whether the machine is emulated; times are then virtual. */
PROACT_API bool proact_is_emulated(const struct proact *p);
/* Sets the plan of the launches that follow. PROACT_EINVAL and PROACT_EREFUSED as from
   proact_open(); the previous plan then stays. */
PROACT_API enum proact_status proact_plan_set(struct proact *p,
                                              const struct proact_plan *plan,
                                              struct proact_error *err);

/* Pairs of devices that receive copies under the plan's method, because they have no peer
   access: "copies between devices 1 and 3". NULL: none. Valid until the next
   proact_plan_set() or proact_close(). */
PROACT_API const char *proact_plan_copies(const struct proact *p);

/* Recorded scheduling quanta: the costs of the launches of plain kernels, for runs of which
   only the times count. A session of method "bulk" executes the first four launches of each
   shape, records them and replays the others. Later sessions with any plan, on as many
   devices of the same machine, replay all; those of "inline" first record their versions. A
   replay executes nothing of the kernel, so memory does not change: queue as many launches
   as a session without quanta would. If the work of a kernel depends on data that launches
   change, all launches are recorded. A launch returns PROACT_EREFUSED if its shape was not
   recorded, or has atomics or fences. `sample`: execute one of so many CTAs, from the given
   one on, and take their costs for the others; 0: all. */
PROACT_API struct proact_quanta *proact_quanta_create(unsigned sample, unsigned first);
/* Close the sessions that use it first. NULL is allowed. */
PROACT_API void proact_quanta_destroy(struct proact_quanta *q);

/* Names of all methods. The array ends with NULL and is static. */
PROACT_API const char *const *proact_method_names(void);
/* Summary of a method in one sentence; static. NULL: the name is unknown. */
PROACT_API const char *proact_method_summary(const char *method);

/* ---- Arrays (AMGE 3.1) ---- */

/* Shape of an array, count * element_bytes bytes. */
struct proact_shape {
    const char *name; /* for messages, copied; NULL: "array" */
    size_t count;     /* elements, at least 1 */
    size_t element_bytes;
};

/* Replicated array: each device has a replica, at which its kernels read and write. The
   content is undefined until written. PROACT_ENOSPACE: a device has not enough memory.
   PROACT_EINVAL: the size is 0 or exceeds 64 bits. */
PROACT_API enum proact_status proact_array_create(struct proact *p,
                                                  const struct proact_shape *shape,
                                                  struct proact_array **out,
                                                  struct proact_error *err);
/* Distributed array (AMGE 5.1): a single copy of which each device stores a partition. All
   devices access all of it at the same address, peers over the links; nothing is sent.
   Kernels may use indirect stores and atomics there and are still split. PROACT_EREFUSED:
   no peer access. A launch returns PROACT_EREFUSED if the links do not
   support its atomics. PROACT_EINVAL and PROACT_ENOSPACE as above. */
PROACT_API enum proact_status proact_array_create_distributed(
    struct proact *p, const struct proact_shape *shape, struct proact_array **out,
    struct proact_error *err);
/* Waits for all work, then frees the array. Recordings that use it become unusable. NULL is
   allowed. */
PROACT_API void proact_array_destroy(struct proact_array *a);

struct proact_range {
    uint64_t first_byte, bytes;
};

/* Bytes of the array that a device stores: its partition of a distributed array, all bytes
   of a replicated one. An unknown device stores 0 bytes. */
PROACT_API struct proact_range proact_array_partition(const struct proact_array *a,
                                                      unsigned device);

/* Writes elements first .. first + count - 1 on all devices, before all later launches.
   The caller may reuse `from` at once. PROACT_EINVAL: the range exceeds the array, or a
   recording is in progress. */
PROACT_API enum proact_status proact_array_write(struct proact_array *a, size_t first,
                                                 const void *from, size_t count,
                                                 struct proact_error *err);
/* Waits for all work, then reads elements from the replica of device 0, after a fetch of
   missing ranges. PROACT_EINVAL as above. */
PROACT_API enum proact_status proact_array_read(struct proact_array *a, size_t first,
                                                void *into, size_t count,
                                                struct proact_error *err);
/* The same from the replica of any device. PROACT_EINVAL also for an unknown device. */
PROACT_API enum proact_status proact_array_read_replica(struct proact_array *a,
                                                        unsigned device, size_t first,
                                                        void *into, size_t count,
                                                        struct proact_error *err);

/* ---- Kernels and maps ---- */

/* Module text in PTX. A session loads equal texts once. */
struct proact_image {
    const char *name; /* of the file, for messages; NULL: "kernel.ptx" */
    const char *text;
    size_t bytes;       /* length; 0: the text ends with NUL */
    const void *binary; /* cubin of the text for the architecture of device 0, which then
                           need not be compiled; NULL: none */
};

/* Loads the kernel `name`. A kernel whose last parameter is a `struct proact_partition`
   (<proact/device.h>) is annotated. Any other is plain: proact derives its write set or
   takes it from maps, and splits it with rewritten versions. A plain kernel that cannot be
   split executes on device 0 (proact_kernel_refusal()). PROACT_EINVAL: no such kernel, or
   invalid PTX. PROACT_EREFUSED: the machine does not support the kernel. */
PROACT_API enum proact_status proact_kernel_load(struct proact *p,
                                                 const struct proact_image *image,
                                                 const char *name,
                                                 struct proact_kernel **out,
                                                 struct proact_error *err);
/* Waits for all work, then frees the kernel. Recordings that use it become unusable. NULL
   is allowed. */
PROACT_API void proact_kernel_destroy(struct proact_kernel *k);

/* Kind of a map, the relation from CTAs to the bytes that they write (PROACT IV-A,
   `mapping`). CTAs are numbered x first, then y, then z, over the whole grid. Ranges are
   clipped to the array. CTAs of different devices must not write the same byte. */
enum proact_map_kind {
    PROACT_MAP_CONTIGUOUS, /* CTA i: range_bytes from byte i * range_bytes */
    PROACT_MAP_STRIDED,    /* CTA i: range_count ranges of range_bytes each, stride_bytes
                              apart, from byte i * cta_stride_bytes */
    PROACT_MAP_STENCIL,    /* CTA (x, y): in each of the matrix rows y * rows_per_cta ..
                              (y + 1) * rows_per_cta - 1, of stride_bytes each, range_bytes
                              from byte x * range_bytes, clipped to the row */
    PROACT_MAP_TABLE,      /* CTA i: ranges[range_offsets[i] .. range_offsets[i + 1] - 1] */
    PROACT_MAP_CALLBACK,   /* CTA i: the ranges that emit_ranges() emits */
};

typedef void proact_emit_range(void *sink, uint64_t first_byte, uint64_t bytes);

/* Map of one array. Each kind uses the fields that its comment names. */
struct proact_map {
    enum proact_map_kind kind;
    uint64_t offset_bytes; /* added to every range */
    uint64_t range_bytes, range_count, stride_bytes, cta_stride_bytes, rows_per_cta;
    const uint32_t *range_offsets; /* TABLE: cta_count + 1 numbers that do not decrease */
    const struct proact_range *ranges; /* TABLE; both tables are copied */
    uint32_t cta_count;                /* TABLE: CTAs of the grid */
    /* CALLBACK: called at the first launch of each grid, once for each CTA or more often */
    void (*emit_ranges)(void *context, const uint32_t grid[3], const uint32_t cta[3],
                        proact_emit_range *emit, void *sink);
    void *context; /* of emit_ranges(); it must remain valid as long as the kernel */
};

/* Sets the map of argument `arg` (0-based), or replaces it after a wait. The first calls
   define the slot numbers of proact_store(); there are at most 20 slots. A map may exceed
   what the kernel writes. If it is too small, a launch of a plain kernel returns
   PROACT_EINVAL; only check mode detects it for annotated kernels and indirect stores. On
   several devices a launch of an annotated kernel that stores by a slot to a replicated
   array without a map, or by the slot of another argument, returns PROACT_EINVAL; a kernel
   without any map, for plain stores as well. So does a launch with a value or a distributed
   array at `arg`. PROACT_EINVAL here: no such argument, one that is
   too small for an address, more than 20 slots, or an invalid map. */
PROACT_API enum proact_status proact_kernel_map(struct proact_kernel *k, unsigned arg,
                                                const struct proact_map *map,
                                                struct proact_error *err);

/* Reason why the last launch of a plain kernel was not split: one sentence, with the PTX
   line if there is one. NULL: it was split, or never launched. A kernel without maps that
   cannot use the plan's method is split with copies at its end, which is no refusal.
   Borrowed until the next launch or map of the kernel. */
PROACT_API const char *proact_kernel_refusal(struct proact_kernel *k);
/* Plan of the kernel's last launch, with the reason: one sentence. NULL: no launch had one.
   Borrowed until the next call for the kernel. */
PROACT_API const char *proact_kernel_plan(struct proact_kernel *k);

/* ---- Launches (PROACT III-B, MAPS 4) ---- */

/* Grid of a launch. */
struct proact_grid {
    uint32_t ctas[3], threads[3];  /* CTAs of the grid, threads of a CTA; 0 counts as 1 */
    uint32_t dynamic_shared_bytes; /* dynamic shared memory of a CTA */
    uint32_t device_count;         /* the first devices execute, all receive; 0: all */
    bool is_cooperative;           /* all CTAs at once; proact_launch_buffer() only */
    /* CTAs of a cluster (sm_90). Launches with clusters execute on device 0; annotated
       kernels refuse them. All 0: as the kernel was built; otherwise 0 counts as 1. */
    uint32_t cluster_ctas[3];
};

/* Argument of a launch: an array, which passes the address of the executing device's
   replica; a value of `bytes` bytes; or both: a struct whose first member is the address of
   the array, which proact fills in. */
struct proact_arg {
    struct proact_array *array;
    const void *value;
    size_t bytes;
};
#ifdef __cplusplus
#define PROACT_ARRAY(a) (proact_arg{(a), nullptr, 0})
#define PROACT_VALUE(v) (proact_arg{nullptr, &(v), sizeof(v)})
#else
#define PROACT_ARRAY(a) ((struct proact_arg){.array = (a)})
#define PROACT_VALUE(v) ((struct proact_arg){.value = &(v), .bytes = sizeof(v)})
#endif

/* Queues a kernel on all devices, each with a contiguous range of CTAs, and does not wait.
   Later launches and reads observe all of its writes, as on one GPU. `args` has one element
   per parameter, without a partition parameter. PROACT_EINVAL: number, size or session of
   the arguments; the grid; a map (one byte for two devices, too small for a plain kernel,
   another grid's table); in a recording, a launch that is new. PROACT_EREFUSED:
   cooperative, an annotated kernel with clusters, or atomics that the links do not support.
   PROACT_ENOSPACE: not enough device memory for tables. */
PROACT_API enum proact_status proact_launch(struct proact_kernel *k,
                                            const struct proact_grid *grid,
                                            const struct proact_arg *args, size_t arg_count,
                                            struct proact_error *err);

/* Waits until all launches have finished and all that they send has arrived. Errors of
   devices since the last wait are returned here. PROACT_EFAULT: a kernel violated a rule.
   PROACT_ETIMEOUT: a wait on a device reached its limit. PROACT_EINVAL: a recording is in
   progress. */
PROACT_API enum proact_status proact_wait(struct proact *p, struct proact_error *err);

/* Clock of the devices at the last wait, in ns; virtual on emulated machines. */
PROACT_API uint64_t proact_now_ns(const struct proact *p);

/* ---- Recordings ---- */

/* Begins a recording, after a wait: launches until proact_record_end() are recorded and not
   executed. Each must have been launched before with the same arrays and grid.
   PROACT_EINVAL: a recording, a loop or a current stream (<proact/program.h>) is active, or
   lazy devices are closed. PROACT_EREFUSED: no peer access, or a trace callback on GPUs. */
PROACT_API enum proact_status proact_record_begin(struct proact *p,
                                                  struct proact_error *err);
/* Ends the recording; the session owns the result. PROACT_EINVAL: none is in progress.
   PROACT_EREFUSED: on GPUs, copies could block each other or a kernel launches kernels
   (docs/hardware.md); the recording is then discarded. */
PROACT_API enum proact_status proact_record_end(struct proact *p,
                                                struct proact_recording **out,
                                                struct proact_error *err);
/* Queues all recorded launches, on GPUs as one graph per device, ordered like a launch.
   PROACT_EINVAL: an array or a kernel was destroyed, a map replaced, or a recording is in
   progress. */
PROACT_API enum proact_status proact_replay(struct proact_recording *r,
                                            struct proact_error *err);
/* Frees a recording after its replays have finished. NULL is allowed. */
PROACT_API void proact_recording_destroy(struct proact_recording *r);

/* ---- Statistics and tracing ---- */

/* Statistics of what was sent since proact_open() or proact_statistics_reset(). */
struct proact_statistics {
    uint64_t bytes, wire_bytes, packets, chunks; /* payload; with headers and padding */
    /* Unified memory, of all devices only: pages that launches waited for. Then `bytes` are
       those of pages and of accesses to peers, `chunks` are pages, and there are no
       packets. */
    uint64_t faults;
    double kernel_ns; /* sum over launches of the longest kernel; one device: of its own */
    double transfer_ns; /* time in which a link was busy */
    double overlap_ns;  /* the part of it in which a kernel ran on the sending device */
    double exposed_ns;  /* the part of it in which no kernel ran on any device */
};
#define PROACT_ALL_DEVICES (~0u)
/* Waits, and returns the statistics of one sender or PROACT_ALL_DEVICES, and of one array
   or NULL for all. For one array wire_bytes, packets and times are 0. GPUs do not count
   packets, and report times only while a trace callback is set. PROACT_EINVAL: unknown
   device. */
PROACT_API enum proact_status proact_statistics_get(struct proact *p, unsigned device,
                                                    const struct proact_array *a,
                                                    struct proact_statistics *out,
                                                    struct proact_error *err);
/* Waits, and sets all statistics to 0. The next proact_wait() returns the wait's errors. */
PROACT_API void proact_statistics_reset(struct proact *p);

/* Kind of a trace span. */
enum proact_trace_kind {
    PROACT_TRACE_KERNEL,
    PROACT_TRACE_COPY,
    PROACT_TRACE_WAIT,
    PROACT_TRACE_LINK
};
/* Interval in which a device or a link was busy, on the clock of proact_now_ns(). */
struct proact_trace_span {
    enum proact_trace_kind kind;
    unsigned device, track; /* stream number of the device; LINK: the receiving device */
    const char *name;       /* borrowed for the call */
    uint64_t start_ns, end_ns, bytes;
};
typedef void proact_trace_callback(void *context, const struct proact_trace_span *span);
/* Sets the function that receives trace spans, or removes it (NULL). Calls happen within
   proact_wait() and other waits. */
PROACT_API void proact_trace_set_callback(struct proact *p, proact_trace_callback *observer,
                                          void *context);

#ifdef __cplusplus
}
#endif
