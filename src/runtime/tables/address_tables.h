/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/* Addresses that a kernel of a program finds in memory, in tables that it only reads: what
   a pointer among its parameters leads to (`float *const *out`, an array of structs with
   pointers), or constants. */

#include "access/access.h"
#include "instrument/instrument.h"
#include "runtime/launch/launching.h"

enum { TABLES_MAX = 8, TABLE_BYTES_MAX = 16384 };

/* What the kernel does with 8 bytes of a table. */
enum {
    TABLE_ADDRESS = 1,  /* it reads them at once, and as no floating-point number */
    TABLE_FOLLOWED = 2, /* ... and goes there, or to any of several */
    TABLE_NUMBER = 4,   /* it reads them in another way, or some of them */
};

struct address_tables {
    struct access_analysis *analysis; /* its own, where needs_analysis() does not tell */
    unsigned count;
    struct address_table {
        struct instrument_table is; /* but for how much of it */
        bool is_number;             /* it has no addresses (number_tables.h) */
        uint32_t load_count;
        struct table_load {
            uint32_t instruction, bytes; /* all that it reads at once */
            uint8_t use;                 /* TABLE_... of each 8 bytes of it */
            bool is_known;
            bool is_named;        /* there alone, in a variable */
            uint64_t first, step; /* then it begins there, or any number of steps on */
            int64_t low, end;     /* and reads between these, in the last launch that was
                                     asked about */
        } * load;
    } of[TABLES_MAX];
};

struct address_tables address_tables_find(struct proact_kernel *k);
void address_tables_clear(struct address_tables *t);

/* One is behind the pointer at that byte of the block. */
bool address_tables_have(const struct address_tables *t, uint32_t offset);

/* Adds those of which it only reads numbers, at places that have a form. */
void address_tables_add_numbers(struct address_tables *t, struct proact_kernel *k);

/* Whose records the tables' loads are. */
const struct access_analysis *address_tables_analysis(const struct address_tables *t,
                                                      struct proact_kernel *k);

struct table_reader {
    const struct access_analysis *analysis;
    const struct access_launch *at;
    const int64_t *trips; /* as by access_trips() */
};

/* How many bytes of a table the launch reads, of so many that there are; -1: that is not
   known, nor that there are as many, or it begins ahead of it. `is_whole`: nothing lies
   ahead of it. */
int64_t address_table_bytes(struct address_table *t, const struct table_reader *by,
                            uint64_t room, bool is_whole);

/* TABLE_... of the 8 bytes from there on. */
uint8_t address_table_use(const struct address_table *t, uint32_t at);
