/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/* Session: devices, plan, order of streams, and lists of its objects. The headers next to
   this one define these objects. Every object belongs to its session. */

#include <proact/program.h>

#include "device/device.h"
#include "runtime/objects/order.h"
#include "runtime/objects/span_book.h"
#include "runtime/objects/trial_state.h"
#include "topology/topology.h"
#include "transfer/transfer.h"

_Static_assert((int)PROACT_DEVICES_MAX == (int)TRANSFER_DEVICES_MAX, "one limit");

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
