/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/* Face of the room that moves what a kernel wrote to the peers. A mechanism (PROACT III-C)
   is one file with one `struct transfer_method`, and a row in transfer_methods.c; nothing
   else names one. The runtime room queues a launch like this, first on every device:

       wait for what the kernel needs, [method's before], the kernel on lane MAIN

   and then on every device, on lane SIDE:

       [beside], wait for the end of the kernel, [after] */

#include <proact/device.h>
#include <proact/status.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "device/device.h"
#include "transfer/table/transfer_table.h"

enum {
    TRANSFER_DEVICES_MAX = PROACT_PEERS_MAX + 1,
    TRANSFER_COPY_STREAMS = 2, /* of a device, for copies that are queued ahead */
};
enum transfer_lane { TRANSFER_MAIN, TRANSFER_SIDE, TRANSFER_LANES };

/* Labels of what is launched beside kernels of the user, and how all of them begin. */
#define TRANSFER_OWN_LABELS "proact "
#define TRANSFER_AGENT_LABEL TRANSFER_OWN_LABELS "agent"
#define TRANSFER_COMBINE_LABEL TRANSFER_OWN_LABELS "combine"

/* The opened machine, as methods see it: made once a session, by transfer_open(). */
struct transfer_devices {
    const struct device_backend *backend; /* borrowed, as is the set */
    struct device_set *set;
    unsigned count;
    uint64_t wait_limit_ns;
    struct transfer_device {
        struct device_stream *lane[TRANSFER_LANES];
        struct device_module *module; /* of the library's own kernels */
        struct device_function *agent;
        struct device_module *combine_module; /* and function: NULL, not loaded yet */
        struct device_function *combine;
        device_addr status; /* the agent's word, see kernels/agent.h */
    } device[TRANSFER_DEVICES_MAX];
};

/* `only_first`: of the others nothing is asked until transfer_open_rest(), nor may anything
   be sent. */
enum proact_status transfer_open(const struct device_backend *backend,
                                 struct device_set *set, uint64_t wait_limit_ns,
                                 bool only_first, struct transfer_devices *out,
                                 struct proact_error *err);
/* What is lacking; can be called again after a failure, and by transfer_close() undone. */
enum proact_status transfer_open_rest(struct transfer_devices *t, struct proact_error *err);
void transfer_close(struct transfer_devices *t); /* nothing is in flight; zeroed is fine */

/* Combines what lane MAIN has made on that device of partial results (kernels/combine.h)
   with what the first device has; loaded there before. */
struct combine_work;
enum proact_status transfer_combine_load(struct transfer_devices *t, unsigned device,
                                         struct proact_error *err);
enum proact_status transfer_combine(const struct transfer_devices *t, unsigned device,
                                    const struct combine_work *work,
                                    struct proact_error *err);

/* The tables of one map and grid, in the host's memory and in each device's. */
struct transfer_tables {
    unsigned device_count;
    struct transfer_table table[TRANSFER_DEVICES_MAX];
    struct proact_slot resident[TRANSFER_DEVICES_MAX]; /* without base and delta */
    device_addr block[TRANSFER_DEVICES_MAX];
    uint64_t block_bytes; /* the largest of them */
    uint32_t table_epoch; /* launches that have counted by it since its counters were 0 */
};

enum proact_status transfer_tables_create(const struct transfer_devices *devices,
                                          const struct transfer_table_request *request,
                                          struct transfer_tables **out,
                                          struct proact_error *err);
void transfer_tables_destroy(const struct transfer_devices *devices,
                             struct transfer_tables *t);
/* Queues zeros for all counters on that lane of each device. Nothing else that is queued
   may use them meanwhile. */
enum proact_status transfer_tables_restart(const struct transfer_devices *devices,
                                           struct transfer_tables *t,
                                           enum transfer_lane lane,
                                           struct proact_error *err);

struct transfer_binding;
/* Whether launches of it count their CTAs. */
bool transfer_counts(const struct transfer_binding *b);

struct transfer_plan {
    const struct transfer_method *method;
    const struct transfer_method
        *tail;            /* sends the last chunks; NULL: `method` sends all */
    uint64_t tail_bytes;  /* the chunks that hold a device's last so many */
    uint64_t chunk_bytes; /* 0: the method `schedules`, and nothing was asked for */
    unsigned threads;
    double compute_ratio; /* of a method that `schedules`; never 0 */
    bool everywhere;      /* tables are made for all, whoever reads */
    bool elide;           /* do all but send */
    bool is_open;         /* nobody has asked for that method */
};

/* Whether some of what it sends goes to all, or to nobody. */
bool transfer_sends_to_all(const struct transfer_plan *plan);
/* What it asks of a marked kernel: PROACT_SHARE_... */
uint32_t transfer_plan_mode(const struct transfer_plan *plan);
/* Whether kernels of such launches launch kernels. */
bool transfer_launches(const struct transfer_devices *devices,
                       const struct transfer_plan *plan);

/* A shape of launch: these arrays, written as these tables say, sent by this plan. Kept for
   all launches of that shape; all but `state` is the owner's. */
struct transfer_binding {
    const struct transfer_devices *devices;
    struct transfer_plan plan;
    uint32_t slot_count;
    struct transfer_slot {
        const char *array; /* its name */
        struct transfer_tables *tables;
        device_addr base[TRANSFER_DEVICES_MAX]; /* of the array's replicas */
    } slot[PROACT_SLOTS_MAX];
    void *state[TRANSFER_DEVICES_MAX];          /* the method's own */
    device_addr children[TRANSFER_DEVICES_MAX]; /* what kernels that its kernels launch are
                                                   told, the method's too; 0: none are */
    struct transfer_mixed *mixed; /* mixed.h; NULL: plan.method sends all chunks */
    bool is_tail;                 /* it is the part of a mixed one that plan.tail sends */
};

struct transfer_method {
    const char *name, *summary;
    uint32_t partition_mode;          /* PROACT_SHARE_... that it asks of a marked kernel */
    enum transfer_lane lane;          /* where its stores to the peers happen */
    bool takes_chunks, takes_threads; /* which fields of the plan it heeds */
    bool needs_peers;                 /* kernels store into the peers' memory */
    bool needs_unit;                  /* device_backend.has_unit */
    bool needs_children;              /* kernels launch kernels: device_backend.launches */
    bool sends_to_all;    /* or nothing; else each piece goes where it is wanted */
    bool may_give_up;     /* its waits have a limit: ask transfer_late() */
    bool mixes;           /* it may send a part of the chunks, another the rest */
    bool divides;         /* a device's CTAs may be several kernels, of which those that
                             send nothing are asked for nothing */
    bool passes_on;       /* what arrives is sent on: devices wait for each other */
    uint64_t chunk_bytes; /* where nothing is asked for; 0: as all */
    bool schedules; /* where nothing is asked for, the model gives each array's chunks */

    /* Makes state[device]; may allocate. NULL: nothing to make. */
    enum proact_status (*bind)(struct transfer_binding *b, unsigned device,
                               struct proact_error *err);
    void (*unbind)(struct transfer_binding *b, unsigned device);
    /* Before the kernel is queued on MAIN, which it may change; after it. NULL: nothing. */
    enum proact_status (*before)(const struct transfer_binding *b, unsigned device,
                                 const struct proact_partition *partition,
                                 struct device_launch *launch, struct proact_error *err);
    /* Once all devices' kernels are queued, on lane SIDE, which runs beside them. */
    enum proact_status (*beside)(const struct transfer_binding *b, unsigned device,
                                 const struct proact_partition *partition,
                                 struct proact_error *err);
    enum proact_status (*after)(const struct transfer_binding *b, unsigned device,
                                struct proact_error *err);
};

/* Names, NULL-terminated. find fails with a sentence that lists them; NULL is the default.
 */
const char *const *transfer_method_names(void);
enum proact_status transfer_method_find(const char *name,
                                        const struct transfer_method **out,
                                        struct proact_error *err);
/* What a plan's text says of methods: one name, or "BODY+TAIL:BYTES" (":BYTES" may be left
   out: one chunk). Fills these fields of the plan alone. */
enum proact_status transfer_methods_read(const char *text, struct transfer_plan *out,
                                         struct proact_error *err);
/* Can the machine do it? The sentence says what it lacks. */
enum proact_status transfer_method_check(const struct transfer_method *m,
                                         const struct transfer_devices *devices,
                                         struct proact_error *err);
/* For arrays that are written whole by one device: copied behind the kernel. */
const struct transfer_method *transfer_method_whole(void);

/* The caller has filled all up to `slot`; the rest is zero. */
enum proact_status transfer_bind(struct transfer_binding *b, struct proact_error *err);
void transfer_unbind(struct transfer_binding *b);

/* The steps of the binding's methods, as struct transfer_method tells them. */
enum proact_status transfer_before(const struct transfer_binding *b, unsigned device,
                                   const struct proact_partition *partition,
                                   struct device_launch *launch, struct proact_error *err);
enum proact_status transfer_beside(const struct transfer_binding *b, unsigned device,
                                   const struct proact_partition *partition,
                                   struct proact_error *err);
enum proact_status transfer_after(const struct transfer_binding *b, unsigned device,
                                  struct proact_error *err);
/* Whether stores to the peers happen on this lane. */
bool transfer_sends_on(const struct transfer_binding *b, enum transfer_lane lane);
/* The devices, a bit each, into whose memory a launch stores what `device` writes of a
   slot: as its tables say, which for a method that sends to all are made for all or none.
 */
uint32_t transfer_reach(const struct transfer_binding *b, unsigned device, uint32_t slot);
/* Whether anything is done on lane SIDE at all. */
bool transfer_works_beside(const struct transfer_binding *b);
bool transfer_divides(const struct transfer_binding *b);
bool transfer_passes_on(const struct transfer_binding *b);
bool transfer_may_give_up(const struct transfer_binding *b);

/* The whole launch's grid, of at least one CTA each way, and what divides by it. */
void transfer_partition_grid(struct proact_partition *partition, const uint32_t grid[3]);
/* What a marked kernel of `device` is told; cta_first and the grid are the caller's. */
void transfer_partition(const struct transfer_binding *b, unsigned device, uint32_t epoch,
                        struct proact_partition *partition);
/* The same, for a kernel of those of the device's CTAs from `first` on alone, which number
   from 0 there. They are quiet all or none. */
void transfer_partition_part(struct proact_partition *partition, uint32_t first,
                             bool is_silent);
/* The longest run of the device's CTAs that write nothing that is sent. */
void transfer_silent_range(const struct transfer_binding *b, unsigned device,
                           uint32_t *first, uint32_t *count);

/* Peer number `i` (0 .. count - 2) of a device: rotated, so that no two senders begin with
   the same one. */
static inline unsigned transfer_peer(const struct transfer_devices *t, unsigned device,
                                     unsigned i)
{
    return (device + 1 + i) % t->count;
}

/* Which number peer `peer` of a device is. */
static inline unsigned transfer_peer_number(const struct transfer_devices *t,
                                            unsigned device, unsigned peer)
{
    return (peer + t->count - device - 1) % t->count;
}

/* Bytes and chunks that one launch makes `device` send of a slot, to all peers together. */
uint64_t transfer_sent_bytes(const struct transfer_binding *b, unsigned device,
                             uint32_t slot);
uint64_t transfer_sent_chunks(const struct transfer_binding *b, unsigned device,
                              uint32_t slot);

/* What a wait for a chunk's counter is for: says who never came in the same words. */
struct device_reason transfer_reason(const char *array, uint32_t chunk,
                                     const struct transfer_table *table,
                                     uint32_t cta_first);

/* After a synchronize: whether an agent of `device` gave up since the last call, and for
 * what. */
struct transfer_late {
    uint32_t slot, chunk;
    uint32_t epoch; /* its low bits: transfer_late_is() compares */
};
enum proact_status transfer_late(const struct transfer_devices *t, unsigned device,
                                 bool *is_late, struct transfer_late *out,
                                 struct proact_error *err);
/* Whether `epoch` is the one that `late` tells of. */
bool transfer_late_is(const struct transfer_late *late, uint32_t epoch);
/* The sentence. `array` names the slot's array, `cta_first` the device's first CTA. */
enum proact_status transfer_late_fail(const struct transfer_devices *t, unsigned device,
                                      const struct transfer_late *late,
                                      const struct transfer_tables *tables,
                                      const char *array, uint32_t cta_first,
                                      struct proact_error *err);
