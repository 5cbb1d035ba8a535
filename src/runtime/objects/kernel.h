/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/* Kernel of a session, with its cached footprints, versions and bindings. */

#include <proact/device.h>
#include <proact/program.h>

#include "device/device.h"

/* One written array of a kernel, in the order of proact_kernel_map(). */
struct kernel_slot {
    unsigned arg;          /* with a map of the user's */
    uint32_t offset;       /* in the block of parameters, of the array's address */
    struct proact_map map; /* its tables are ours */
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
