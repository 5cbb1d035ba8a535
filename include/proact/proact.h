/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/* Several GPUs work as one: kernels launched over all devices of a machine, and arrays that
   are kept in step while the kernels still run (PROACT, ISCA 2021). docs/api.md walks
   through it. A session and what was made from it is used by one thread at a time. */

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

struct proact;           /* a session: a machine's devices, opened */
struct proact_array;     /* memory that all devices of the session share */
struct proact_recording; /* launches that are replayed as one */
struct proact_kernel;    /* one kernel, loaded on every device */

/* How what a launch writes reaches the peers. `proact methods` lists the names. */
struct proact_plan {
    const char *method; /* "bulk", "inline", "fused", "polling", ...; NULL: "fused", or
                           "bulk" where devices do not reach each other's memory; or two
                           that share the chunks: "copy-engine+fused:16M" */
    uint64_t
        chunk_bytes; /* power of two, 4 KiB to 256 MiB; 0: 64 KiB, or as the method likes */
    unsigned
        transfer_threads; /* of the transfer agent: 32 to 8192, and to 49152 as far as that
                    is 1024 for every second SM; 0: as fill the way out, at most 8192 */
    double
        compute_to_copy_ratio; /* copy-engine, without chunk_bytes, whose chunks then suit
                          that: a kernel's time, of that of its copies to all; 0: 1 */
    bool broadcast; /* send to every device also what it is not seen to read (launches send
                        what was read of the array between the two before) */
    bool skip_transfers; /* measure tracking alone: count, but send nothing. Results on
                   more than one device are then wrong. */
};

#define PROACT_MACHINE_LOCAL "local" /* the GPUs of this box */

/* Zero means "choose for me". */
struct proact_options {
    const char *machine;   /* PROACT_MACHINE_LOCAL, the name of an emulated one, the path of
                              a machine file; NULL: here, or the emulated default */
    unsigned device_count; /* the first ones of the machine; 0: all */
    uint64_t seed;         /* of the emulated schedule */
    bool check; /* refuse uninitialised reads, early or lost chunks, maps that are
                   too small; slow (also set by the command's --check) */
    bool infinite_bandwidth; /* emulated transfers take no time: the paper's limit study */
    unsigned host_threads;   /* of the host, that emulate, that find what kernels write, and
                           that launch on several GPUs at once; 0: as many as cores */
    double wait_timeout_ms;  /* of every wait on a device, 1e-6 to 1e9; 0: 10 s. One of more
                              is also how long a CTA may compute where it is emulated,
                              without a store (else 5 s) */
    bool reassociate_floats; /* what kernels of a program for one GPU (proact/program.h) add
                        up by atomics on floating-point numbers may be summed up
                        device by device first: other last digits */
    bool lazy_devices; /* the first device alone is opened; the others, beside what goes
                  on, when a program for one GPU has launched kernels for as long
                  as that likely takes, and launches one that could be split; or
                  as soon as something else cannot do without them, which then
                  waits. Where they cannot be opened all runs on the first one */
    struct proact_plan plan; /* of every launch, until proact_plan_set() */
    /* What emulated kernels print, at a wait; NULL: nobody sees it. On hardware the driver
       writes to standard output. */
    void (*on_print)(void *context, const char *text, size_t length);
    void *callback_context;
    /* Told once, at a wait, with print_context, what an emulated kernel did that hardware
       forgives: it went beside an array, up to 2 MiB, and on. NULL, or with `check`: that
       is a fault. With both, an atomic whose result is used acquires, as on GPUs, which is
       more than PTX promises. */
    void (*on_warning)(void *context, const char *sentence);
};

/* Opens the machine's devices. `options` may be NULL. Fails with PROACT_EINVAL for an
   unknown machine, method, chunk size, wait limit or more devices than the machine has. */
PROACT_API enum proact_status proact_open(const struct proact_options *options,
                                          struct proact **out, struct proact_error *err);
/* Waits, then frees the session and all that was made from it. NULL is fine. */
PROACT_API void proact_close(struct proact *p);

PROACT_API unsigned proact_device_count(const struct proact *p);
PROACT_API bool proact_is_emulated(const struct proact *p); /* times are then virtual */
/* Of the launches that follow. PROACT_EINVAL for what proact_open() would refuse; the plan
   stays as it was. */
PROACT_API enum proact_status proact_plan_set(struct proact *p,
                                              const struct proact_plan *plan,
                                              struct proact_error *err);

/* The methods, NULL-terminated, borrowed; and one sentence on each. */
PROACT_API const char *const *proact_method_names(void);
PROACT_API const char *proact_method_summary(const char *method);

struct proact_shape {
    const char *name; /* for messages and statistics; copied */
    size_t count;     /* elements */
    size_t element_bytes;
};

/* An array of which every device has a replica, and these are kept in step. Content is
   undefined until written. Fails with PROACT_ENOSPACE. The session owns it. */
PROACT_API enum proact_status proact_array_create(struct proact *p,
                                                  const struct proact_shape *shape,
                                                  struct proact_array **out,
                                                  struct proact_error *err);
/* One of which there is but one (AMGE 3.1): every device has a part of it, and all reach
   all of it, by the same address. It takes no more memory than it has bytes, and kernels
   may store there, and do atomics, wherever memory says, and are split all the same:
   nothing is sent, but what lies on a peer costs a trip over the link. Fails with
   PROACT_EREFUSED where devices do not reach each other; a launch does, whose atomics the
   links cannot do. */
PROACT_API enum proact_status proact_array_create_distributed(
    struct proact *p, const struct proact_shape *shape, struct proact_array **out,
    struct proact_error *err);
PROACT_API void proact_array_destroy(struct proact_array *a); /* NULL is fine */

/* Which bytes of the array a device (0 to proact_device_count() - 1) has: all, or of a
   distributed one its part; none of a device that is not there. */
PROACT_API struct proact_range proact_array_partition(const struct proact_array *a,
                                                      unsigned device);

/* Elements first .. first + count - 1, to where they are; ordered before later launches.
   PROACT_EINVAL if the array has fewer, or while a recording is made. */
PROACT_API enum proact_status proact_array_write(struct proact_array *a, size_t first,
                                                 const void *from, size_t count,
                                                 struct proact_error *err);
/* Waits for what was launched and reads the first device's replica; _replica any other's
   (of a distributed array they are one). */
PROACT_API enum proact_status proact_array_read(struct proact_array *a, size_t first,
                                                void *into, size_t count,
                                                struct proact_error *err);
PROACT_API enum proact_status proact_array_read_replica(struct proact_array *a,
                                                        unsigned device, size_t first,
                                                        void *into, size_t count,
                                                        struct proact_error *err);

/* PTX text; borrowed for the call. */
struct proact_image {
    const char *name; /* of the file, for messages */
    const char *text;
    size_t bytes;       /* 0: NUL-terminated */
    const void *binary; /* what the text became for the first device's architecture (a
                           cubin), which then need not compile it; NULL: nothing */
};

/* A kernel whose last parameter is a `struct proact_partition` (proact/device.h) is split
   over the devices; so is any other, in clones that are made of its text, where it is known
   what its CTAs write: from maps, or else from the kernel itself. What is refused
   (proact_kernel_refusal()) runs on the first device, and its arrays are copied to the
   others afterwards. Fails with PROACT_EINVAL (no such kernel, not PTX) or PROACT_EREFUSED.
 */
PROACT_API enum proact_status proact_kernel_load(struct proact *p,
                                                 const struct proact_image *image,
                                                 const char *name,
                                                 struct proact_kernel **out,
                                                 struct proact_error *err);
PROACT_API void proact_kernel_destroy(struct proact_kernel *k); /* NULL is fine */

/* Which bytes of an array a CTA writes (PROACT IV-A, `mapping`). CTAs are numbered x first,
   then y, then z, over the whole grid. Ranges are clipped to the array. Two CTAs on
   different devices must not share a byte. */
enum proact_map_kind {
    PROACT_MAP_CONTIGUOUS, /* CTA i: bytes i * run_bytes .. (i + 1) * run_bytes - 1 */
    PROACT_MAP_STRIDED,    /* CTA i: run_count runs of run_bytes, stride_bytes apart, from
                              i * step_bytes */
    PROACT_MAP_STENCIL,    /* 2-D: CTA (x, y) writes rows y * rows .. (y + 1) * rows - 1 of
                              stride_bytes each, in them bytes x * run_bytes ..., which
                              do not reach into the next row */
    PROACT_MAP_TABLE,      /* CTA i: ranges first[i] .. first[i + 1] - 1 */
    PROACT_MAP_CALLBACK,   /* the function emits the ranges of CTA i */
};

struct proact_range {
    uint64_t first_byte, bytes;
};
typedef void proact_emit_range(void *sink, uint64_t first_byte, uint64_t bytes);

struct proact_map {
    enum proact_map_kind kind;
    uint64_t offset_bytes; /* added to every range */
    uint64_t range_bytes, range_count, stride_bytes, cta_stride_bytes, rows_per_cta;
    const uint32_t *range_offsets; /* TABLE: cta_count + 1; copied */
    const struct proact_range *ranges;
    uint32_t cta_count;
    void (*emit_ranges)(void *context, const uint32_t grid[3], const uint32_t cta[3],
                        proact_emit_range *emit,
                        void *sink); /* CALLBACK: at every first launch of a grid */
    void *context;
};

/* Says that the kernel writes the array given as argument `arg` (0-based), and where; of a
   distributed one, which is not sent, the launch is PROACT_EINVAL. At most twenty of a
   kernel; the order of calls is the slot number in proact_store(). Of an unmarked one the
   launch is PROACT_EINVAL if the map lacks what it is seen to write. */
PROACT_API enum proact_status proact_kernel_map(struct proact_kernel *k, unsigned arg,
                                                const struct proact_map *map,
                                                struct proact_error *err);

/* Why the last launch of an unmarked kernel was not split: one sentence, which names the
   line where there is one. NULL where it was, or for want of a launch; where nobody gave
   maps and the plan's method cannot be had for it, it was split and copied at its end.
   Borrowed, until the kernel's next launch or map. */
PROACT_API const char *proact_kernel_refusal(struct proact_kernel *k);

struct proact_grid {
    uint32_t ctas[3], threads[3];  /* 0 counts as 1 */
    uint32_t dynamic_shared_bytes; /* dynamic, a CTA */
    uint32_t device_count;         /* the first so many run it, others receive; 0: all */
    bool is_cooperative;           /* of proact_launch_buffer() alone: all CTAs at once */
    /* CTAs of a cluster, of which the grid has whole ones: all on the first device, as with
       a kernel that was built for clusters or asks about them. None of marked ones. 0, all
       three: what the kernel was built for; else 0 counts as 1. */
    uint32_t cluster_ctas[3];
};

/* An argument: an array (its replica's address is passed), a value of `bytes` bytes, or
   both: a struct whose first member is the array's address, for which the replica's is put
   in. */
struct proact_arg {
    struct proact_array *array;
    const void *value;
    size_t bytes;
};
#define PROACT_ARRAY(a) ((struct proact_arg){.array = (a)})
#define PROACT_VALUE(v) ((struct proact_arg){.value = &(v), .bytes = sizeof(v)})

/* Queues the kernel on all devices, each with a contiguous range of CTAs. What it wrote is
   there for every later launch and read, as on one GPU. Does not wait. The share parameter
   is not among the arguments. Fails with PROACT_EINVAL (argument count or size, grid, its
   clusters, a map that gives one byte to two devices). */
PROACT_API enum proact_status proact_launch(struct proact_kernel *k,
                                            const struct proact_grid *grid,
                                            const struct proact_arg *args, size_t arg_count,
                                            struct proact_error *err);

/* Waits until all launches are done and all they send has arrived. What went wrong on a
   device since the last wait is said here: PROACT_EFAULT, PROACT_ETIMEOUT. */
PROACT_API enum proact_status proact_wait(struct proact *p, struct proact_error *err);

/* The devices' clock as of the last wait, in ns; virtual where emulated. */
PROACT_API uint64_t proact_now_ns(const struct proact *p);

/* Launches between begin and end are not run but recorded, to be replayed at once on all
   devices, a graph each, any number of times: the host queues one thing instead of many.
   Each must have been launched once before, with the same arrays, grid and plan; waits,
   reads and writes cannot be recorded. begin waits, and fails with PROACT_EREFUSED where
   devices do not reach each other, or are watched on hardware; end, where copies of a GPU
   could hold up each other, or its kernels launch kernels (docs/hardware.md). A replay is
   ordered like a launch: after all before it, and before all after it. The session owns
   what end gives. */
PROACT_API enum proact_status proact_record_begin(struct proact *p,
                                                  struct proact_error *err);
PROACT_API enum proact_status proact_record_end(struct proact *p,
                                                struct proact_recording **out,
                                                struct proact_error *err);
PROACT_API enum proact_status proact_replay(struct proact_recording *r,
                                            struct proact_error *err);
PROACT_API void proact_recording_destroy(struct proact_recording *r); /* NULL is fine */

/* What was sent since the session was opened or proact_statistics_reset(). */
struct proact_statistics {
    uint64_t bytes, wire_bytes, packets, chunks;
    double kernel_ns;   /* sum over launches of the longest device's kernel */
    double transfer_ns; /* time in which some link was busy */
    double overlap_ns;  /* of it, while a kernel ran on the sending device */
};
/* Of one device (PROACT_ALL_DEVICES: all) and one array (NULL: all). Waits. wire_bytes,
   packets and times are not known by array: 0 there. Hardware does not count packets, and
   tells times only while there is an observer. */
#define PROACT_ALL_DEVICES (~0u)
PROACT_API enum proact_status proact_statistics_get(struct proact *p, unsigned device,
                                                    const struct proact_array *a,
                                                    struct proact_statistics *out,
                                                    struct proact_error *err);
PROACT_API void proact_statistics_reset(struct proact *p);

/* Called, from within proact_wait() and the like, with what happened on devices and links.
 */
enum proact_trace_kind {
    PROACT_TRACE_KERNEL,
    PROACT_TRACE_COPY,
    PROACT_TRACE_WAIT,
    PROACT_TRACE_LINK
};
struct proact_trace_span {
    enum proact_trace_kind kind;
    unsigned device, track; /* lane: stream number, or the peer of a link */
    const char *name;       /* borrowed for the call */
    uint64_t start_ns, end_ns, bytes;
};
typedef void proact_trace_callback(void *context, const struct proact_trace_span *span);
PROACT_API void proact_trace_set_callback(struct proact *p, proact_trace_callback *observer,
                                          void *context);

#ifdef __cplusplus
}
#endif
