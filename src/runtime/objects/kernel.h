/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/* Kernel of a session, with its cached footprints, versions and bindings. */

#include <proact/device.h>
#include <proact/program.h>

#include "device/device.h"
#include "transfer/transfer.h"

/* Written array of a kernel, in the order of proact_kernel_map(). */
struct kernel_slot {
    unsigned arg;          /* number of the argument; only with a map of the user */
    uint32_t offset;       /* of the pointer in the parameter buffer */
    struct proact_map map; /* owns its tables */
};

struct proact_kernel {
    struct proact *session;
    bool checked_narrow_stores, is_narrow; /* it has sub-packet stores (launch_stage.c) */
    /* Chunks in which a CTA counts, by interleaved_writers.h, for the write set with that
       digest and chunks of that size. */
    struct {
        uint64_t digest, chunk_bytes;
        const struct transfer_method *method;
        double per_cta;               /* mean number of these chunks */
        double counted_ns, copied_ns; /* modelled (plan/rules/method.c); 0: unknown */
        bool are_many;                /* copies are faster */
    } interleaved;
    struct proact_kernel *next;
    char *name;
    struct device_function *function[PROACT_DEVICES_MAX];
    const struct ptx_function *ptx;     /* in the module of the image */
    struct proact_parameter *parameter; /* without the partition */
    unsigned parameter_count;
    unsigned variable_count; /* trailing parameters with addresses of variables; not in
                                parameter_count */
    uint32_t given_bytes;    /* bytes of the other parameters */
    bool *given_addresses;   /* given_address.h */
    uint32_t parameter_bytes, partition_offset;
    const struct session_image *image;
    struct transfer_plan plan; /* of the last launch that had one */
    enum launch_plan_reason {
        LAUNCH_PLAN_NONE,        /* no launch had a plan */
        LAUNCH_PLAN_SET,         /* the caller's */
        LAUNCH_PLAN_STORED,      /* of a profile (stored_plan.h) */
        LAUNCH_PLAN_OPEN,        /* of the problem (launch_problem.h), or the default */
        LAUNCH_PLAN_UNSUPPORTED, /* copies: no version supports the caller's or default */
        LAUNCH_PLAN_INTERLEAVED  /* copies: see interleaved_writers.h */
    } plan_reason;
    char *plan_text;                /* proact_kernel_plan() */
    struct {                        /* of the last launch; 0: it cannot be staged */
        double staged_ns, plain_ns; /* modelled (plan/rules/staging.c) */
    } staging;
    struct kernel_problems *problems; /* launch_problem.h; NULL: none yet */
    struct kernel_clones *clones;     /* kernel versions (runtime_clone.c); NULL: none */
    struct kernel_children *children; /* runtime_child.c; NULL: none */
    /* Kernels made from this one, such as variants for distributed arrays. `used` is the
       kernel of the last launch; NULL: this one. */
    struct proact_kernel *variant_of, *variants, *next_variant, *used;
    struct kernel_direct *direct; /* of a variant; else NULL */
    struct kernel_specialization
        *specialization; /* launch_specialize.c; NULL: not requested yet */
    struct kernel_address_tables *tables_found; /* table_contents.h; NULL: the same */
    struct proact_kernel *tabled; /* original without table parameters; NULL: none */
    struct look_up *look_ups; /* loads of these tables, by instruction; NULL: not known */
    struct kernel_interchanges *interchanges; /* interchanged_shape.h; NULL: the same */
    char split_axis;                 /* 'x' or 'y' after a dimension interchange; else 0 */
    uint32_t whole_bytes;            /* parameter bytes of a single-device launch */
    struct session_image *own_image; /* image of a rewritten variant; else NULL */
    struct kernel_derivation *derivation; /* derive.c; NULL: not created yet */
    uint64_t text_hash;                   /* session_profile.h; 0: not computed yet */
    char *refusal, *refusal_text;         /* the last one; the text names source lines */
    /* By instruction (derive_flags.h): shared writes; those that stay atomics; swaps of
       compare-and-swap loops that compute a minimum or maximum. */
    const bool *flag_stores, *flag_joints, *flag_swaps;
    bool owns_atomics; /* some split launch has atomics on bytes of one device only */
    struct kernel_stored_plan *stored_plans; /* stored_plan.h; NULL: none */
    struct kernel_choices *choices;          /* choice.h; NULL: not created yet */
    struct kernel_partition *boundaries;     /* boundaries.h; NULL: the same */
    struct kernel_needs *needs;              /* needs.c; NULL: the same */
    struct annotated_stores *stores;         /* annotated_stores.c; NULL: the same */
    char *uses_clusters; /* sentence about the first use of clusters; NULL: none */
    struct proact_error in_clusters; /* of the last launch; "" without clusters */
    bool is_annotated;
    bool has_maps;                     /* maps of the user; else the slots are derived */
    bool checked_waits;                /* whether it may wait for CTAs or the host */
    bool may_write;                    /* it has stores to global memory */
    struct kernel_texels *texels;      /* textures and surfaces; NULL: none */
    struct proact_error with_textures; /* why textures keep the last launch on one device */
    uint64_t looked_through;           /* work of slices that query constants */
    /* Host time for write sets and tables on cache misses: of the last launch, of the last
       result until it is used again, and of those that were not (derive.h). The last is
       charged to the budget. */
    uint64_t found_ns, unused_ns, charged_ns;
    enum {
        KERNEL_NEW,
        KERNEL_LAUNCHED,
        KERNEL_COUNTED,
        KERNEL_PREPARED
    } preparation;           /* runtime/autotune/preparation.h */
    uint64_t preparation_ns; /* host time of the preparation so far */
    struct kernel_slot slot[PROACT_SLOTS_MAX];
    unsigned slot_count;
    struct kernel_tables *tables;
    struct kernel_binding *bindings;
};
