/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/* Device contract. device/cuda implements it on GPUs, device/emulator on the CPU;
   tests/device/contract_test.c checks both backends. No higher component depends on the
   backend. One thread makes all calls. open() opens all devices of a machine, or only
   device 0 (lazy_devices). A call waits for a device only if its comment states so. */

#include <proact/status.h>
#include <proact/texture.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "device/quanta.h"
#include "topology/topology.h"

typedef uint64_t device_addr; /* valid on each device with peer access to the owner */

struct device_set;      /* opened devices of one machine */
struct device_stream;   /* operations of one device, executed in order */
struct device_event;    /* recorded point of a stream */
struct device_module;   /* PTX loaded on one device */
struct device_function; /* borrowed from its module */
struct device_graph;    /* stream operations that can be launched repeatedly */
struct device_texels;   /* storage of textures and surfaces on one device */
struct device_repeat;   /* previous operations of a sequence that repeats */

struct device_options {
    const struct topology *topology; /* borrowed while open */
    uint64_t seed;                   /* of the emulated schedule; equal seeds give equal
                                        runs */
    bool check;                      /* detect accesses that hardware tolerates (emulator
                                        only) */
    bool infinite_bandwidth; /* transfers between devices take no time (emulator only) */
    unsigned threads;        /* host threads that emulate or launch; 0: one per core */
    double wait_limit_ms;    /* limit of a device-side wait; 0: 10 s, of virtual time in
                                the emulator */
    /* Limit for one CTA that computes and stores without ending; waiting does not count. A
       kernel has 8 times this limit for all CTAs together while none of them ends. 0: 5 s
       of virtual time (emulator only). */
    double kernel_limit_ms;
    unsigned children_limit; /* waiting or running child kernels per device; 0: that of
                                the machine, or 2048 (emulator only) */
    /* Receives the output of a kernel's printf. */
    void (*print)(void *context, const char *text, size_t length);
    /* Receives one sentence about the first access outside all allocations that hardware
       tolerates because the page is mapped. NULL, or with `check`: such an access is a
       fault. With both, value-returning atomics have acquire semantics, as on GPUs; PTX
       does not guarantee them (emulator only). */
    void (*warn)(void *context, const char *sentence);
    void *print_context;          /* first argument of print and warn */
    struct device_quanta *quanta; /* of the launches that record or replay; NULL: none
                                     (emulator only) */
    bool lazy_devices;            /* open only device 0; open_remaining opens the others */
};

enum { DEVICE_CLUSTER_MAX = 16 }; /* CTAs; more than 8 need support by the GPU */

struct device_launch {
    uint32_t grid[3], block[3];
    /* CTAs of a cluster; must divide the grid. All 0: the cluster of the kernel's PTX, or
       none. PROACT_EINVAL for a cluster that the device cannot run. */
    uint32_t cluster[3];
    /* Full grid that contains this grid as a part, and the linear number of the part's
       first CTA in it. Messages number CTAs in the full grid. All 0: the grid is not a
       part. */
    uint32_t whole[3], first;
    uint32_t shared_bytes; /* dynamic shared memory */
    const void *parameters;
    size_t parameter_bytes;
    const char *label;              /* for traces; NULL: the kernel's name */
    const struct device_unit *unit; /* unit of PROACT III-D, or NULL */
    /* All CTAs are resident at once and may wait for each other, also at a grid barrier.
       PROACT_EINVAL if they do not fit on the device. */
    bool is_cooperative;
    bool is_blocking; /* waits for an action of the device's next kernel */
    bool is_urgent;   /* its CTAs start before waiting CTAs of other streams */
    /* 0, or the number of flags that each thread checks in turn, without sleeping, while
       the kernel waits. The emulator computes the cost of such waits. */
    uint32_t spin_checks;
    /* Time between the start of the kernel and its first CTA, in which pages of unified
       memory arrive (emulator only). */
    double pages_ns;
    struct device_quanta_launch quanta; /* emulator only; zero: executed as it is */
};

/* Resources of a compiled kernel. */
struct device_function_info {
    uint32_t registers;   /* per thread; 0: not known to this backend */
    uint32_t threads;     /* largest CTA */
    uint64_t local_bytes; /* per thread */
    uint64_t const_bytes; /* constant memory of its module */
};

/* Counters in hardware (PROACT III-D). When CTA i (linear) of the launch ends, the chunks
   of its list are counted: chunk[first[i]] is the length of the list, which follows. The
   unit sends a chunk when its count in `writers` is reached: pieces piece_first[c] ..
   piece_first[c + 1] - 1, each to its part of `peers`. Borrowed until the launch ends. */
struct device_piece {
    device_addr from;
    uint64_t bytes;
    uint32_t first_peer, peer_count;
};
struct device_unit {
    uint32_t chunk_count, cta_count;
    const uint32_t *first, *chunk, *writers;
    const uint32_t *piece_first;
    const struct device_piece *pieces;
    uint32_t peer_count;
    const uint32_t *peers;
    const int64_t *deltas;          /* plus a piece's address: its address on that peer */
    const struct device_unit *next; /* next array that the launch writes, or NULL */
};

/* Strided copy: ranges of equal length at constant distances, as columns and borders. */
struct device_rows {
    device_addr to, from;        /* first range */
    size_t bytes, count;         /* length of each range; number of ranges */
    size_t to_pitch, from_pitch; /* distance between the first bytes of two ranges */
};
/* Checks a strided copy. PROACT_EINVAL: the ranges of one side overlap. */
enum proact_status device_rows_check(const struct device_rows *rows,
                                     struct proact_error *err);

/* Description of a wait of a stream, for the message if it times out. */
struct device_reason {
    const char *array; /* name, borrowed while the wait may be open */
    uint32_t chunk;
    /* Writes a clause that names the missing writers if the word has the value `holds`.
       NULL: not known. */
    void (*missing)(const struct device_reason *reason, uint32_t holds, char *into,
                    size_t bytes);
    const void *table; /* argument of `missing`, borrowed like the name */
    uint32_t cta_first;
};
#define DEVICE_WHOLE UINT32_MAX /* all chunks of an array */
enum { DEVICE_REASON_BYTES = 128 };
/* Writes "chunk 3 of array 'ranks': ", or "" for NULL or without an array. */
void device_reason_print(const struct device_reason *reason,
                         char into[DEVICE_REASON_BYTES]);
enum { DEVICE_LATE_BYTES = 320 };
/* Writes the message of a chunk that timed out; `who` is the clause of `missing`. */
void device_late_print(const struct device_reason *reason, unsigned device, double limit_ms,
                       const char *who, char into[DEVICE_LATE_BYTES]);

/* Bytes and packets that left a device for a peer since open. */
struct device_traffic {
    uint64_t bytes, packets, wire_bytes;
};

/* Time interval of a trace, on the clock of the set. Names are borrowed for the call.
   `lane` is the track of the interval on its device: a stream, or the peer of a link. */
enum device_span_kind {
    DEVICE_SPAN_KERNEL,
    DEVICE_SPAN_COPY,
    DEVICE_SPAN_WAIT,
    DEVICE_SPAN_LINK
};
struct device_span {
    enum device_span_kind kind;
    unsigned device, lane;
    const char *name;
    uint64_t start_ns, end_ns, bytes;
};
typedef void device_observer(void *context, const struct device_span *span);

/* Array with a replica at the same offset on each device. A checking backend uses it to
   detect a read of a byte before its transfer. */
struct device_replicas {
    const char *name;
    uint64_t bytes;
    device_addr base[TOPOLOGY_DEVICES_MAX];
};

enum { DEVICE_GAP_BYTES = 512 };

/* Limits of device memory: stack per thread, and heap of malloc and new for all threads. */
enum device_limit { DEVICE_STACK_BYTES, DEVICE_HEAP_BYTES };

struct device_backend {
    const char *name;
    bool is_virtual; /* the clock is virtual */

    /* Describes the local devices. PROACT_ENODEV: there are none. NULL: the backend has no
       devices of its own. */
    enum proact_status (*find)(struct topology *out, struct proact_error *err);
    /* Opens the devices of the topology; NULL: all devices of find. PROACT_ENODEV: the
       topology has more devices than the machine. */
    enum proact_status (*open)(const struct device_options *options,
                               struct device_set **out, struct proact_error *err);
    void (*close)(struct device_set *set); /* waits for the devices; NULL is allowed */
    /* Time that opening device 0 took while the other devices are closed; of these, only
       peer access may then be queried. 0: all devices are open. NULL, with open_remaining:
       all devices are always open. */
    uint64_t (*open_ns)(const struct device_set *set);
    /* Opens the remaining devices in the background, from the first call on. The call
       reports whether all are open, and `waits` makes it wait for them. They become usable
       only in this call. After PROACT_ENODEV only device 0 remains usable; other failures
       break the set. */
    enum proact_status (*open_remaining)(struct device_set *set, bool waits, bool *are_open,
                                         struct proact_error *err);
    unsigned (*count)(const struct device_set *set);
    /* Version of the driver, as 13000 for CUDA 13.0. NULL: there is no driver. */
    unsigned (*driver_version)(const struct device_set *set);
    bool (*peer_access)(const struct device_set *set, unsigned from, unsigned to);
    /* Whether a kernel's atomics are atomic in the memory of the other device. */
    bool (*peer_atomics)(const struct device_set *set, unsigned from, unsigned to);

    /* Allocates memory, aligned to 512 bytes, with undefined content. The DEVICE_GAP_BYTES
       after it belong to no allocation, so one array never ends where another begins. Call
       it before work is queued: on hardware a blocked device may delay it. */
    enum proact_status (*alloc)(struct device_set *set, unsigned device, size_t bytes,
                                device_addr *out, struct proact_error *err);
    /* Allocates memory that the host accesses at the same address while the device is idle.
       Pinned memory stays on the host; other memory migrates to the accessing processor. No
       copies between devices. NULL: all memory is host-accessible. */
    enum proact_status (*alloc_shared)(struct device_set *set, unsigned device,
                                       size_t bytes, bool is_pinned, device_addr *out,
                                       struct proact_error *err);
    /* Allocates distributed memory: one range of addresses, accessible by all devices.
       Device d stores the bytes from d * *part on, a multiple of at least 4096; the last
       partitions may be short or empty. Atomics work between devices with peer_atomics.
       Device 0 frees it. PROACT_EREFUSED: two devices have no peer access. */
    enum proact_status (*alloc_parts)(struct device_set *set, size_t bytes,
                                      device_addr *out, size_t *part,
                                      struct proact_error *err);
    void (*free)(struct device_set *set, unsigned device, device_addr address);
    /* Locks the host's own memory until host_unlock or close, so that copies are as fast as
       from memory of the backend. PROACT_EREFUSED: the memory cannot be locked and is
       unchanged. NULL: locking has no effect. */
    enum proact_status (*host_lock)(struct device_set *set, void *memory, size_t bytes,
                                    struct proact_error *err);
    void (*host_unlock)(struct device_set *set, void *memory);

    enum proact_status (*stream_create)(struct device_set *set, unsigned device,
                                        struct device_stream **out,
                                        struct proact_error *err);
    void (*stream_destroy)(struct device_stream *stream);
    /* Creates an event. has_time: `elapsed` may use it; it costs more. */
    enum proact_status (*event_create)(struct device_set *set, unsigned device,
                                       bool has_time, struct device_event **out,
                                       struct proact_error *err);
    void (*event_destroy)(struct device_event *event);

    /* Stream operations: queued, in order. copy works within and between devices; write and
       read transfer host memory. read waits for all previous work, and so may a write of
       many megabytes. The source of a write and the parameters of a launch may change after
       the call. */
    enum proact_status (*copy)(struct device_stream *s, device_addr to, device_addr from,
                               size_t bytes, struct proact_error *err);
    /* Strided copy in one operation; each side lies in one allocation, and source and
       target are disjoint. A count of 0 is a no-op. The cost is close to a contiguous copy
       if the devices have peer access, else to one copy per range. */
    enum proact_status (*copy_rows)(struct device_stream *s, const struct device_rows *rows,
                                    struct proact_error *err);
    enum proact_status (*write)(struct device_stream *s, device_addr to, const void *from,
                                size_t bytes, struct proact_error *err);
    enum proact_status (*read)(struct device_stream *s, void *into, device_addr from,
                               size_t bytes, struct proact_error *err);
    /* Strided write and read: one side is host memory. The cost is close to a contiguous
       transfer. NULL, both: one write or read per range costs the same. */
    enum proact_status (*write_rows)(struct device_stream *s,
                                     const struct device_rows *rows,
                                     struct proact_error *err);
    enum proact_status (*read_rows)(struct device_stream *s, const struct device_rows *rows,
                                    struct proact_error *err);
    enum proact_status (*fill)(struct device_stream *s, device_addr to, unsigned char value,
                               size_t bytes, struct proact_error *err);
    /* Strided fill; `from` is unused. The cost is close to a contiguous fill. NULL: one
       fill per range costs the same. */
    enum proact_status (*fill_rows)(struct device_stream *s, const struct device_rows *rows,
                                    unsigned char value, struct proact_error *err);
    /* The event belongs to the stream's device. */
    enum proact_status (*record)(struct device_stream *s, struct device_event *event,
                                 struct proact_error *err);
    /* Later operations of `s` wait for the last record of `event` before this call, on any
       device. An event without a record does not block. */
    enum proact_status (*wait_event)(struct device_stream *s, struct device_event *event,
                                     struct proact_error *err);
    /* Waits for the last record of `event`; synchronize reports failures at the latest.
       NULL: only synchronize waits. */
    enum proact_status (*await_event)(struct device_event *event, struct proact_error *err);
    /* Progress of the work before the event's last record. NULL event: all work of the
       stream; both NULL: all work. PROACT_PROGRESS_UNKNOWN: a wait for a word, or a
       failure. Does not wait. NULL: the progress is not known. */
    enum proact_progress (*progress)(struct device_set *set, struct device_stream *s,
                                     const struct device_event *event);
    /* Later operations of `s` wait until let_go, at most `limit_ns`, so that operations
       queued in between start without delays by the host. let_go ends all holds so far.
       NULL: queueing takes no time. */
    enum proact_status (*hold)(struct device_stream *s, uint64_t limit_ns,
                               struct proact_error *err);
    void (*let_go)(struct device_set *set);
    /* Later operations wait until the 32-bit word on the stream's own device is at least
       `value` (signed distance); `reason` may be NULL. write_value may address a peer:
       devices notify each other by remote stores, never by remote reads. */
    enum proact_status (*wait_value)(struct device_stream *s, device_addr word,
                                     uint32_t value, const struct device_reason *reason,
                                     struct proact_error *err);
    enum proact_status (*write_value)(struct device_stream *s, device_addr word,
                                      uint32_t value, struct proact_error *err);

    /* Loads PTX. Waits for queued work if streams wait for words. */
    enum proact_status (*module_load)(struct device_set *set, unsigned device,
                                      const char *name, const char *ptx, size_t bytes,
                                      struct device_module **out, struct proact_error *err);
    /* Loads the cubin that `ptx` was compiled to for such a device; its header contains its
       length. On failure the caller loads the text. NULL: not supported. */
    enum proact_status (*module_load_binary)(struct device_set *set, unsigned device,
                                             const char *name, const char *ptx,
                                             size_t bytes, const void *binary,
                                             struct device_module **out,
                                             struct proact_error *err);
    /* Starts to compile PTX in the background, so that module_load of it takes little time.
       True: it is compiled, or module_load compiles it, also after a failure. NULL: loads
       take little time. */
    bool (*module_compile)(struct device_set *set, const char *ptx, size_t bytes);
    /* Whether a text is being compiled. */
    bool (*is_compiling)(const struct device_set *set);
    void (*module_unload)(struct device_module *m);
    /* Whether kernels can launch kernels with CUDA's device runtime, whose functions
       __cudaCDP2... modules then declare and call. PROACT_EREFUSED names what is missing.
       NULL: supported. */
    enum proact_status (*launches)(struct device_set *set, struct proact_error *err);
    enum proact_status (*function)(struct device_module *m, const char *name,
                                   struct device_function **out, struct proact_error *err);
    enum proact_status (*function_info)(struct device_function *f,
                                        struct device_function_info *out,
                                        struct proact_error *err);
    /* Resident CTAs per SM for a CTA size and its dynamic shared memory; 0: none fits. The
       maximum CTA size of the kernel's PTX is ignored, as in CUDA. */
    enum proact_status (*residency)(struct device_function *f, uint32_t threads,
                                    uint64_t shared_bytes, uint32_t *out,
                                    struct proact_error *err);
    /* Address and size of a module's variable on the module's device. */
    enum proact_status (*variable)(struct device_module *m, const char *name,
                                   device_addr *out, size_t *bytes,
                                   struct proact_error *err);
    enum proact_status (*launch)(struct device_stream *s, struct device_function *f,
                                 const struct device_launch *launch,
                                 struct proact_error *err);

    /* Operations between begin and end may be queued on all devices concurrently by threads
       of the backend. batch_end reports failures at the latest. NULL, both: no benefit. */
    void (*batch_begin)(struct device_set *set);
    enum proact_status (*batch_end)(struct device_set *set, struct proact_error *err);

    /* Captures stream operations between begin and end instead of queueing them. write,
       read and calls that are not stream operations are not allowed; a wait for a record
       before the capture is a no-op. PROACT_EREFUSED from begin: two devices have no peer
       access; from end: copies could block each other, or kernels launch kernels.
       graph_launch queues the operations after all previous and before all later work of
       all streams. */
    enum proact_status (*capture_begin)(struct device_set *set, struct proact_error *err);
    enum proact_status (*capture_end)(struct device_set *set, struct device_graph **out,
                                      struct proact_error *err);
    /* Interrupts a capture until capture_resume(): operations and calls in between are
       those of an ordinary session, and precede the graph. No event of the capture is used.
     */
    void (*capture_pause)(struct device_set *set);
    void (*capture_resume)(struct device_set *set);
    enum proact_status (*graph_launch)(struct device_graph *g, struct proact_error *err);
    void (*graph_destroy)(struct device_graph *g); /* waits for it; NULL is allowed */

    /* Loop capture. The operations between begin and end are expected to equal those of the
       previous time. If they do, and are launches, copies and fills of one stream, they may
       be queued together; repeat_end reports failures at the latest. Not within a capture,
       and not nested. NULL, all four: each operation is queued separately. */
    enum proact_status (*repeat_create)(struct device_set *set, struct device_repeat **out,
                                        struct proact_error *err);
    void (*repeat_begin)(struct device_repeat *r);
    enum proact_status (*repeat_end)(struct device_repeat *r, struct proact_error *err);
    void (*repeat_destroy)(struct device_repeat *r); /* waits for its work; NULL is
                                                        allowed */

    /* Waits for all work of all devices and reports failures. */
    enum proact_status (*synchronize)(struct device_set *set, struct proact_error *err);
    /* Whether all devices become idle within the limit, in host time unless the clock is
       virtual. False if a kernel waits for an action of the host. 0: whether they are idle
       now. A failed device is idle. */
    bool (*try_quiesce)(struct device_set *set, uint64_t limit_ns);
    /* After synchronize: PROACT_ETIMEOUT if devices waited for each other in a graph for
       longer than the limit; this breaks the set. NULL: not needed. */
    enum proact_status (*check_timeouts)(struct device_set *set, struct proact_error *err);
    /* Time between two recorded events with time. On a virtual clock: after synchronize;
       else at any time, and the call waits for both. */
    enum proact_status (*elapsed)(struct device_event *from, struct device_event *to,
                                  double *ns, struct proact_error *err);
    uint64_t (*now_ns)(struct device_set *set); /* of the last synchronize */

    /* Profiler range of the copies between begin and end: a chunk of an array
       (DEVICE_WHOLE: all chunks) that is sent to device `to`. NULL, both: no profiler
       support. */
    void (*carry_begin)(struct device_set *set, const struct device_reason *what,
                        unsigned to);
    void (*carry_end)(struct device_set *set);

    /* NULL: the backend has no traffic counters. */
    struct device_traffic (*traffic)(const struct device_set *set, unsigned from,
                                     unsigned to);
    void (*observe)(struct device_set *set, device_observer *observer, void *context);
    /* Declares replicas, or removes them if all base addresses of that name are 0.
       Optional. */
    void (*replicas)(struct device_set *set, const struct device_replicas *replicas);
    /* While idle: PROACT_EFAULT if another device wrote bytes of the range that have not
       reached this device's replica; the message names array, byte and sender. NULL: not
       checked. */
    enum proact_status (*current)(const struct device_set *set, device_addr first,
                                  uint64_t bytes, struct proact_error *err);
    /* Number of stores after which current() may fail for the array that has a replica at
       `base`. 0: there are none, or nothing is checked. Provided with current(). */
    uint64_t (*replica_stores)(const struct device_set *set, device_addr base);
    /* Sets a limit on each device, before modules with kernels that need it are loaded;
       afterwards it may fail. Waits for the devices. NULL: limits are ignored. */
    enum proact_status (*limit)(struct device_set *set, enum device_limit what,
                                size_t bytes, struct proact_error *err);
    bool has_unit; /* launches may have a device_unit */

    /* Texture storage of one device, copies of boxes, and the texture and surface objects
       that kernels of that device use by their handles. copy_box is a stream operation to,
       from or between texture storage and memory; host memory is accessed before the call
       returns. `to` and `from` are the storage of each side, or NULL, and override the
       sides of the copy. Storage of the stream's device may be copied to another device.
       Destroy calls wait. NULL, all seven: not supported. */
    enum proact_status (*texels_create)(struct device_set *set, unsigned device,
                                        const struct proact_texture_array_shape *shape,
                                        struct device_texels **out,
                                        struct proact_error *err);
    void (*texels_destroy)(struct device_texels *t);
    enum proact_status (*copy_box)(struct device_stream *s,
                                   const struct proact_copy_3d *copy,
                                   struct device_texels *to, struct device_texels *from,
                                   struct proact_error *err);
    enum proact_status (*texture_create)(struct device_set *set, unsigned device,
                                         const struct proact_texture *texture,
                                         struct device_texels *texels, uint64_t *handle,
                                         struct proact_error *err);
    void (*texture_destroy)(struct device_set *set, unsigned device, uint64_t handle);
    enum proact_status (*surface_create)(struct device_texels *texels, uint64_t *handle,
                                         struct proact_error *err);
    void (*surface_destroy)(struct device_set *set, unsigned device, uint64_t handle);

    /* Interoperation with external libraries that queue work on a device without this
       backend. interop_begin: their later work follows the current work of `s`.
       interop_end: later operations of `s` follow their current work on the device.
       interop_stream_create returns a stream by its driver handle. NULL, all five: not
       supported. */
    void (*interop_attach_thread)(struct device_set *set,
                                  unsigned device); /* see proact/interop.h */
    enum proact_status (*interop_begin)(struct device_stream *s, struct proact_error *err);
    enum proact_status (*interop_end)(struct device_stream *s, struct proact_error *err);
    enum proact_status (*interop_stream_create)(struct device_set *set, unsigned device,
                                                void **out, struct proact_error *err);
    void (*interop_stream_destroy)(struct device_set *set, unsigned device, void *stream);
};

extern const struct device_backend device_emulator, device_cuda;

/* Strided write, read and fill: the backend's call, or one operation per range. */
enum proact_status device_write_rows(const struct device_backend *backend,
                                     struct device_stream *s,
                                     const struct device_rows *rows,
                                     struct proact_error *err);
enum proact_status device_read_rows(const struct device_backend *backend,
                                    struct device_stream *s, const struct device_rows *rows,
                                    struct proact_error *err);
enum proact_status device_fill_rows(const struct device_backend *backend,
                                    struct device_stream *s, const struct device_rows *rows,
                                    unsigned char value, struct proact_error *err);
