/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/* Bytes that idempotent stores (flags.h) of a launch write. Input are the launch's write
   sets with the idempotent stores of one kind only, and without all of these. Arrays are
   numbered as in the write sets. Each function returns NULL, or the reason why the launch
   must not be split: the end of a sentence that begins with the stores. */

#include "access/shared_writes/flags.h"
#include "access/write_set.h"

struct flag_bytes {
    struct flag_range {
        uint32_t array;
        uint64_t first, end;
        uint32_t kind;
    } * range;
    size_t count, capacity;
};
void flag_bytes_clear(struct flag_bytes *b);

/* Sets by instruction: all idempotent stores; those that must remain atomics; all stores
   except those of that kind. Slices ignore the instructions of a set. The caller frees them
   with free(). */
bool *flag_bytes_all(const struct access_flags *f, const struct ptx_function *of);
bool *flag_bytes_joint(const struct access_flags *f, const struct ptx_function *of);
bool *flag_bytes_others(const struct access_flags *f, const struct ptx_function *of,
                        uint32_t kind);

/* Removes these instructions from the idempotent stores. */
void flag_bytes_leave(struct access_flags *f, const bool *instructions);

/* Refuses stored values that depend on an address, because it differs between devices. */
const char *flag_bytes_hang(const struct access_flags *f,
                            const struct write_set_pointer *pointers, size_t count);

/* Adds the bytes of one kind. They must lie in arrays of this kind's pointers. Bytes of
   another kind are refused, unless both kinds are shared atomics. */
const char *flag_bytes_add(struct flag_bytes *b, const struct access_flags *f,
                           uint32_t kind, const struct write_set *alone,
                           const struct write_set_pointer *pointers, size_t count);

/* Adds a complete array. It must not have any bytes yet. */
const char *flag_bytes_add_all(struct flag_bytes *b, uint32_t array, uint64_t bytes);
bool flag_bytes_are_all(const struct flag_range *r);

/* Refuses other stores to these bytes. */
const char *flag_bytes_written(const struct flag_bytes *b, const struct write_set *others);

bool flag_bytes_meet(const struct flag_bytes *b, uint32_t array, uint64_t first,
                     uint64_t end);
