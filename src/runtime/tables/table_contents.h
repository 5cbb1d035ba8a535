/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/* What tables of addresses hold (launch_tables.h), and what was made of a kernel for them.
 */

#include "runtime/launch/launch_fields.h"
#include "runtime/tables/address_tables.h"

enum { TABLE_VARIANTS_MAX = 4 };

struct table_content {
    uint64_t array, byte, changes; /* of which array, as it was after so many changes */
    uint64_t arrays;               /* of the session, as they were */
    uint64_t looks;     /* and of the kernel's extents, by which these places are */
    uint32_t bytes;     /* of it, that may be read */
    unsigned surprises; /* it was waited for, and was not as before */
    bool is_known;
    unsigned char *data;
    struct proact_relocation *relocation; /* their offsets are from its begin */
    uint32_t relocation_count;
};

/* Of a kernel; and of its variants, whose it is. */
struct kernel_address_tables {
    struct address_tables found;
    struct launch_fields fields; /* that its tables' extents hang on */
    uint64_t key;
    bool has_key, is_used;
    uint32_t bytes[TABLES_MAX]; /* that a launch of that key reads, if it is known */
    bool may_read;
    uint64_t looks; /* that were taken at these */
    struct table_content content[TABLES_MAX];
    uint32_t count;
    struct tabled {
        uint32_t bytes[TABLES_MAX];
        struct proact_kernel *variant; /* NULL: it cannot be made */
    } of[TABLE_VARIANTS_MAX];
    bool has_read;        /* memory, for the last launch, which had to wait */
    unsigned lost;        /* launches in a row for which it had, and that were not split */
    unsigned char *block; /* of the last launch */
    struct proact_relocation *relocations;
    size_t capacity;
};

void tables_drop(struct proact_kernel *k);

/* A launch with tables reads what they held before it: PROACT_EREFUSED where it writes to
   one of them. */
enum proact_status tables_check(const struct launching *l, const struct write_set *w,
                                struct proact_error *err);
/* Whether it writes to none, by those pointers, by their bytes in the block; or by any. */
bool tables_stay(const struct launching *l, const uint32_t *targets, uint32_t count,
                 bool is_any);
