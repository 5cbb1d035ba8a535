/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/* The device contract. device/cuda keeps it on hardware, device/emulator on the host, and
   tests/device/contract_test.c holds every keeper to it. Nothing above this room knows
   which. All devices of a machine are opened together, or the first one before the others.
   Calls are made by one thread.
   Nothing here waits for a device unless its comment says so. */

#include <proact/status.h>
#include <proact/texture.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "topology/topology.h"

typedef uint64_t device_addr; /* valid on every device that has peer access to its owner */

struct device_set;      /* the opened devices of a machine */
struct device_stream;   /* operations of one device, one after the other */
struct device_event;    /* a moment of a stream */
struct device_module;   /* PTX loaded on one device */
struct device_function; /* borrowed from its module */
struct device_graph;    /* stream operations, kept to be queued again */
struct device_texels;   /* what textures and surfaces are of, on one device */
struct device_repeat; /* what was queued the last time, of what is queued again and again */

struct device_options {
    const struct topology *topology; /* borrowed while open */
    uint64_t seed;                   /* of the schedule; the same seed gives the same run */
    bool check;                      /* refuse what hardware forgives (emulator only) */
    bool infinite_bandwidth; /* transfers between devices take no time (emulator only) */
    unsigned threads;        /* of the host, that emulate or launch; 0: as many as cores */
    double wait_limit_ms;    /* of a device-side wait; 0: 10 s, virtual where emulated */
    /* A CTA that computes and stores for so long is endless, and so is a kernel whose CTAs
       have done 8 times that together while none of them ended; 0: 5 s, virtual. A CTA
       that only waits is no such (emulator only). */
    double kernel_limit_ms;
    unsigned children_limit; /* kernels launched by kernels of one device that may wait or
                                run; 0: 2048 (emulator only) */
    void (*print)(void *context, const char *text, size_t length); /* a kernel's printf */
    /* Told once what a kernel did that hardware forgives: it went beside what is allocated,
       into pages that are mapped all the same. NULL, or with `check`: that is a fault. A
       check is then that of a program, whose atomics order what comes behind them as GPUs
       do, which is more than PTX promises (emulator only). */
    void (*warn)(void *context, const char *sentence);
    void *print_context; /* of both */
    bool lazy_devices;   /* only the first one is opened; the others by open_remaining */
};

enum { DEVICE_CLUSTER_MAX = 16 }; /* CTAs; more than 8 are not for every GPU */

struct device_launch {
    uint32_t grid[3], block[3];
    /* CTAs of a cluster, of which the grid has whole ones; 0, all three: what the kernel
       was built for, or none. One that cannot be had is PROACT_EINVAL. */
    uint32_t cluster[3];
    /* The grid that this one is a part of, and the place in a line that its first CTA has
       there: what is said of CTAs names them so. 0, all: it is a part of none. */
    uint32_t whole[3], first;
    uint32_t shared_bytes; /* dynamic */
    const void *parameters;
    size_t parameter_bytes;
    const char *label;              /* for traces; NULL: the kernel's name */
    const struct device_unit *unit; /* the paper's III-D unit, or NULL */
    /* CTAs may wait for each other, also by a barrier of the grid: all are there at once,
       or it is PROACT_EINVAL. */
    bool is_cooperative;
    bool is_blocking; /* it waits for what the next kernel of its device does */
    bool is_urgent;   /* its CTAs had better begin ahead of those that wait elsewhere */
};

/* What a function was compiled to take. */
struct device_function_info {
    uint32_t registers;   /* of a thread; 0: nobody counts them here */
    uint32_t threads;     /* of a CTA, at most */
    uint64_t local_bytes; /* of a thread */
    uint64_t const_bytes; /* its module's, that kernels read as such */
};

/* PROACT III-D: counters in hardware. For CTA i (linear) of this launch so many chunks as
   chunk[first[i]] says, which are behind that, count down when it ends; a chunk whose count
   in `writers` is reached is sent: pieces piece_first[c] .. piece_first[c + 1] - 1, each to
   its part of `peers`. Borrowed until the launch has ended. */
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
    const int64_t *deltas; /* added to a piece's address: where it lies on that peer */
    const struct device_unit *next; /* of the next array that the launch writes, or NULL */
};

/* Stretches of equal length that lie equally far apart: columns, borders, lines of a pitch.
 */
struct device_rows {
    device_addr to, from;        /* of the first */
    size_t bytes, count;         /* of each; how many */
    size_t to_pitch, from_pitch; /* from one's first byte to the next's */
};
/* PROACT_EINVAL where rows overlap each other. */
enum proact_status device_rows_check(const struct device_rows *rows,
                                     struct proact_error *err);

/* What a stream waits for, for the sentence where nobody ever writes it. */
struct device_reason {
    const char *array; /* its name, borrowed while the wait may still be open */
    uint32_t chunk;
    /* Who never came, as a clause, if the word holds `holds`; NULL: nobody can tell. */
    void (*missing)(const struct device_reason *reason, uint32_t holds, char *into,
                    size_t bytes);
    const void *table; /* for `missing`, borrowed as the name is */
    uint32_t cta_first;
};
#define DEVICE_WHOLE UINT32_MAX /* no chunk in particular */
enum { DEVICE_REASON_BYTES = 128 };
/* "chunk 3 of array 'ranks': ", or "" for NULL or without an array. */
void device_reason_print(const struct device_reason *reason,
                         char into[DEVICE_REASON_BYTES]);
enum { DEVICE_LATE_BYTES = 320 };
/* The sentence of a chunk that did not come in time; `who` is the clause of `missing`. */
void device_late_print(const struct device_reason *reason, unsigned device, double limit_ms,
                       const char *who, char into[DEVICE_LATE_BYTES]);

/* Bytes and packets that left a device for a peer, since open. */
struct device_traffic {
    uint64_t bytes, packets, wire_bytes;
};

/* What happened when, for traces. Times are the set's clock. Names are borrowed for the
   call. `lane` tells rows of one device apart: a stream, or the peer of a link. */
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

/* An array of which every device keeps a replica at the same offset: lets a checking keeper
   refuse a byte that is read before it was sent. */
struct device_replicas {
    const char *name;
    uint64_t bytes;
    device_addr base[TOPOLOGY_DEVICES_MAX];
};

enum { DEVICE_GAP_BYTES = 512 };

/* What threads may have: of stack each, by malloc and new all together. */
enum device_limit { DEVICE_STACK_BYTES, DEVICE_HEAP_BYTES };

struct device_backend {
    const char *name;
    bool is_virtual; /* its clock is not the world's */

    /* The devices of this box; PROACT_ENODEV without any. NULL: it has none of its own. */
    enum proact_status (*find)(struct topology *out, struct proact_error *err);
    /* A topology with more devices than there are is PROACT_ENODEV; NULL: all of find. */
    enum proact_status (*open)(const struct device_options *options,
                               struct device_set **out, struct proact_error *err);
    void (*close)(struct device_set *set); /* waits for the devices; NULL is fine */
    /* What opening the first device took, where the others are not open: of these nothing
       is asked then but who reaches whom. 0: all are. NULL, both: they always are. */
    uint64_t (*open_ns)(const struct device_set *set);
    /* They open beside what goes on, from the first call on: whether all are there by now,
       which they only are in this call. `waits`: until they are. After a failure they never
       are, and the first one works on (PROACT_ENODEV), unless all is broken. */
    enum proact_status (*open_remaining)(struct device_set *set, bool waits, bool *are_open,
                                         struct proact_error *err);
    unsigned (*count)(const struct device_set *set);
    bool (*peer_access)(const struct device_set *set, unsigned from, unsigned to);
    /* Whether a kernel's atomics are such in the other one's memory, too. */
    bool (*peer_atomics)(const struct device_set *set, unsigned from, unsigned to);

    /* Memory, aligned to 512 bytes, of unknown content, with DEVICE_GAP_BYTES behind it
       that are nobody's: the end of one is not where another begins. Before work is queued:
       a device that waits may hold these up on hardware. */
    enum proact_status (*alloc)(struct device_set *set, unsigned device, size_t bytes,
                                device_addr *out, struct proact_error *err);
    /* Memory that the host reaches by the same address, when the device has come to rest.
       `is_pinned` stays with the host, the other moves to who touches it. It has no copies
       between devices. NULL: all memory is such. */
    enum proact_status (*alloc_shared)(struct device_set *set, unsigned device,
                                       size_t bytes, bool is_pinned, device_addr *out,
                                       struct proact_error *err);
    /* Memory of which every device has a part, in one range of addresses that all of them
       reach: device d has the bytes from d * *part on, a multiple of at least 4096; the
       last ones' may be short or empty. Atomics there are such among devices that have
       peer_atomics. It is device 0's to free. PROACT_EREFUSED where two devices do not
       reach each other. */
    enum proact_status (*alloc_parts)(struct device_set *set, size_t bytes,
                                      device_addr *out, size_t *part,
                                      struct proact_error *err);
    void (*free)(struct device_set *set, unsigned device, device_addr address);
    /* Memory of the host's own, locked until it is unlocked, or the set is closed: copies
       there are as fast as of memory that the keeper gave. PROACT_EREFUSED where that
       cannot be: it is as it was before. NULL: all memory is alike. */
    enum proact_status (*host_lock)(struct device_set *set, void *memory, size_t bytes,
                                    struct proact_error *err);
    void (*host_unlock)(struct device_set *set, void *memory);

    enum proact_status (*stream_create)(struct device_set *set, unsigned device,
                                        struct device_stream **out,
                                        struct proact_error *err);
    void (*stream_destroy)(struct device_stream *stream);
    /* One with time can be asked for elapsed, and costs more. */
    enum proact_status (*event_create)(struct device_set *set, unsigned device,
                                       bool has_time, struct device_event **out,
                                       struct proact_error *err);
    void (*event_destroy)(struct device_event *event);

    /* Stream operations: queued, in order. copy moves within or between devices; write and
       read move host memory. read waits for what is queued before it, and so may a write of
       many megabytes: what write is given, and a launch's parameters, may change as soon as
       the call is back. */
    enum proact_status (*copy)(struct device_stream *s, device_addr to, device_addr from,
                               size_t bytes, struct proact_error *err);
    /* One copy of many rows, of either side all in one allocation; none is nothing. It
       costs little more than a copy of as many bytes where one device reaches the other;
       else it is a copy for each row. What it reads it must not write. */
    enum proact_status (*copy_rows)(struct device_stream *s, const struct device_rows *rows,
                                    struct proact_error *err);
    enum proact_status (*write)(struct device_stream *s, device_addr to, const void *from,
                                size_t bytes, struct proact_error *err);
    enum proact_status (*read)(struct device_stream *s, void *into, device_addr from,
                               size_t bytes, struct proact_error *err);
    /* The same of many rows, of which one end is an address of the host's: of them all as
       little more than of one. NULL, both: a write or read for each is as good. */
    enum proact_status (*write_rows)(struct device_stream *s,
                                     const struct device_rows *rows,
                                     struct proact_error *err);
    enum proact_status (*read_rows)(struct device_stream *s, const struct device_rows *rows,
                                    struct proact_error *err);
    enum proact_status (*fill)(struct device_stream *s, device_addr to, unsigned char value,
                               size_t bytes, struct proact_error *err);
    /* The same of many rows, which come from nowhere, as little more than of one. NULL: a
       fill for each is as good. */
    enum proact_status (*fill_rows)(struct device_stream *s, const struct device_rows *rows,
                                    unsigned char value, struct proact_error *err);
    /* The event is one of the stream's own device. */
    enum proact_status (*record)(struct device_stream *s, struct device_event *event,
                                 struct proact_error *err);
    /* Later operations of `s` wait for the last record of `event` queued before this call,
       on any device; for nothing if there is none. */
    enum proact_status (*wait_event)(struct device_stream *s, struct device_event *event,
                                     struct proact_error *err);
    /* Waits for the last record of `event`; what broke is said by synchronize at the
       latest. NULL: only synchronize waits. */
    enum proact_status (*await_event)(struct device_event *event, struct proact_error *err);
    /* Of what was queued before the last record of the event; where that is NULL, of all
       that the stream was given; without either, of everything. What waits for a word is
       PROACT_PROGRESS_UNKNOWN, and so is what broke. Does not wait. NULL: nothing is known.
     */
    enum proact_progress (*progress)(struct device_set *set, struct device_stream *s,
                                     const struct device_event *event);
    /* Later operations of `s` wait until let_go, but no longer than so: what is queued in
       the meantime begins without having waited for the host. One at a time; the next one
       after synchronize. NULL: the host takes no time. */
    enum proact_status (*hold)(struct device_stream *s, uint64_t limit_ns,
                               struct proact_error *err);
    void (*let_go)(struct device_set *set);
    /* Later operations wait until the 32-bit word, on the stream's own device, is at least
       `value` (as signed distance); `reason` may be NULL. write_value may address a peer:
       push, never pull. */
    enum proact_status (*wait_value)(struct device_stream *s, device_addr word,
                                     uint32_t value, const struct device_reason *reason,
                                     struct proact_error *err);
    enum proact_status (*write_value)(struct device_stream *s, device_addr word,
                                      uint32_t value, struct proact_error *err);

    /* Waits for what is queued where streams wait for words. */
    enum proact_status (*module_load)(struct device_set *set, unsigned device,
                                      const char *name, const char *ptx, size_t bytes,
                                      struct device_module **out, struct proact_error *err);
    /* The same without a compiler: `binary` is what that text became for such a device (a
       cubin, whose length stands in it). Where the device does not take it, load the text.
       NULL: there is no such thing here. */
    enum proact_status (*module_load_binary)(struct device_set *set, unsigned device,
                                             const char *name, const char *ptx,
                                             size_t bytes, const void *binary,
                                             struct device_module **out,
                                             struct proact_error *err);
    void (*module_unload)(struct device_module *m);
    /* Whether kernels can launch kernels, by CUDA's device runtime: its functions
       __cudaCDP2... are at the hand of modules that declare them. PROACT_EREFUSED says what
       is missing. NULL: they can. */
    enum proact_status (*launches)(struct device_set *set, struct proact_error *err);
    enum proact_status (*function)(struct device_module *m, const char *name,
                                   struct device_function **out, struct proact_error *err);
    enum proact_status (*function_info)(struct device_function *f,
                                        struct device_function_info *out,
                                        struct proact_error *err);
    /* CTAs of so many threads, with so much dynamic shared memory, that an SM holds at
       once; 0 where it holds none. How many it was built for is not asked, as CUDA does
       not. */
    enum proact_status (*residency)(struct device_function *f, uint32_t threads,
                                    uint64_t shared_bytes, uint32_t *out,
                                    struct proact_error *err);
    /* Address and size of a module's variable on that device. */
    enum proact_status (*variable)(struct device_module *m, const char *name,
                                   device_addr *out, size_t *bytes,
                                   struct proact_error *err);
    enum proact_status (*launch)(struct device_stream *s, struct device_function *f,
                                 const struct device_launch *launch,
                                 struct proact_error *err);

    /* What streams of several devices are given between the two may be queued on all of
       them at once, by threads of the keeper's own, and what goes wrong may be said as late
       as by batch_end. NULL, both: one behind another is as good. */
    void (*batch_begin)(struct device_set *set);
    enum proact_status (*batch_end)(struct device_set *set, struct proact_error *err);

    /* Stream operations between the two are not queued but kept. write, read and everything
       that is no stream operation have no place there; waits for what was recorded before
       count for nothing. PROACT_EREFUSED where two devices cannot reach each other (begin),
       or where copies could hold up each other or kernels launch kernels (end).
       graph_launch queues them all anew: behind what was queued before,
       on any stream, and ahead of what is queued later. */
    enum proact_status (*capture_begin)(struct device_set *set, struct proact_error *err);
    enum proact_status (*capture_end)(struct device_set *set, struct device_graph **out,
                                      struct proact_error *err);
    enum proact_status (*graph_launch)(struct device_graph *g, struct proact_error *err);
    void (*graph_destroy)(struct device_graph *g); /* waits for it; NULL is fine */

    /* What is queued between begin and end is most likely what was queued there the last
       time. Where it is, and is launches, copies and fills of one stream, it may be queued
       at once, by the end at the latest, and what goes wrong may be said as late. Not
       within a capture, nor one within another. NULL, all four: each is queued by itself.
     */
    enum proact_status (*repeat_create)(struct device_set *set, struct device_repeat **out,
                                        struct proact_error *err);
    void (*repeat_begin)(struct device_repeat *r);
    enum proact_status (*repeat_end)(struct device_repeat *r, struct proact_error *err);
    void (*repeat_destroy)(struct device_repeat *r); /* waits; NULL is fine */

    /* Waits for all that was queued on all devices. What broke is said here. */
    enum proact_status (*synchronize)(struct device_set *set, struct proact_error *err);
    /* Whether all devices come to rest by themselves within so long (of the host's time,
       where that is not virtual): not where a kernel waits for what the host has yet to
       write. 0: whether they are at rest. What broke is at rest. */
    bool (*try_quiesce)(struct device_set *set, uint64_t limit_ns);
    /* After it: whether devices waited for each other in a graph for longer than anything
       may be waited for, PROACT_ETIMEOUT; that breaks the set. NULL: they never do. */
    enum proact_status (*check_timeouts)(struct device_set *set, struct proact_error *err);
    /* Between two recorded events with time: after synchronize, or of a machine that is not
       virtual at any time: it waits for both. */
    enum proact_status (*elapsed)(struct device_event *from, struct device_event *to,
                                  double *ns, struct proact_error *err);
    uint64_t (*now_ns)(struct device_set *set); /* of the last synchronize */

    /* Names for a profiler: what is copied between the two, of a chunk (DEVICE_WHOLE: of
       all chunks) of an array, goes to that device. NULL, both: no profiler ever listens.
     */
    void (*carry_begin)(struct device_set *set, const struct device_reason *what,
                        unsigned to);
    void (*carry_end)(struct device_set *set);

    /* NULL: the machine does not count. */
    struct device_traffic (*traffic)(const struct device_set *set, unsigned from,
                                     unsigned to);
    void (*observe)(struct device_set *set, device_observer *observer, void *context);
    /* Declares or (base all 0 of the same name) forgets replicas; may do nothing. */
    void (*replicas)(struct device_set *set, const struct device_replicas *replicas);
    /* At rest: whether a device's replica lacks nothing there that another has. Else
       PROACT_EFAULT, naming array, byte and who did not send it. NULL: not looked at. */
    enum proact_status (*current)(const struct device_set *set, device_addr first,
                                  uint64_t bytes, struct proact_error *err);
    /* On every device, before a module is loaded whose kernels need it: later it may be
       refused. Waits for the devices. NULL: what is set is taken for granted. */
    enum proact_status (*limit)(struct device_set *set, enum device_limit what,
                                size_t bytes, struct proact_error *err);
    bool has_unit; /* launches may carry a device_unit */

    /* Texels of one device, a stream operation that copies to, from or between them (ends
       that lie in memory of the host are read and written before it is back), and objects
       that kernels of that device take by their handles. `to`, `from`: the texels of the
       two ends, or NULL; what the sides say of them is theirs. Those of the stream's device
       also go to another one's. Destroying waits. NULL, all seven: there are none here. */
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

    /* Guests: who queues on a device past us, as libraries do that bring a CUDA runtime of
       their own. What they queue from now on comes after what `s` has so far; or later
       operations of `s` come after all that guests of its device have queued so far. A
       stream for them goes by its handle of the driver. NULL, all five: there are none. */
    void (*interop_attach_thread)(struct device_set *set,
                                  unsigned device); /* see proact/interop.h */
    enum proact_status (*interop_begin)(struct device_stream *s, struct proact_error *err);
    enum proact_status (*interop_end)(struct device_stream *s, struct proact_error *err);
    enum proact_status (*interop_stream_create)(struct device_set *set, unsigned device,
                                                void **out, struct proact_error *err);
    void (*interop_stream_destroy)(struct device_set *set, unsigned device, void *stream);
};

extern const struct device_backend device_emulator, device_cuda;

/* By the keeper's write_rows, read_rows and fill_rows, or row by row. */
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
