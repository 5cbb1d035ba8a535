/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/* Which bytes a launch sets as flags (flags.h), found from what it writes with its flags of
   one kind alone, and with none of them. Arrays are numbered as in these write sets. Each
   says why the launch must not be split so: the rest of a sentence that begins with flags,
   or NULL where nothing is in the way. */

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

/* By instruction: the flags; those of them that have to stay atomics; and all stores but
   those that are flags of that kind. To cut slices without them; free() it. */
bool *flag_bytes_all(const struct access_flags *f, const struct ptx_function *of);
bool *flag_bytes_joint(const struct access_flags *f, const struct ptx_function *of);
bool *flag_bytes_others(const struct access_flags *f, const struct ptx_function *of,
                        uint32_t kind);

/* Those instructions are no flags. */
void flag_bytes_leave(struct access_flags *f, const bool *instructions);

/* What is stored must not be an address, which each device has its own. */
const char *flag_bytes_hang(const struct access_flags *f,
                            const struct write_set_pointer *pointers, size_t count);

/* Adds those of a kind. They are in arrays to which this kind's own pointers lead, and no
   other kind's but of those that are joint with it. */
const char *flag_bytes_add(struct flag_bytes *b, const struct access_flags *f,
                           uint32_t kind, const struct write_set *alone,
                           const struct write_set_pointer *pointers, size_t count);

/* All of an array; nothing of it was added before. */
const char *flag_bytes_add_all(struct flag_bytes *b, uint32_t array, uint64_t bytes);
bool flag_bytes_are_all(const struct flag_range *r);

/* Nothing else is stored there. */
const char *flag_bytes_written(const struct flag_bytes *b, const struct write_set *others);

bool flag_bytes_meet(const struct flag_bytes *b, uint32_t array, uint64_t first,
                     uint64_t end);
