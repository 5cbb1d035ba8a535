/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/* Session: devices, plan, order of streams, and lists of its objects. The headers next to
   this one define these objects. Every object belongs to its session. */

#include <proact/program.h>

#include "base/text.h"
#include "device/device.h"
#include "plan/budget.h"
#include "plan/validate.h"
#include "runtime/objects/order.h"
#include "runtime/objects/span_book.h"
#include "topology/topology.h"
#include "transfer/transfer.h"

_Static_assert((int)PROACT_DEVICES_MAX == (int)TRANSFER_DEVICES_MAX, "one limit");

/* Launch since the last wait whose agents may time out. */
struct session_launch {
    uint32_t epoch;
    const struct kernel_binding *binding;
};

struct session_lazy_devices { /* lazy_devices.h */
    bool was_lazy, are_pending, is_opening;
    uint64_t cost_ns;            /* estimated time to open and close the devices */
    uint64_t since_ns, first_ns; /* start of the session; of its first launch, or 0 */
    uint64_t took_ns;            /* from the start of the session until they were open */
    char why[sizeof((struct proact_error *)0)->text], report_text[640]; /* why: error of the
                                                                           opening, or "" */
};

struct session_pace { /* pace.h */
    uint64_t launches;
    struct device_event *mark[2]; /* recorded alternately after some launches; NULL: none */
    uint64_t from_ns, waited_ns;  /* for compilations */
};

struct proact {
    struct topology topology;
    const struct device_backend *backend;
    struct device_set *set;
    struct transfer_devices devices;
    struct transfer_plan constraint; /* the user's plan, which the plans of launches obey */
    struct text plan_copies;         /* proact_plan_copies() */
    struct session_used_plans {
        struct used_plan *plan;
        size_t count, capacity;
    } used_plans; /* runtime/kernel/used_plans.h */
    struct order order;
    struct span_book book;
    struct unified *unified; /* unified.h; NULL: transfers */
    struct session_lazy_devices lazy_devices;
    struct session_pace pace;
    uint64_t sequence;      /* last queued operation */
    uint64_t last_sent;     /* last operation that sent data to peers */
    uint64_t first_awaited; /* the last of these that device 0's kernel stream waited for */
    uint64_t all_used;      /* last operation of device 0 that may have used every array */
    bool device0_is_stale;  /* some replica of device 0 may be stale */
    uint64_t all_changed; /* last operation of device 0 that may have written every array */
    struct choice *whole_by; /* decision of that launch, if it could be split; NULL: none */
    bool looks;              /* the current launch is an attempt: no reads are recorded,
                                and no kernel version is loaded */
    struct stopwatch *stopwatch;     /* NULL: no launch was timed yet */
    struct choice *choices;          /* of all kernels, the latest first */
    struct session_profile *profile; /* session_profile.h */
    struct validation validation;    /* of the joint assignment */
    struct plan_budget budget;       /* of all measurements */
    struct {
        uint64_t launches; /* since measurements were last in budget (look.h) */
        bool goes_split;   /* the last decided launch was split */
    } look;
    struct {
        uint64_t ns;            /* host time of the prepared kernels */
        uint64_t waited_ns;     /* for work that was queued before, not part of it */
        unsigned done, waiting; /* kernels */
    } preparations;             /* runtime/autotune/preparation.h */
    uint64_t chosen;            /* launches with a decision */
    unsigned launched_on;       /* first device with CTAs of the last launch */
    uint64_t orders;            /* changes of partition axes */
    struct fetched {            /* by timed launches */
        double bytes, ns;
    } fetched;
    uint64_t variables;        /* counts possible changes of module variables */
    uint64_t constants;        /* counts those of variables that kernels only read */
    uint64_t generation;       /* counts failed waits, which leave counters undefined */
    unsigned threads;          /* host threads that execute slices; 0: one a core */
    unsigned cores;            /* the same, resolved */
    bool reassociate_floats;   /* proact_options */
    bool checks;               /* proact_options */
    enum proact_effort effort; /* proact_options */
    uint64_t vary_plans;       /* for tests: not 0: seed of plans that differ by launch */
    unsigned forced_axes;      /* for tests: dimensions (a bit each) that are partition axes
                                  where    possible */
    bool elides;               /* a plan skipped transfers: replicas cannot be checked */
    bool has_variables;        /* kernels may write to some variable */
    bool has_lent; /* the program has addresses of variables: kernels may write to any */
    bool has_interop;
    uint64_t interop_sequence; /* last operation that external libraries follow */
    uint64_t last_id;
    uint64_t last_number;    /* last key of needs and tables in transition caches */
    uint64_t arrays_changed; /* counts created and destroyed arrays */
    uint64_t counted;        /* counts launches that numbered their arrays */
    uint64_t now_ns;
    struct array_boundaries *boundaries;
    struct proact_array *arrays;
    struct proact_texture_array *texels;
    struct session_texture *textures;
    struct proact_kernel *kernels;
    struct session_image *images;
    struct proact_recording *recording; /* current one, or NULL */
    struct proact_recording *recordings;
    bool records_early;  /* plans of a recorded launch are being measured */
    bool records_unlike; /* the recording made something differ from an ordinary launch */
    struct proact_event *events;
    struct proact_loop *repeats, *repeating; /* all; the current one, or NULL */
    struct program_streams *streams;         /* NULL: the program has used none */
    struct session_launch *launches;
    size_t launch_count, launch_capacity;
    struct device_traffic traffic_before[PROACT_DEVICES_MAX][PROACT_DEVICES_MAX];
    uint64_t chunks[PROACT_DEVICES_MAX]; /* sent by each device */
    struct proact_quanta *quanta;        /* proact_options */
    struct session_shape *shapes;        /* launch_quanta.h */
    bool has_replayed;                   /* a launch has replayed recorded quanta */
    bool executes; /* despite `quanta`: the work of some launch depends on changed data */
    bool has_waiting; /* some kernel may wait for a later action of the host */
    bool is_blocked;  /* the last query found such a kernel waiting */
    enum proact_status kept_status; /* deferred by session_settle() for the next wait */
    struct proact_error kept;
};

/* Number of open devices. */
static inline unsigned devices_here(const struct proact *p)
{
    return p->lazy_devices.are_pending ? 1 : p->devices.count;
}

/* Records that a kernel or a library may have written to variables. */
static inline void session_variables_used(struct proact *p)
{
    p->variables += p->has_variables;
    p->constants += p->has_lent;
}
