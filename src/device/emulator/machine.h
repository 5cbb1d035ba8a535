/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/* Emulated machine, internal to this backend. Times are in picoseconds.

   Each device is an independent simulation process with an event queue (the agenda), a
   clock and servers: issue slots of each SM, memory, L2, egress, ingress, copy engine. A
   server is the time at which it becomes free.

   Simulation proceeds in windows of one link latency. Within a window a device accesses
   only its own state; it affects other devices by messages, which are delivered from the
   outbox when all devices have reached the end of the window. Devices therefore run
   concurrently, and a run depends only on the seed. */

#include "base/random.h"
#include "device/device.h"
#include "device/emulator/check/check.h"
#include "device/emulator/memory/device_memory.h"
#include "device/emulator/memory/write_image.h"
#include "device/emulator/stream/agenda.h"
#include "device/emulator/traffic/arrivals.h"
#include "execute/execute.h"
#include "model/model.h"

enum { DEVICES_MAX = TOPOLOGY_DEVICES_MAX, PS = 1000 /* per nanosecond */ };

/* Unacknowledged parts of copies to one peer; at this number the copy engine waits. */
enum { COPY_PARTS = 6 };

struct bulk_cta;
struct kernel_run;
struct operation;
struct quanta_use;
struct resident;
struct emulator_workers;

/* Counts of messages with stores, by peer: those sent to it, or the prefix that it has
   acknowledged. A fence waits until `acknowledged` reaches `sent` as of its start. */
struct sent_marks {
    uint64_t to[DEVICES_MAX];
};

struct sm {
    uint64_t issue_free_ps, bulk_free_ps; /* instructions; bulk stores to peers */
    uint64_t miss_free_ps;                /* loads that miss the L2, see misses_per_sm */
    uint32_t threads, ctas;               /* resident now */
    uint32_t spin_warps;                  /* of CTAs that wait, see spin.h */
    uint64_t shared_bytes;
};

/* Resources used and progress made by one turn of a CTA. */
struct usage {
    uint64_t issued, longest, stalls, barriers;        /* see execute_cta */
    uint64_t sectors, missed_sectors, awaited_sectors; /* awaited: missed by loads */
    uint64_t replaced;                                 /* lines of the L2 */
    uint64_t loads, fresh_loads; /* fresh: its address differs from that of the previous
                                    load */
    uint64_t waited, missed;     /* accesses with a result; those that miss the L2 */
    uint64_t strong, stores, clocks;
    uint64_t fences;    /* of the warp that fenced first; fences of other warps overlap
                           with it */
    uint64_t fences_ps; /* total of fences whose time the machine file gives */
    const struct execute_warp *fenced;
    uint64_t news;       /* strong accesses whose address or value differs from the previous
                            one */
    uint64_t sent_bytes; /* payload to peers, without bulk stores */
    uint64_t leaves_ps;  /* departure of the last of them */
    uint64_t atomics_ps; /* completion of the last atomic */
    uint64_t children;   /* child kernels launched */
    uint64_t meetings;   /* cluster barriers passed */
};

/* Cache lines of the L2. The index XORs the high bits of a line number into the low
   bits. */
enum { L2_LINE_BYTES = 128, L2_LINES_MIN = 16, L2_FOLD = 17 };

/* Atomics on one address are serialized; number of serialization slots. */
enum { ATOMIC_PLACES = 1024 };
struct atomic_place {
    uint64_t address, free_ps;
};

struct emulated {
    struct device_set *set;
    unsigned number;
    uint64_t base; /* subtracted from addresses before hashing, so that a run does not
                      depend on where the process has its memory */
    struct agenda agenda;
    uint64_t now_ps;
    struct sm *sms;
    uint32_t resident_ctas, spin_warps;
    uint64_t memory_free_ps, l2_free_ps, out_free_ps, in_free_ps, engine_free_ps;
    uint64_t host_free_ps[2]; /* host link: to the device, and from it */
    uint64_t link_free_ps[DEVICES_MAX];
    struct bulk_cta *bulk_ctas; /* see bulk_store.h */
    uint32_t *l2_lines;         /* see global_access.c */
    uint64_t l2_mask;
    struct atomic_place *atomics; /* ATOMIC_PLACES */
    uint64_t arriving;            /* messages that wait for the ingress */

    struct message **outbox;
    size_t outbox_count, outbox_capacity;
    struct sent_marks sent, acknowledged;
    uint64_t part_marks[DEVICES_MAX][COPY_PARTS]; /* message numbers of the last parts of
                                                     copies, by peer */
    uint64_t part_count[DEVICES_MAX];             /* number of parts so far; index modulo
                                                     COPY_PARTS */
    uint64_t part_in_ps[DEVICES_MAX]; /* arrival of the last part of a copy, by sender */
    uint64_t credit_bytes;            /* bytes of CTAs' stores in flight */
    /* Acknowledgements to send, by the sender of the stores. */
    bool owed[DEVICES_MAX];
    uint64_t owed_credit[DEVICES_MAX], owed_at_ps[DEVICES_MAX];
    struct arrivals arrivals[DEVICES_MAX];
    struct waiter *waiters;   /* for acknowledgements */
    struct resident *stalled; /* CTAs that wait until fewer bytes are in flight */
    void (*credit_returned)(struct emulated *d); /* resumes them */

    struct kernel_run *running; /* launches with CTAs, oldest first */
    struct resident *residents; /* all CTAs on this device */
    struct resident *spare;     /* for reuse; stale agenda events may still refer to them */
    struct resident *current;   /* CTA whose turn runs */
    struct usage usage;
    struct execute_pool *pool;
    struct execute_host host;
    uint64_t chance;
    uint64_t replaced;         /* random state of lines that replayed launches replace */
    uint32_t *sample_lines;    /* L2 of samples, see quanta_sample.c; NULL: none yet */
    uint64_t sample_replaced;  /* lines of it, by the last sample */
    uint64_t meeting;          /* workspace of cooperative launches, see
                                  enqueue_launch(); 0: none */
    struct heap *heap;         /* device heap of kernels; NULL: none */
    struct children *children; /* slots for child kernels; NULL: none */

    uint64_t changes, looks; /* changes of memory or progress; polls without a change:
                                see stall.c */
    struct device_traffic traffic[DEVICES_MAX];
    struct span_log *log;
    struct print_log *prints;
    char warning[512]; /* first access that hardware tolerates */
    char fault[512];
    enum proact_status fault_status;
};

struct device_set {
    struct device_options options;
    const struct topology *topology;
    unsigned count, here;  /* devices 0 .. here - 1 are open (opening.h) */
    uint64_t remaining_ps; /* time at which the remaining devices are open; 0: not
                              requested */
    struct device_memory memory;
    struct write_images last_image; /* of large writes: one */
    struct write_images *written;   /* that writes use: this one, or the recordings' */
    struct emulated *devices;
    struct device_stream *streams;
    struct device_graph *tape,
        *paused;              /* graph being captured, or interrupted; NULL: none */
    struct device_event *met; /* end of the last launch of a graph; NULL: none */
    struct device_event *events;
    unsigned stream_count;
    uint64_t host_ps; /* clock of the host, which stamps queued operations */
    uint32_t issued;  /* number of operations, or of batches, so far */
    struct {          /* see host_time.c */
        bool is_open;
        struct operation *first[DEVICES_MAX], *last[DEVICES_MAX]; /* without a stamp */
        unsigned count[DEVICES_MAX];
    } batch;
    uint64_t latency_ps, window_end_ps;
    uint64_t *paths_free_ps; /* shared bus, or bridges between groups; see message.c */
    uint64_t changed_ps;     /* time of the last change on the machine */
    struct emulator_workers *workers; /* NULL: not needed yet */
    bool is_shared;                   /* the workers run this window */
    struct check *check;              /* NULL unless options.check */
    uint64_t grid_ids;
    uint64_t heap_bytes;  /* per device; 0: the default */
    uint32_t stack_bytes; /* per thread; 0: the default */
    struct image *images;
    struct device_module *modules;
    struct objects *objects;        /* textures and surfaces; NULL: none */
    struct quanta_use *quanta_uses; /* of recorded launches */
    device_observer *observer;
    void *observer_context;
    enum proact_status broken; /* status of all further calls, with `sentence` */
    char sentence[512];
    bool has_warned;
};

static inline uint64_t ps_of_ns(double ns)
{
    return (uint64_t)(ns * PS + 0.5);
}

/* Time of a transfer at a rate in GB/s. */
static inline uint64_t ps_of_bytes(double bytes, double gbps)
{
    return (uint64_t)(bytes * PS / gbps + 0.5);
}

/* Queues work of `work_ps`, which arrives at `now_ps`, at a server. Returns its completion
   time. */
static inline uint64_t serve(uint64_t *free_ps, uint64_t now_ps, uint64_t work_ps)
{
    *free_ps = (*free_ps > now_ps ? *free_ps : now_ps) + work_ps;
    return *free_ps;
}

/* Charges a fence or a release: the time in the machine file, or that of a load. */
static inline void count_fence(struct emulated *d, const struct execute_warp *w,
                               enum execute_scope scope)
{
    const struct topology_device *t = &d->set->topology->device;
    double ns = scope == EXECUTE_SYS ? t->fence_system_ns : t->fence_gpu_ns;
    struct usage *u = &d->usage;

    if (!u->fenced)
        u->fenced = w;
    if (u->fenced != w || scope == EXECUTE_CTA)
        return;
    u->fences += ns <= 0;
    u->fences_ps += ps_of_ns(ns);
}

static inline void later(struct emulated *d, uint64_t time_ps,
                         void (*happen)(struct emulated *, void *, uint64_t), void *subject,
                         uint64_t detail)
{
    agenda_push(&d->agenda,
                (struct happening){.time_ps = time_ps > d->now_ps ? time_ps : d->now_ps,
                                   .happen = happen,
                                   .subject = subject,
                                   .detail = detail});
}

/* Records the first fault of a device, which stops the machine at the end of the window. */
__attribute__((format(printf, 3, 4))) void device_fault(struct emulated *d,
                                                        enum proact_status status,
                                                        const char *format, ...);
