/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/* Pointer tables: addresses that a kernel of a program loads from read-only memory, through
   a pointer parameter (`float *const *out`, an array of structs with pointers) or from
   constants. */

#include "access/access.h"
#include "instrument/instrument.h"

struct proact_kernel;

enum { TABLES_MAX = 8, TABLE_BYTES_MAX = 16384 };

/* Use of 8 bytes of a table by the kernel. */
enum {
    TABLE_ADDRESS = 1,  /* loaded at once, not as floating point */
    TABLE_FOLLOWED = 2, /* ... and used as an address, possibly among others */
    TABLE_NUMBER = 4,   /* loaded in another way, or partly */
};

struct address_tables {
    struct access_analysis *analysis; /* own analysis if needs_analysis() does not
                                         suffice */
    unsigned count;
    struct address_table {
        struct instrument_table is; /* the table without its size */
        bool is_number;             /* contains no addresses (number_tables.h) */
        uint32_t load_count;
        struct table_load {
            uint32_t instruction, bytes; /* size of the load */
            uint8_t use;                 /* TABLE_... of each 8 bytes */
            bool is_known;
            bool is_named;        /* at a fixed offset of a variable */
            uint64_t first, step; /* the load begins there, plus multiples of `step` */
            int64_t low, end;     /* bounds of the load in the last examined launch */
        } * load;
    } of[TABLES_MAX];
};

struct address_tables address_tables_find(struct proact_kernel *k);
void address_tables_clear(struct address_tables *t);

/* Whether the pointer at that offset is a table. */
bool address_tables_have(const struct address_tables *t, uint32_t offset);

/* Adds tables of numbers only, whose loads have symbolic offsets. */
void address_tables_add_numbers(struct address_tables *t, struct proact_kernel *k);

/* The analysis that contains the loads of the tables. */
const struct access_analysis *address_tables_analysis(const struct address_tables *t,
                                                      struct proact_kernel *k);

struct table_reader {
    const struct access_analysis *analysis;
    const struct access_launch *at;
    const int64_t *trips; /* from access_trips() */
};

/* Bytes of a table, of `room` available ones, that the launch reads. -1: not known, outside
   of the available bytes, or before the start. `is_whole`: the table starts at the start of
   its array. */
int64_t address_table_bytes(struct address_table *t, const struct table_reader *by,
                            uint64_t room, bool is_whole);

/* TABLE_... of the 8 bytes at that offset. */
uint8_t address_table_use(const struct address_table *t, uint32_t at);
