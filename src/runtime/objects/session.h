/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/* What stands behind the handles of <proact/proact.h>. Everything belongs to its session.
 */

#include <proact/program.h>

#include "device/device.h"
#include "ptx/ptx.h"
#include "runtime/autotune/trial.h"
#include "runtime/objects/order.h"
#include "runtime/objects/span_book.h"
#include "runtime/objects/validity.h"
#include "topology/topology.h"
#include "transfer/transfer.h"

_Static_assert((int)PROACT_DEVICES_MAX == (int)TRANSFER_DEVICES_MAX, "one limit");

struct proact_array {
    struct proact *session;
    struct proact_array *next;
    uint64_t id; /* never used again in the session */
    char *name;  /* its own in the session */
    size_t count, element_bytes, bytes;
    device_addr base[PROACT_DEVICES_MAX];
    uint64_t part;  /* distributed.h: the next device has what lies so far behind; 0: it is
                       not, and has replicas */
    bool is_shared; /* the host may have changed it at any time */
    bool is_pinned; /* the first device's replica is the host's memory */
    struct validity_map validity_map; /* fetch.c */
    struct transition_cache *steps;   /* transition_cache.h; NULL: none yet */
    uint64_t validity_sequence;       /* the last change of all arrays that they know of */
    uint64_t changes; /* grows when anything, but the host to one that it shares, may have
                         written to it; after array_catch_up() */
    struct known_bytes *known; /* known_bytes.h; NULL: nothing of it is known */
    uint64_t settled_changes; /* of a shared one, when devices last had done all they would,
                                 if it was asked then */
    bool was_settled;
    bool by_launch;       /* a launch on one device made the others stay behind */
    struct choice *wrote; /* whose launch wrote last to it, either way; NULL: none's */
    struct kernel_binding *writer; /* whose launch last wrote to it; NULL: another way */
    unsigned writer_slot;
    uint64_t used; /* the last operation that touched it, on lane MAIN */
    /* The last that sent it: from whom, to whom, by which lane. */
    uint64_t sent[PROACT_DEVICES_MAX][PROACT_DEVICES_MAX][TRANSFER_LANES];
    /* What was sent to a device since a launch there last waited for all of that. */
    struct transfer_need fresh[PROACT_DEVICES_MAX];
    struct array_traffic {
        uint64_t bytes, chunks;
    } traffic[PROACT_DEVICES_MAX];
    struct array_in_launch { /* launching.h: the last one that counted its arrays */
        uint64_t counted;
        size_t relocation;
        uint32_t number;
    } in_launch;
    struct array_partials { /* partials.h */
        device_addr at[PROACT_DEVICES_MAX];
        uint32_t kind;       /* of reductions, for which they are ready; 0: for none */
        uint64_t generation; /* of the session, since which they are */
        bool are_used;       /* by the launch on its way */
        bool is_refused;     /* there was no memory */
    } partials;
};

/* A PTX text, loaded on every device. */
struct session_image {
    struct session_image *next;
    char *text;
    size_t bytes;
    char *given; /* by the caller, where that was another text; else NULL */
    size_t given_bytes;
    struct ptx_module *ptx;
    struct known_constants *constants; /* known_constants.c */
    unsigned devices; /* the first so many have it: all, if a kernel of it is marked; others
        run elsewhere as clones, which have modules of their own */
    struct device_module *module[PROACT_DEVICES_MAX];
    struct variable_array *variables; /* variable_array.h */
    size_t variable_count, variable_capacity;
};

/* One written array of a kernel, in the order of proact_kernel_map(). */
struct kernel_slot {
    unsigned arg;          /* with a map of the user's */
    uint32_t offset;       /* in the block of parameters, of the array's address */
    struct proact_map map; /* its tables are ours */
};

/* Tables and bindings are kept for the shapes of launch that asked for them. */
struct kernel_tables {
    struct kernel_tables *next;
    uint32_t slot, grid[3], cta_first[PROACT_DEVICES_MAX + 1];
    uint64_t array_bytes, chunk_bytes, rise_bytes;
    uint64_t digest;     /* of the map, where it was derived; else 0 */
    uint64_t needs;      /* of what is sent to whom; 0: all to all */
    uint64_t reads;      /* of what closes narrow gaps; 0: none are closed */
    uint64_t generation; /* of the session, when the counters last were as they should */
    uint64_t number;     /* its own in the session (transition_cache.h) */
    struct transfer_tables *tables;
};

/* Where each CTA of a launch writes one run of an array, all of
   it, and the next CTA the next one: CTA c from `first` + c * bytes on, the last ones only
   what is ahead of `end`. */
struct binding_stage {
    uint32_t bytes; /* of a CTA, of all arrays; 0: it is not so */
    struct stage_run {
        uint64_t first, end; /* bytes of the slot's array */
        uint32_t bytes, at;  /* at: in the stage */
    } run[PROACT_STAGED_MAX];
};

struct kernel_binding {
    struct kernel_binding *next;
    struct binding_stage stage; /* launch_stage.h */
    uint32_t grid[3];
    uint64_t digest; /* as in kernel_tables */
    struct proact_array *array[PROACT_SLOTS_MAX];
    struct kernel_tables *tables[PROACT_SLOTS_MAX];
    uint32_t cta_first[PROACT_DEVICES_MAX + 1];
    uint64_t uploaded;           /* the operation that put its tables on lane MAIN */
    struct consumers *consumers; /* consumers.c */
    uint32_t fragmented_slots;   /* by slot: fragments_detect() */
    bool has_gaps;               /* what lies between its rows was brought (fetch.c) */
    struct transfer_binding transfer;
};

struct proact_kernel {
    struct proact *session;
    bool checked_narrow_stores, is_narrow; /* launch_stage.c: its stores fill no packets */
    bool writes_interleaved; /* interleaved_writers.h: its last launch is, which writes what
                                has this digest */
    uint64_t interleaved_digest;
    struct proact_kernel *next;
    char *name;
    struct device_function *function[PROACT_DEVICES_MAX];
    const struct ptx_function *ptx;     /* of its image */
    struct proact_parameter *parameter; /* without the share */
    unsigned parameter_count;
    unsigned variable_count; /* of its last parameters, variables' addresses, which nobody
                                gives; they are not among parameter_count */
    uint32_t given_bytes;    /* of parameters without them */
    bool *given_addresses;   /* given_address.h */
    uint32_t parameter_bytes, partition_offset;
    const struct session_image *image;
    struct kernel_clones *clones;     /* runtime_clone.c; NULL: not made yet, or never */
    struct kernel_children *children; /* runtime_child.c; the same */
    /* The same for launches with distributed arrays (distributed.h): made when such a one
       comes. `used` is the one of the last launch, NULL: itself. */
    struct proact_kernel *variant_of, *variants, *next_variant, *used;
    struct kernel_direct *direct; /* of a variant; else NULL */
    struct kernel_specialization
        *specialization; /* launch_specialize.c; NULL: nobody asked */
    struct kernel_address_tables *tables_found; /* launch_tables.c; the same */
    struct proact_kernel *tabled; /* a variant with tables: of which kernel; else NULL */
    struct look_up *look_ups;     /* of one, by instruction (look_up.h); NULL: not known */
    struct kernel_interchanges *interchanges; /* interchanged_shape.h; NULL: nobody asked */
    char split_axis;      /* of one that was turned: 'x' or 'y'; else 0 */
    uint32_t whole_bytes; /* of parameters where it runs as it is in its module */
    struct session_image *own_image;      /* of a variant with another text; else NULL */
    struct kernel_derivation *derivation; /* derive.c; NULL: not made yet */
    char *refusal, *refusal_text;         /* as it was last, and with lines of the source */
    /* of it: by instruction, flags (launch_flags.h); which of them stay atomics; and by
       which swaps the least or the greatest is found */
    const bool *flag_stores, *flag_joints, *flag_swaps;
    bool owns_atomics; /* of it: some launch was split that updates by atomics what no other
                          device's CTAs write to */
    struct kernel_choices *choices;      /* choice.h; the same */
    struct kernel_partition *boundaries; /* boundaries.h */
    struct kernel_needs *needs;          /* needs.c; the same */
    char *uses_clusters; /* launch_cluster.c: what of it does, a sentence; NULL: nothing */
    struct proact_error in_clusters; /* of its last launch, "" if that was in none */
    bool is_annotated;
    bool has_maps;                /* the user's; else its slots are derived */
    bool checked_waits;           /* whether it may wait for others, or the host */
    bool may_write;               /* it has an instruction that writes to global memory */
    struct kernel_texels *texels; /* kernel_texels.h; NULL: it has none */
    struct proact_error with_textures; /* why its last launch is not split for these */
    uint64_t looked_through;           /* work of slices that ask for constants */
    /* Of the host, to find what launches write and to make tables of it, where it was not
       known: for the last one; and for all, as far as none came again (derive.h). */
    uint64_t found_ns, debt_ns;
    unsigned misses_in_a_row; /* launches in a row of which it was not known */
    struct kernel_slot slot[PROACT_SLOTS_MAX];
    unsigned slot_count;
    struct kernel_tables *tables;
    struct kernel_binding *bindings;
};

/* A launch since the last wait whose agents may have given up. */
struct session_launch {
    uint32_t epoch;
    const struct kernel_binding *binding;
};

struct session_lazy_devices { /* lazy_devices.h */
    bool was_lazy, are_pending, is_opening;
    uint64_t cost_ns;             /* to open and close them, as is likely */
    uint64_t since_ns, first_ns;  /* the session; its first launch, or 0 */
    uint64_t took_ns;             /* from the session's beginning until they were there */
    uint64_t launches;            /* from the first one on */
    struct device_event *mark[2]; /* by turns, behind some of them; NULL: none yet */
    char why[sizeof((struct proact_error *)0)->text], report_text[640]; /* why: "", or they
                                                                    never will be */
};

struct proact {
    struct topology topology;
    const struct device_backend *backend;
    struct device_set *set;
    struct transfer_devices devices;
    struct transfer_plan plan;
    struct order order;
    struct span_book book;
    struct session_lazy_devices lazy_devices;
    uint64_t sequence;      /* of the last operation queued */
    uint64_t last_sent;     /* the last that sent an array to peers ... */
    uint64_t first_awaited; /* ... that lane MAIN of the first device has waited for */
    uint64_t all_used;      /* the last there that may have touched every array ... */
    bool device0_is_stale;  /* some replica of the first device may not be current */
    uint64_t all_changed; /* the last there that may have written to every array, and ... */
    struct choice *whole_by; /* ... whose launch need not have been whole; NULL: none's */
    bool looks;              /* the launch under way only tries how long it takes */
    struct stopwatch *stopwatch; /* NULL: nothing was timed yet */
    struct choice *choices;      /* of all kernels, the latest first */
    struct trial trial;
    struct { /* look.h */
        uint64_t spent_ns;
        uint64_t launches; /* since looks were paid for */
        bool goes_whole;   /* the last launch that was chosen */
    } look;
    uint64_t chosen;      /* launches of which it is chosen how they run */
    unsigned launched_on; /* the first device with CTAs of the last launch */
    uint64_t orders;      /* changes of the dimension along which some are split */
    struct fetched {      /* by launches that were timed */
        double bytes, ns;
    } fetched;
    uint64_t variables;      /* grows when variables of modules may have changed */
    uint64_t constants;      /* ... and of these, ones that kernels only read */
    uint64_t generation;     /* grows when launches broke and left counters anyhow */
    unsigned threads;        /* of the host that run slices; 0: as many as cores */
    unsigned cores;          /* of the host that do */
    bool reassociate_floats; /* proact_options */
    bool checks;             /* proact_options */
    unsigned forced_axes; /* a test's wish: launches are split along these dimensions, a bit
                       each, wherever they can be (launch_axis.h) */
    bool elides;          /* some launch did not send what it says it did */
    bool has_variables;   /* some module has one that kernels may write */
    bool has_lent;        /* they may write to any: the program has an address of one */
    bool has_interop;
    uint64_t interop_sequence; /* the last operation that guests, if any, follow */
    uint64_t last_id;
    uint64_t last_number;    /* of needs and tables (transition_cache.h) */
    uint64_t arrays_changed; /* grows when one is made, or goes */
    uint64_t counted;        /* launches that counted their arrays */
    uint64_t now_ns;
    struct array_boundaries *boundaries; /* boundaries.h */
    struct proact_array *arrays;
    struct proact_texture_array *texels; /* texels.c */
    struct session_texture *textures;    /* textures.c */
    struct proact_kernel *kernels;
    struct session_image *images;
    struct proact_recording *recording; /* under way, or NULL */
    struct proact_recording *recordings;
    bool records_unlike; /* something is not split only because it is recorded */
    struct proact_event *events;
    struct proact_loop *repeats, *repeating; /* all; the one under way, or NULL */
    struct program_streams *streams; /* program_streams.h; NULL: none was ever used */
    struct session_launch *launches;
    size_t launch_count, launch_capacity;
    struct device_traffic traffic_before[PROACT_DEVICES_MAX][PROACT_DEVICES_MAX];
    uint64_t chunks[PROACT_DEVICES_MAX]; /* sent by each device */
    bool has_waiting; /* some kernel may wait for what the host does behind its launch; */
    bool is_blocked;  /* and did, when that was last asked */
    enum proact_status kept_status; /* what session_settle() keeps for the next wait */
    struct proact_error kept;
};

/* The first so many devices are there. */
static inline unsigned devices_here(const struct proact *p)
{
    return p->lazy_devices.are_pending ? 1 : p->devices.count;
}

/* A kernel, or a library, may have written to variables. */
static inline void session_variables_used(struct proact *p)
{
    p->variables += p->has_variables;
    p->constants += p->has_lent;
}

/* Waits in the midst of a call that has no place for what went wrong: the next
   proact_wait() says it. */
void session_settle(struct proact *p);
/* Whether that, or proact_wait(), comes to an end in the midst of a call, by which a kernel
   that waits for what the host does later cannot go on. Waits for a while where there may
   be such. */
bool session_try_quiesce(struct proact *p);
/* The same of what went wrong otherwise. */
void session_keep(struct proact *p, enum proact_status status,
                  const struct proact_error *err);

/* Reads the first device's memory after all that is queued. Where that lane did all the
   work since the last wait, as in a program of which nothing is split, no other is waited
   for, of which there are several a device; and of a program's streams the one in use. */
enum proact_status session_read_first(struct proact *p, const struct device_rows *rows,
                                      struct proact_error *err);

/* Since the last wait for all nothing was done but on the first device's main lane, and
   nobody hears what is only told then. */
bool session_is_first_alone(const struct proact *p);

/* Waits for an event of the first device; for all, where more than that device is at work.
 */
enum proact_status session_await_event(struct proact *p, struct device_event *event,
                                       struct proact_error *err);

/* As the contract's progress; where more than the first device is at work, nobody knows
   that anything is done. */
enum proact_progress session_progress(const struct proact *p, struct device_stream *s,
                                      const struct device_event *event);

/* proact_open() on a backend; tests hand in a pretend one. */
enum proact_status session_open(const struct device_backend *backend,
                                const struct proact_options *options, struct proact **out,
                                struct proact_error *err);

enum proact_status session_plan(const struct proact *p, const struct proact_plan *plan,
                                struct transfer_plan *out, struct proact_error *err);

void events_destroy(struct proact *p);
void repeats_destroy(struct proact *p);

/* The image, loaded on every device now or before. */
enum proact_status image_load(struct proact *p, const struct proact_image *image,
                              struct session_image **out, struct proact_error *err);
void image_destroy(const struct proact *p, struct session_image *image); /* in no list */

/* Bindings of a kernel; nothing may be in flight when they are dropped. `array`: only those
   that use it, NULL: all. */
void kernel_bindings_drop(struct proact_kernel *k, const struct proact_array *array);
void kernel_tables_drop(struct proact_kernel *k);
/* Before another shape of launch is added: where there are too many, all go. */
void kernel_shapes_trim(struct proact_kernel *k);

/* One more of the same, without what was made of it, but with the user's maps. */
enum proact_status kernel_variant_create(struct proact_kernel *k,
                                         struct proact_kernel **out,
                                         struct proact_error *err);

/* The same with another text of its image's, which it takes: its lines, modules and
   variables are the same, and so are its parameters, behind which it may have more. */
enum proact_status kernel_rewritten_create(struct proact_kernel *k, char *text,
                                           size_t bytes, struct proact_kernel **out);

/* Before its slots become others: waits, and drops what was made of the old ones. */
/* PROACT_ETIMEOUT where these are at work, and nobody knows for how long. */
enum proact_status kernel_slots_change(struct proact_kernel *k, struct proact_error *err);

/* Copies what the map borrows, after a look at it. `kernel` is for messages. */
enum proact_status map_copy(const struct proact_map *map, const char *kernel,
                            struct proact_map *out, struct proact_error *err);
void map_clear(struct proact_map *map);
struct map_use {
    const struct proact_map *map;
    const uint32_t *grid;
    uint64_t array_bytes;
};
/* Emits the bytes of one CTA; what begins beyond the array may be left out. */
typedef void map_sink(void *sink, const struct rows *rows);
void map_emit(const struct map_use *u, uint32_t cta, map_sink *emit, void *sink);
/* All CTAs', into a zeroed one; false if there are more rows than can be counted. */
bool map_runs(const struct map_use *u, uint32_t ctas, struct cta_runs *out);

/* The same, clipped to the array, by place, and none twice. From zero; free `range`. */
struct map_ranges {
    struct proact_range *range;
    size_t count, capacity;
    uint64_t array_bytes;
};
void map_list(const struct map_use *u, uint32_t cta, struct map_ranges *out);

/* The operation that is about to be queued on `relocation` (it will write the array if
   `writes`) comes after all that was sent into the replica there, and out of it. */
enum proact_status array_await(struct proact *p, const struct proact_array *a,
                               struct order_place relocation, bool writes,
                               struct proact_error *err);
/* The same, for all that was sent out of it alone. */
enum proact_status array_await_departures(struct proact *p, const struct proact_array *a,
                                          struct order_place relocation,
                                          struct proact_error *err);
/* The same, of a distributed array: after all that wrote to it, or that used it. */
enum proact_status array_await_parts(struct proact *p, const struct proact_array *a,
                                     struct order_place relocation, bool writes,
                                     struct proact_error *err);
/* What lane MAIN of a device did with one. */
void array_account_parts(struct proact_array *a, unsigned device, bool writes,
                         uint64_t sequence);
/* What one device sent of an array. */
void array_account(struct proact_array *a, unsigned device, uint64_t bytes,
                   uint64_t chunks);
/* What `relocation` is about to send into the replicas of `to`, a bit a device, comes after
   all that was done with them and with the one that it is sent from; `to` 0: it sends
   nothing.
 */
enum proact_status array_await_peers(struct proact *p, const struct proact_array *a,
                                     struct order_place relocation, uint32_t to,
                                     struct proact_error *err);
/* `sent`: what; NULL: anything. */
void array_account_sent(struct proact_array *a, unsigned from, uint32_t to,
                        enum transfer_lane lane, uint64_t sequence,
                        const struct transfer_table *sent);
