/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/* The state of a checker, for the check_*.c files. Time is a counter of its own: it steps
   when an actor publishes what it did, so that what it does afterwards is later. */

#include "device/emulator/check/check.h"
#include "device/emulator/check/check_clock.h"
#include "device/emulator/check/check_shadow.h"

enum { SCOPES = 3, SITES_CACHED = 64 };

/* Something was released at a scope: by a device's actors, of one CTA or of several. */
struct published {
    enum execute_scope scope;
    unsigned device;
    uint32_t group, actor; /* MIXED: of several */
    struct check_clock *clock;
};
#define MIXED UINT32_MAX

struct actor {
    char *name; /* NULL: this number was never given out */
    unsigned device;
    uint32_t group;  /* its parent: warps of one CTA have the same */
    uint64_t epoch;  /* the time that its accesses now bear */
    uint64_t last;   /* the time that its last access bears */
    uint32_t issued; /* see check_issued() */
    struct check_clock *clock;
    /* What it knew at its last fence of this or a wider scope: a later strong store
       releases that. What strong loads have seen, by the scope a fence needs to acquire it.
     */
    struct check_clock *fenced[SCOPES], *pending[SCOPES];
    uint32_t compact_at; /* steps of the clock */
};

/* Numbers are given out in runs of one device, so that a clock has few steps. */
struct numbers {
    uint32_t next, end;
};

/* A place in a kernel that stored; kept over check_quiesce(). */
struct site {
    char *kernel;
    uint32_t line;
    unsigned device;
};

struct extent {
    uint64_t address, bytes;
};

struct replicas {
    char *name;
    uint64_t bytes;
    uint64_t base[TOPOLOGY_DEVICES_MAX];
};

struct check {
    unsigned device_count;
    uint64_t now;      /* the newest time an actor's access can bear */
    uint64_t quiesced; /* what was done until then is known to all */
    uint32_t issued;   /* the newest operation that has begun; the host comes behind it */

    struct actor *actors; /* by number */
    size_t actor_count, actor_capacity;
    struct numbers numbers[TOPOLOGY_DEVICES_MAX + 1];

    struct flag *flags; /* open addressing by address; see check_flag.c */
    size_t flag_count, flag_room;

    struct check_shadow *shadow;
    struct site *sites; /* the first is nowhere */
    size_t site_count, site_capacity;
    uint32_t site_cache[SITES_CACHED];

    struct extent *extents; /* allocations, by address */
    size_t extent_count, extent_capacity;
    struct replicas *replicas;
    size_t replica_count, replica_capacity;
};

/* check_order.c */
bool check_knows(const struct check *c, uint32_t actor, check_stamp s);
/* What the actor knows, itself included up to now. The caller drops it. */
struct check_clock *check_snapshot(struct check *c, uint32_t actor);
void check_learn(struct check *c, uint32_t actor, struct check_clock *more);
void check_forget_actors(struct check *c);
uint32_t check_issue_of(const struct check *c, uint32_t actor);

/* check_flag.c */
struct flag {
    uint64_t address; /* 0: a free place */
    struct published *published;
    size_t count, capacity;
};
struct flag *check_flag_find(const struct check *c, uint64_t address); /* or NULL */
struct flag *check_flag_make(struct check *c, uint64_t address);
/* A plain store ends what the flag carried, but for what the same actor released. */
void check_flag_stored(struct flag *f, uint32_t actor);
void check_flag_publish(struct flag *f, const struct published *p);
void check_forget_flags(struct check *c);

/* check_place.c: where a byte lies, and the names for it. */
struct replica_place {
    const struct replicas *array;
    unsigned device;
    uint64_t offset;
};
bool check_replica_of(const struct check *c, uint64_t address, struct replica_place *out);
struct extent *check_extent_of(const struct check *c, uint64_t address);
uint32_t check_site(struct check *c, const struct check_where *where, unsigned device);
void check_forget_places(struct check *c);

/* check_report.c: sentences. */
struct finding { /* who accesses which byte */
    const struct check *check;
    uint32_t actor;
    const struct check_where *where; /* may be NULL: the actor's name is used */
    const char *verb;
    uint64_t address;
    char *fault;
    size_t fault_bytes;
};
void check_report_race(const struct finding *t, const char *other_verb, check_stamp other,
                       uint32_t site);
void check_report_unwritten(const struct finding *t);
void check_report_stale(const struct finding *t, const struct check_cell *cell);
