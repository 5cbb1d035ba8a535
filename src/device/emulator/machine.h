/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/* The emulated machine, as its own files see it.

   Every device is a process of its own: it has its agenda, its clock and its servers (issue
   slots of each SM, memory, L2, the way out, the way in, the copy engine). A server is a
   time at which it will be free. Within a window of one link latency a device touches
   nothing but its own state; what concerns another device is a message, put into the outbox
   and handed over when all devices have reached the window's end. So devices can run side
   by side, and a run depends on the seed alone. Times are in picoseconds. */

#include "base/random.h"
#include "device/device.h"
#include "device/emulator/check/check.h"
#include "device/emulator/memory/device_memory.h"
#include "device/emulator/stream/agenda.h"
#include "device/emulator/traffic/arrivals.h"
#include "execute/execute.h"
#include "model/model.h"

enum { DEVICES_MAX = TOPOLOGY_DEVICES_MAX, PS = 1000 /* in a nanosecond */ };

/* Parts of copies on one way that the receiver has not acknowledged: a copy engine gets no
   further, however free its own way out is. */
enum { COPY_PARTS = 6 };

struct bulk_cta;
struct kernel_run;
struct operation;
struct resident;
struct emulator_workers;

/* By peer: how many messages that store something have been sent to it, and up to which it
   has acknowledged all of them. Who must wait for his stores waits until `acknowledged` has
   reached what was sent. */
struct sent_marks {
    uint64_t to[DEVICES_MAX];
};

struct sm {
    uint64_t issue_free_ps, bulk_free_ps; /* instructions; bulk stores to peers */
    uint32_t threads, ctas;               /* resident now */
    uint64_t shared_bytes;
};

/* What one turn of a CTA has used and done so far. */
struct usage {
    uint64_t sectors, missed_sectors;
    uint64_t loads, fresh_loads; /* fresh: of another address than the load before */
    uint64_t waited, missed;     /* accesses that answer; of them, those that miss the L2 */
    uint64_t strong, stores, clocks;
    uint64_t fences;    /* of the warp that fenced first: warps wait side by side */
    uint64_t fences_ps; /* of them, those whose time the machine file says */
    const struct execute_warp *fenced;
    uint64_t news; /* strong accesses that found another address or value than before */
    uint64_t sent_bytes; /* to peers, useful; bulk stores do not count */
    uint64_t leaves_ps;  /* when the last of them is on its way */
    uint64_t atomics_ps; /* when the last atomic is through */
    uint64_t children;   /* launched */
    uint64_t meetings;   /* of clusters, at their barriers */
};

/* Lines of the L2; the higher bits of a line's number are folded onto the lower ones. */
enum { L2_LINE_BYTES = 128, L2_LINES_MIN = 16, L2_FOLD = 17 };

/* Atomics on one address take turns. */
enum { ATOMIC_PLACES = 1024 };
struct atomic_place {
    uint64_t address, free_ps;
};

struct emulated {
    struct device_set *set;
    unsigned number;
    uint64_t base; /* of its addresses: what is computed from one must not tell where the
                      process got its memory */
    struct agenda agenda;
    uint64_t now_ps;
    struct sm *sms;
    uint32_t resident_ctas;
    uint64_t memory_free_ps, l2_free_ps, out_free_ps, in_free_ps, engine_free_ps;
    uint64_t host_free_ps[2]; /* the host's link: to the device, and from it */
    uint64_t link_free_ps[DEVICES_MAX];
    struct bulk_cta *bulk_ctas; /* see bulk_store.h */
    uint32_t *l2_lines;         /* see global_access.c */
    uint64_t l2_mask;
    struct atomic_place *atomics; /* ATOMIC_PLACES */
    uint64_t arriving;            /* messages that wait for the way in */

    struct message **outbox;
    size_t outbox_count, outbox_capacity;
    struct sent_marks sent, acknowledged;
    uint64_t part_marks[DEVICES_MAX][COPY_PARTS]; /* of the last parts of copies, */
    uint64_t part_count[DEVICES_MAX];             /* in turn */
    uint64_t part_in_ps[DEVICES_MAX]; /* when the last part of a copy was in, by sender */
    uint64_t credit_bytes;            /* of CTAs' stores on the way */
    /* Acknowledgements not yet sent, by the sender of the stores. */
    bool owed[DEVICES_MAX];
    uint64_t owed_credit[DEVICES_MAX], owed_at_ps[DEVICES_MAX];
    struct arrivals arrivals[DEVICES_MAX];
    struct waiter *waiters;   /* of acknowledgements */
    struct resident *stalled; /* CTAs that wait until the way out is less full */
    void (*credit_returned)(struct emulated *d); /* lets them go on */

    struct kernel_run *running; /* launches with CTAs, oldest first */
    struct resident *residents; /* all CTAs on this device */
    struct resident *spare;     /* kept for the next: stale turns may still name them */
    struct resident *current;   /* whose turn it is */
    struct usage usage;
    struct execute_pool *pool;
    struct execute_host host;
    uint64_t chance;
    uint64_t meeting;          /* see enqueue_launch(); 0: not made */
    struct heap *heap;         /* of what kernels allocate; NULL: none made */
    struct children *children; /* places for what kernels launch; NULL: none made */

    uint64_t changes, looks; /* of memory or progress; in vain: see stall.c */
    struct device_traffic traffic[DEVICES_MAX];
    struct span_log *log;
    struct print_log *prints;
    char warning[512]; /* the first: what a kernel did that hardware forgives */
    char fault[512];
    enum proact_status fault_status;
};

struct device_set {
    struct device_options options;
    const struct topology *topology;
    unsigned count, here;  /* here: the first so many are open (opening.h) */
    uint64_t remaining_ps; /* when the others are; 0: nobody asked for them */
    struct device_memory memory;
    struct emulated *devices;
    struct device_stream *streams;
    struct device_graph *tape; /* what is captured; NULL: nothing is */
    struct device_event *events;
    unsigned stream_count;
    uint64_t host_ps; /* the host's clock: stamps what it enqueues */
    uint32_t issued;  /* operations of streams, or batches of them */
    struct {          /* host_time.c */
        bool is_open;
        struct operation *first[DEVICES_MAX], *last[DEVICES_MAX]; /* not stamped yet */
        unsigned count[DEVICES_MAX];
    } batch;
    uint64_t latency_ps, window_end_ps, bus_free_ps;
    uint64_t changed_ps;              /* when anything on the machine last changed */
    struct emulator_workers *workers; /* NULL: not needed yet */
    bool is_shared;                   /* this window by the workers */
    struct check *check;              /* NULL unless options.check */
    uint64_t grid_ids;
    uint64_t heap_bytes;  /* of a device; 0: as many as usual */
    uint32_t stack_bytes; /* of a thread; as heap_bytes */
    struct image *images;
    struct device_module *modules;
    struct objects *objects; /* textures and surfaces; NULL: none were made */
    device_observer *observer;
    void *observer_context;
    enum proact_status broken; /* refuses all further work, with: */
    char sentence[512];
    bool has_warned;
};

static inline uint64_t ps_of_ns(double ns)
{
    return (uint64_t)(ns * PS + 0.5);
}

/* Bytes at a rate in GB/s. */
static inline uint64_t ps_of_bytes(double bytes, double gbps)
{
    return (uint64_t)(bytes * PS / gbps + 0.5);
}

/* A server that is free at `*free_ps` takes work of `work_ps` that came at `now_ps`: when
   it is done. */
static inline uint64_t serve(uint64_t *free_ps, uint64_t now_ps, uint64_t work_ps)
{
    *free_ps = (*free_ps > now_ps ? *free_ps : now_ps) + work_ps;
    return *free_ps;
}

/* A fence or a release takes as long as a load, unless the machine file knows better. */
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

/* The first fault of a device stops the machine at the window's end. */
__attribute__((format(printf, 3, 4))) void device_fault(struct emulated *d,
                                                        enum proact_status status,
                                                        const char *format, ...);
