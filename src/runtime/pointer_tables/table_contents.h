/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/* Contents of pointer tables (launch_tables.h) and the kernel versions for them. */

#include "runtime/pointer_tables/address_tables.h"
#include "runtime/request/launch_fields.h"

struct write_set;

enum { TABLE_VARIANTS_MAX = 4 };

struct table_content {
    uint64_t array, byte, changes; /* array id, offset, and change count of the array */
    uint64_t arrays;               /* the session's count of array changes */
    uint64_t looks;     /* generation of the load bounds used for the relocations */
    uint32_t bytes;     /* readable bytes of the array */
    unsigned surprises; /* waits that found different contents */
    bool is_known;
    unsigned char *data;
    struct proact_relocation *relocation; /* offsets are relative to the table */
    uint32_t relocation_count;
};

/* State of one kernel, which also owns the versions. */
struct kernel_address_tables {
    struct address_tables found;
    struct launch_fields fields; /* fields on which the extents of the tables depend */
    uint64_t key;
    bool has_key, is_used;
    uint32_t bytes[TABLES_MAX]; /* bytes that a launch with this key reads, if known */
    bool may_read;
    uint64_t looks; /* generation of these extents */
    struct table_content content[TABLES_MAX];
    uint32_t count;
    struct tabled {
        uint32_t bytes[TABLES_MAX];
        struct proact_kernel *variant; /* NULL: the version cannot be created */
    } of[TABLE_VARIANTS_MAX];
    bool has_read;        /* the last launch read memory, with a wait */
    unsigned lost;        /* consecutive launches that waited and were not split */
    unsigned char *block; /* of the last launch */
    struct proact_relocation *relocations;
    size_t capacity;
};

void tables_drop(struct proact_kernel *k);

/* Fails with PROACT_EREFUSED if a launch with tables writes to one of them. The tables were
   read before the launch. */
enum proact_status tables_check(const struct launching *l, const struct write_set *w,
                                struct proact_error *err);
/* Whether the launch writes to none of its tables through pointers at these offsets;
   `is_any`: through any pointer. */
bool tables_stay(const struct launching *l, const uint32_t *targets, uint32_t count,
                 bool is_any);
