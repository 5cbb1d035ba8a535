/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/* What the emulator refuses although hardware forgives it. A shadow of every byte remembers
   who wrote it and when, in the sense of happens-before: two accesses of one byte, one of
   them a store, must be ordered by fences, barriers, atomics, stream order or events, at
   the scope that joins the two. So a fence, barrier, counter or wait that is missing is
   found under any schedule, not only under the one that breaks.

   Actors are warps, streams and the host; each has a vector clock. All is slow and exact:
   it is on only with device_options.check. Used by one thread at a time. */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "device/device.h"
#include "execute/execute.h"

struct check;

/* `bytes` of memory from `base` on are shadowed; the shadow is made as it is touched. */
struct check *check_create(uint64_t base, uint64_t bytes, unsigned device_count);
void check_destroy(struct check *c);

/* An actor's number stays its own until check_quiesce(). `name` is for sentences, copied:
   "kernel twice, CTA (3,0,0), warp 2" or "stream 1 of device 0". It knows all that
   `parent` knew (CHECK_HOST: the host). Warps of a CTA have one parent of their own, an
   actor made for the CTA: synchronisation at cta scope joins actors of the same parent.
   Streams must be made anew after check_quiesce(). */
enum { CHECK_HOST = 0 };
uint32_t check_actor(struct check *c, const char *name, unsigned device, uint32_t parent);

/* What a stream's actor, and actors made for it from now on, do is of the host's operation
   of that number; later ones have higher numbers. It never falls. */
void check_issued(struct check *c, uint32_t actor, uint32_t number);

/* `into` from now on knows what `from` knows: barriers, kernel ends, stream order. */
void check_join(struct check *c, uint32_t into, uint32_t from);
/* The same from several, of rising numbers; and then all of them know it: a barrier. */
void check_gather(struct check *c, uint32_t into, const uint32_t *from, uint32_t count);
void check_meet(struct check *c, uint32_t group, const uint32_t *members, uint32_t count);

/* An actor that does nothing and knows what `parent` now knows: all CTAs of a kernel are
   made of one, for none of them knows more because another one has ended. */
uint32_t check_beginning(struct check *c, const char *name, unsigned device,
                         uint32_t parent);
/* It does nothing any more, and has been joined: what it knew is forgotten. */
void check_ended(struct check *c, uint32_t actor);

/* All work has ended and the host has seen it: everything so far is ordered. */
void check_quiesce(struct check *c);

struct check_where { /* of an access, for the sentence */
    const char *kernel;
    const struct execute_kernel *code; /* that the line is of; NULL: unknown */
    uint32_t line, cta[3], thread[3];
    bool sends; /* what it reads of a replica, to peers: as a copy does */
};

/* Each returns false and writes the sentence to `fault` if the access is refused. An access
   that is strong (atomic, volatile, relaxed or stronger) does not race with strong ones.
   `where` is NULL for what a stream or the host does. What comes before the refused byte is
   remembered, the rest is not: a warp's access that was refused as a whole can be asked for
   again lane by lane, to name the thread. */
bool check_read(struct check *c, uint32_t actor, uint64_t address, uint64_t bytes,
                bool strong, const struct check_where *where, char *fault,
                size_t fault_bytes);
bool check_write(struct check *c, uint32_t actor, uint64_t address, uint64_t bytes,
                 bool strong, const struct check_where *where, char *fault,
                 size_t fault_bytes);

/* A kernel's plain store, of `bytes` from `value`. Who else stores the same in that launch,
   on any device, does not race with it: programs set flags so. */
bool check_store(struct check *c, uint32_t actor, uint64_t address, uint64_t bytes,
                 const unsigned char *value, const struct check_where *where, char *fault,
                 size_t fault_bytes);
/* Into another device's memory, of what lies there already: where that is current it
   changes nothing, and races with stores alone. */
bool check_store_again(struct check *c, uint32_t actor, uint64_t address, uint64_t bytes,
                       const unsigned char *value, const struct check_where *where,
                       char *fault, size_t fault_bytes);

/* Synchronisation. A strong access acquires and releases by its order and scope; `loads`
   and `stores` tell loads, stores and read-modify-writes apart. A volatile one is relaxed
   at sys scope, whatever it says. Fences: PTX memory model, 8.8. */
void check_strong(struct check *c, uint32_t actor, uint64_t address,
                  enum execute_order order, enum execute_scope scope, bool loads,
                  bool stores);
void check_fence(struct check *c, uint32_t actor, enum execute_order order,
                 enum execute_scope scope);

/* Memory was allocated (content undefined) or freed. */
void check_allocated(struct check *c, uint64_t address, uint64_t bytes);
void check_freed(struct check *c, uint64_t address, uint64_t bytes);

/* Replicas: a kernel's store (`where` given) into its own device's replica makes the byte
   stale on the others until content as new is stored there. New is what the host asked for
   later, not what happens later: devices that wait for nothing of each other may be far
   apart. Refused: reading a byte that an operation before the reader's made stale, when
   that store is known to the reader (else the reader races with the arrival, which is found
   as such): "byte 4096 of array 'ranks' on device 2 before it was sent by device 0 (kernel
   ...)". */
void check_replicas(struct check *c, const struct device_replicas *replicas);
/* Whether no byte of the range is stale; `fault` is the sentence. */
bool check_current(const struct check *c, uint64_t address, uint64_t bytes, char *fault,
                   size_t fault_bytes);
/* A copy. From one replica to another, what was never written goes unnoticed, and is not
   written then either; content stays as new as it was. */
bool check_copy_replica(struct check *c, uint32_t actor, uint64_t to, uint64_t from,
                        uint64_t bytes, char *fault, size_t fault_bytes);
