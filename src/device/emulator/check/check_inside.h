/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/* State of a checker, for the check_*.c files. Time is a counter that advances when an
   actor releases, so that its later accesses have later times. */

#include "device/emulator/check/check.h"
#include "device/emulator/check/check_clock.h"
#include "device/emulator/check/check_ranges.h"
#include "device/emulator/check/check_shadow.h"

enum { SCOPES = 3, SITES_CACHED = 64, COLLECTIONS = 32 };

/* Release at a scope, by actors of one device. */
struct published {
    enum execute_scope scope;
    unsigned device;
    uint32_t parent;       /* number of the CTA's actor */
    uint32_t group, actor; /* identities; MIXED: of several CTAs, or actors */
    struct check_clock *clock;
};
#define MIXED UINT32_MAX

/* Unused actor numbers. Each stream has its own, so that the clocks of several streams
   share nodes. */
struct numbers {
    uint32_t next, end, block;
    uint32_t first_ended, last_ended; /* queue of used ones; 0: none */
};

/* Earlier actor of a number. */
struct former {
    uint64_t until; /* its last access */
    char *name;
    uint32_t issued;
};

struct actor {
    char *name; /* NULL: an unused number */
    unsigned device;
    uint32_t identity; /* unique, unlike the number */
    uint32_t group;    /* identity of its parent; equal for the warps of a CTA */
    uint32_t parent;   /* its number */
    bool has_ended, is_group;
    uint32_t pool; /* the stream's actor, which has the numbers of its kernels */
    struct numbers numbers[2]; /* of a pool: for actors with accesses, and for groups */
    uint32_t next_ended;
    struct former *formers; /* the latest ones, in order */
    size_t former_count, former_capacity;
    uint64_t epoch;  /* time of its next accesses */
    uint64_t last;   /* time of its last access */
    uint32_t issued; /* see check_issued() */
    struct check_clock *clock;
    /* Clock at its last fence of this or a wider scope, which a later strong store
       releases; and clocks that strong loads have observed, by the scope that a fence needs
       to acquire them. */
    struct check_clock *fenced[SCOPES], *pending[SCOPES];
    /* Clocks to be joined to `clock` before it is used, or NULL. Entry n: NULL, or the join
       of 2^n actors. */
    struct check_clock **collected;
};

/* Source line of a store; it survives check_quiesce(). */
struct site {
    char *kernel;
    uint32_t line;
    unsigned device;
};

struct replicas {
    char *name;
    uint64_t bytes;
    uint64_t base[TOPOLOGY_DEVICES_MAX];
    uint64_t stores; /* see check_stores() */
};

struct check {
    unsigned device_count;
    uint64_t *visits;  /* see check_visits() */
    uint64_t now;      /* latest time of any access */
    uint64_t quiesced; /* accesses until this time are known to all actors */
    uint32_t issued;   /* latest operation that has begun; the host follows it */
    struct check_clocks clocks;

    struct actor *actors; /* indexed by number */
    size_t actor_count, actor_capacity;
    struct numbers numbers; /* of pools */
    uint32_t identities;

    struct flag *flags; /* open addressing by address; see check_flag.c */
    size_t flag_count, flag_room;

    struct check_shadow *shadow;
    struct site *sites; /* index 0: unknown */
    size_t site_count, site_capacity;
    uint32_t site_cache[SITES_CACHED];

    struct check_ranges extents;       /* allocations */
    struct check_ranges places, names; /* of replicas; names by hash */
    struct check_ranges site_numbers;  /* of sites, by hash */
};

/* check_actor.c */
void check_forget_actors(struct check *c);
uint32_t check_issue_of(const struct check *c, uint32_t actor);
/* The same of the actor that made the access, and its name. */
uint32_t check_issue_at(const struct check *c, check_stamp s);
const char *check_name_at(const struct check *c, check_stamp s);
/* Joins the collected clocks. */
void check_settle(struct check *c, struct actor *a);
/* Clock of the actor, including its own accesses so far. The caller drops it. */
struct check_clock *check_snapshot(struct check *c, uint32_t actor);
/* Time of an actor's own accesses that a snapshot includes; 0: it had none. */
uint64_t check_own_time(struct check *c, struct actor *a);
/* Whether the CTA's actor of that number and identity has not ended. */
bool check_group_lives(const struct check *c, uint32_t number, uint32_t identity);

/* check_order.c */
bool check_knows(const struct check *c, uint32_t actor, check_stamp s);
void check_learn(struct check *c, uint32_t actor, struct check_clock *more);

/* check_flag.c */
struct flag {
    uint64_t address; /* 0: an empty slot */
    struct published *published;
    size_t count, capacity;
};
struct flag *check_flag_find(const struct check *c, uint64_t address); /* or NULL */
struct flag *check_flag_make(struct check *c, uint64_t address);
/* A plain store ends the releases of the flag, except those of the same actor. */
void check_flag_stored(struct check *c, struct flag *f, uint32_t identity);
void check_flag_publish(struct check *c, struct flag *f, const struct published *p);
void check_forget_flags(struct check *c);

/* check_place.c: location of a byte, and its names. */
struct replica_place {
    struct replicas *array;
    unsigned device;
    uint64_t offset;
};
bool check_replica_of(const struct check *c, uint64_t address, struct replica_place *out);
const struct check_range *check_extent_of(const struct check *c, uint64_t address);
uint32_t check_site(struct check *c, const struct check_where *where, unsigned device);
void check_forget_places(struct check *c);

/* check_report.c: messages. */
struct finding { /* access to report */
    const struct check *check;
    uint32_t actor;
    const struct check_where *where; /* NULL: use the actor's name */
    const char *verb;
    uint64_t address;
    char *fault;
    size_t fault_bytes;
};
void check_report_race(const struct finding *t, const char *other_verb, check_stamp other,
                       uint32_t site);
void check_report_unwritten(const struct finding *t);
void check_report_stale(const struct finding *t, const struct check_cell *cell);
