/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/* Component header: the mechanisms that move written data to the peers (PROACT III-C). A
   mechanism is one file with one `struct transfer_method` and a row in transfer_methods.c.
   The runtime queues a launch in this order, first on each device: wait for the kernel's
   inputs, [before], the kernel on the kernel stream; then on each device, on the transfer
   stream: [`beside`], wait for the end of the kernel, [after]. */

#include <proact/device.h>
#include <proact/status.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "device/device.h"
#include "transfer/table/transfer_table.h"

enum {
    TRANSFER_DEVICES_MAX = PROACT_PEERS_MAX + 1,
    TRANSFER_COPY_STREAMS = 2, /* per device, for queued copies */
};
/* Streams of a device: the kernel stream and the transfer stream. */
enum transfer_lane { TRANSFER_MAIN, TRANSFER_SIDE, TRANSFER_LANES };

/* Labels of the library's own kernels, and their common prefix. */
#define TRANSFER_OWN_LABELS "proact "
#define TRANSFER_AGENT_LABEL TRANSFER_OWN_LABELS "agent"
#define TRANSFER_COMBINE_LABEL TRANSFER_OWN_LABELS "combine"

/* Opened machine as seen by the methods; transfer_open() fills it once per session. */
struct transfer_devices {
    const struct device_backend *backend; /* borrowed, with its set */
    struct device_set *set;
    unsigned count;
    uint64_t wait_limit_ns;
    struct transfer_device {
        struct device_stream *lane[TRANSFER_LANES];
        struct device_module *module;             /* the library's own kernels */
        struct device_function *agent, *spinning; /* spinning: does not sleep */
        struct device_module *combine_module; /* and its function; NULL: not loaded yet */
        struct device_function *combine;
        device_addr status; /* status word of the agent, see kernels/agent.h */
    } device[TRANSFER_DEVICES_MAX];
};

/* Opens the machine. only_first: the other devices are unused until
   transfer_open_rest(). */
enum proact_status transfer_open(const struct device_backend *backend,
                                 struct device_set *set, uint64_t wait_limit_ns,
                                 bool only_first, struct transfer_devices *out,
                                 struct proact_error *err);
/* Opens what is missing. After a failure it can be called again, or undone by
   transfer_close(). */
enum proact_status transfer_open_rest(struct transfer_devices *t, struct proact_error *err);
void transfer_close(struct transfer_devices *t); /* nothing is in flight; a zeroed struct
                                                    is allowed */

/* Queues a kernel that combines the device's partial results (kernels/combine.h) with the
   data of device 0, on the kernel stream. transfer_combine_load() comes first. */
struct combine_work;
enum proact_status transfer_combine_load(struct transfer_devices *t, unsigned device,
                                         struct proact_error *err);
enum proact_status transfer_combine(const struct transfer_devices *t, unsigned device,
                                    const struct combine_work *work,
                                    struct proact_error *err);

/* Tables of one map and grid, in host memory and on each device. */
struct transfer_tables {
    unsigned device_count;
    bool by_store; /* the kernel stores to the peers and does not count */
    struct transfer_table table[TRANSFER_DEVICES_MAX];
    struct proact_slot resident[TRANSFER_DEVICES_MAX]; /* without base and delta */
    device_addr block[TRANSFER_DEVICES_MAX];
    uint64_t block_bytes; /* largest of the blocks */
    uint32_t table_epoch; /* launches that have used the counters since they were zero */
};

enum proact_status transfer_tables_create(const struct transfer_devices *devices,
                                          const struct transfer_table_request *request,
                                          struct transfer_tables **out,
                                          struct proact_error *err);
void transfer_tables_destroy(const struct transfer_devices *devices,
                             struct transfer_tables *t);
/* Queues zeros for all counters on the given stream of each device. No other queued work
   may use them. */
enum proact_status transfer_tables_restart(const struct transfer_devices *devices,
                                           struct transfer_tables *t,
                                           enum transfer_lane lane,
                                           struct proact_error *err);

struct transfer_binding;
/* Whether launches of the binding count their CTAs. */
bool transfer_counts(const struct transfer_binding *b);

struct transfer_plan {
    const struct transfer_method *method;
    const struct transfer_method
        *tail; /* method of the last chunks; NULL: `method` sends all */
    const struct transfer_method *copies; /* method of the pairs of devices without peer
                                             access, if `method` or `tail` needs it */
    uint64_t tail_bytes;  /* size of the tail: chunks with a device's last tail_bytes */
    uint64_t chunk_bytes; /* 0: the user gave none and the method `schedules` */
    unsigned threads;
    double compute_ratio; /* for methods that schedule; never 0 */
    bool everywhere;      /* tables send to every device, independent of its reads */
    bool elide;           /* same launches, counters and waits, but nothing is sent */
    bool spins;           /* the agent of polling checks flags without sleeping */
    bool is_open;         /* the user named no method */
    bool chunk_is_open, threads_are_open; /* nor a chunk size, nor threads */
};

/* Whether kernels store to the peers exactly what they store on their device. */
bool transfer_stores(const struct transfer_plan *plan);
/* Whether the method, or the tail's, sends each piece to all peers or to none. */
bool transfer_sends_to_all(const struct transfer_plan *plan);
/* Mode of an annotated kernel under this plan: PROACT_MODE_... */
uint32_t transfer_plan_mode(const struct transfer_plan *plan);
/* Whether kernels under this plan launch kernels. */
bool transfer_launches(const struct transfer_devices *devices,
                       const struct transfer_plan *plan);

/* Binding: a shape of launch, with its arrays, tables and plan. It is reused for all
   launches of that shape. The owner fills everything except `state`. */
struct transfer_binding {
    const struct transfer_devices *devices;
    struct transfer_plan plan;
    uint32_t slot_count;
    struct transfer_slot {
        const char *array; /* name */
        struct transfer_tables *tables;
        device_addr base[TRANSFER_DEVICES_MAX]; /* of the array's replicas */
    } slot[PROACT_SLOTS_MAX];
    void *state[TRANSFER_DEVICES_MAX];          /* data of the method */
    device_addr children[TRANSFER_DEVICES_MAX]; /* argument of kernels that the device's
                                                   kernels launch, set by the method; 0:
                                                   none */
    /* Parts: a method, the chunks and the pairs of devices that it sends. The binding is
       the first part; transfer_bind() adds the others. */
    struct transfer_binding *next;        /* next part; NULL: none */
    uint32_t peers[TRANSFER_DEVICES_MAX]; /* per device: mask of the peers of the part, in
                                             the sender's numbering */
    bool is_copied;               /* part of the pairs out of reach: sends copied pieces */
    bool is_tail;                 /* part of the chunks that plan.tail sends */
    struct transfer_mixed *mixed; /* division of the chunks; NULL: all in one part */
};

/* What sends, for the planner's cost model. */
enum transfer_initiator {
    TRANSFER_UNPLANNED,          /* the planner never selects the method */
    TRANSFER_BY_STORE,           /* the kernel's stores */
    TRANSFER_BY_CTA,             /* the CTA that completes a chunk */
    TRANSFER_BY_AGENT,           /* a resident kernel */
    TRANSFER_BY_CHILD,           /* a kernel that the completing CTA launches */
    TRANSFER_BY_COPY,            /* copies after the kernel */
    TRANSFER_BY_COPY_AFTER_WAIT, /* copies queued after the counters of their chunks */
    TRANSFER_BY_RELAY,           /* the same, to a peer that copies them to the others */
};

struct transfer_method {
    const char *name, *summary;
    enum transfer_initiator initiator;
    uint32_t partition_mode;          /* mode of an annotated kernel: PROACT_MODE_... */
    enum transfer_lane lane;          /* stream of its stores to the peers */
    bool takes_chunks, takes_threads; /* plan fields that it uses */
    bool needs_peers;                 /* kernels store into peer memory */
    bool needs_unit;                  /* device_backend.has_unit */
    bool needs_children;              /* kernels launch kernels: device_backend.launches */
    bool sends_to_all;    /* each piece goes to all peers or none; else only to its
                             readers */
    bool may_give_up;     /* its waits have a limit; call transfer_late() */
    bool mixes;           /* it can send some of the chunks while another method sends
                             the rest */
    bool divides;         /* a device's CTAs may be several kernels; kernels that send
                             nothing need no action */
    bool passes_on;       /* devices wait for each other: it forwards received data, or
                             orders their copies */
    uint64_t chunk_bytes; /* default chunk size; 0: the common default */
    bool schedules; /* without a given size, the model selects each array's chunk size */

    /* Creates state[device]; may allocate. NULL: no state. */
    enum proact_status (*bind)(struct transfer_binding *b, unsigned device,
                               struct proact_error *err);
    void (*unbind)(struct transfer_binding *b, unsigned device);
    /* Step before the kernel is queued on the kernel stream; it may change the launch.
       NULL: no step. */
    enum proact_status (*before)(const struct transfer_binding *b, unsigned device,
                                 const struct proact_partition *partition,
                                 struct device_launch *launch, struct proact_error *err);
    /* Step on the transfer stream, concurrent with the kernels, after the kernels of all
       devices are queued; and step after the kernel has ended. */
    enum proact_status (*beside)(const struct transfer_binding *b, unsigned device,
                                 const struct proact_partition *partition,
                                 struct proact_error *err);
    enum proact_status (*after)(const struct transfer_binding *b, unsigned device,
                                struct proact_error *err);
};

/* Method names, terminated by NULL. An unknown name fails with a message that lists them; a
   NULL name is the default. */
const char *const *transfer_method_names(void);
enum proact_status transfer_method_find(const char *name,
                                        const struct transfer_method **out,
                                        struct proact_error *err);
/* Parses the method of a plan: one name, or "BODY+TAIL:BYTES" (default of BYTES: one
   chunk). Sets only these fields of the plan, and `copies`. */
enum proact_status transfer_methods_read(const char *text, struct transfer_plan *out,
                                         struct proact_error *err);
/* Whether the machine supports the method for a pair of devices, if it has any; else the
   message names what is missing. */
enum proact_status transfer_method_check(const struct transfer_method *m,
                                         const struct transfer_devices *devices,
                                         struct proact_error *err);
/* Prints the names of the methods that need peer access: "inline and fused". has_unit: also
   those of devices with a counting unit. */
struct text;
void transfer_peer_methods_print(bool has_unit, struct text *out);
/* What the pairs of a machine without peer access mean for these methods: "copies between
   devices 1 and 3 under inline and fused", or "inline and fused are refused" if no device
   reaches another. Returns false, and prints nothing, if all devices do. */
typedef bool transfer_reaches(const void *context, unsigned from, unsigned to);
bool transfer_pairs_explain(unsigned count, transfer_reaches *reaches, const void *context,
                            bool has_unit, struct text *out);
/* Method for arrays that a single device writes completely: copies after the kernel. */
const struct transfer_method *transfer_method_whole(void);

/* ---- Assignment of methods to pairs of devices (transfer_pairs.c) ---- */

/* Peers, in the sender's numbering, to which the plan's methods send. They are all peers,
   unless a method stores into peer memory: then the peers with peer access. The others
   receive what plan.copies sends. */
uint32_t transfer_reached_peers(const struct transfer_devices *t,
                                const struct transfer_plan *plan, unsigned device);
/* Whether some pair receives copies instead. */
bool transfer_copies_pairs(const struct transfer_devices *t,
                           const struct transfer_plan *plan);
/* Sets b->peers, and adds a part for the pairs that receive copies. */
void transfer_pairs_open(struct transfer_binding *b);
/* Prints these pairs: "copies between devices 1 and 3". Returns false, and prints nothing,
   if there are none. */
bool transfer_copies_print(const struct transfer_devices *t,
                           const struct transfer_plan *plan, struct text *out);
/* The same for the pairs of a machine without peer access. */
bool transfer_pairs_print(unsigned count, transfer_reaches *reaches, const void *context,
                          struct text *out);

/* Pieces of a table that the part sends: `first` has one entry per chunk, and one more.
   NULL: there are none. */
struct transfer_pieces {
    const uint32_t *first;
    const struct proact_piece *piece;
};
static inline struct transfer_pieces transfer_part_pieces(const struct transfer_binding *b,
                                                          const struct transfer_table *t)
{
    return b->is_copied ? (struct transfer_pieces){t->copied_first, t->copied}
                        : (struct transfer_pieces){t->piece_first, t->piece};
}

/* Binds the methods. The caller fills all members up to `slot` and zeroes the rest. */
enum proact_status transfer_bind(struct transfer_binding *b, struct proact_error *err);
void transfer_unbind(struct transfer_binding *b);

/* Steps of the binding's methods, see struct transfer_method. */
enum proact_status transfer_before(const struct transfer_binding *b, unsigned device,
                                   const struct proact_partition *partition,
                                   struct device_launch *launch, struct proact_error *err);
enum proact_status transfer_beside(const struct transfer_binding *b, unsigned device,
                                   const struct proact_partition *partition,
                                   struct proact_error *err);
enum proact_status transfer_after(const struct transfer_binding *b, unsigned device,
                                  struct proact_error *err);
/* Devices, as a bit mask, into whose memory a launch stores the bytes of a slot that
   `device` writes, from a stream or (TRANSFER_LANES) from any. For a method that sends to
   all it is all peers or none. Under a method that stores, a device of the mask may receive
   more bytes than the pieces that it needs. */
uint32_t transfer_reach(const struct transfer_binding *b, unsigned device, uint32_t slot,
                        enum transfer_lane lane);
/* Whether the transfer stream of the device has any work. */
bool transfer_works_beside(const struct transfer_binding *b, unsigned device);
bool transfer_divides(const struct transfer_binding *b);
bool transfer_passes_on(const struct transfer_binding *b);
bool transfer_may_give_up(const struct transfer_binding *b);

/* Sets the grid of the full launch, with at least one CTA in each dimension, and its
   divisors. */
void transfer_partition_grid(struct proact_partition *partition, const uint32_t grid[3]);
/* Fills the argument of an annotated kernel of `device`, except cta_first and the grid. */
void transfer_partition(const struct transfer_binding *b, unsigned device, uint32_t epoch,
                        struct proact_partition *partition);
/* Restricts the argument to a kernel with the device's CTAs from `first` on, which it
   numbers from 0. is_silent: none of them sends; else all may send. */
void transfer_partition_part(struct proact_partition *partition, uint32_t first,
                             bool is_silent);
/* Longest sequence of the device's CTAs whose writes stay on the device. */
void transfer_silent_range(const struct transfer_binding *b, unsigned device,
                           uint32_t *first, uint32_t *count);

/* Peer number `i` (0 .. count - 2) of a device. The order is rotated, so that no two
   senders begin with the same peer. */
static inline unsigned transfer_peer(const struct transfer_devices *t, unsigned device,
                                     unsigned i)
{
    return (device + 1 + i) % t->count;
}

/* Number of device `peer` among the peers of a device; inverse of transfer_peer(). */
static inline unsigned transfer_peer_number(const struct transfer_devices *t,
                                            unsigned device, unsigned peer)
{
    return (peer + t->count - device - 1) % t->count;
}

/* Bytes and chunks of a slot that `device` sends in one launch, summed over all peers. */
uint64_t transfer_sent_bytes(const struct transfer_binding *b, unsigned device,
                             uint32_t slot);
uint64_t transfer_sent_chunks(const struct transfer_binding *b, unsigned device,
                              uint32_t slot);

/* Description of a wait for a chunk's counter; the message of a timeout names the missing
   writers. */
struct device_reason transfer_reason(const char *array, uint32_t chunk,
                                     const struct transfer_table *table,
                                     uint32_t cta_first);

/* After a synchronize: whether an agent of `device` timed out since the last call, and the
   chunk it waited for. */
struct transfer_late {
    uint32_t slot, chunk;
    uint32_t epoch; /* low bits; compare with transfer_late_is() */
};
enum proact_status transfer_late(const struct transfer_devices *t, unsigned device,
                                 bool *is_late, struct transfer_late *out,
                                 struct proact_error *err);
/* Whether `epoch` is the epoch of the timeout. */
bool transfer_late_is(const struct transfer_late *late, uint32_t epoch);
/* Fails with the message of the timeout. `array` is the name of the slot's array,
   `cta_first` the device's first CTA. */
enum proact_status transfer_late_fail(const struct transfer_devices *t, unsigned device,
                                      const struct transfer_late *late,
                                      const struct transfer_tables *tables,
                                      const char *array, uint32_t cta_first,
                                      struct proact_error *err);
