/* SPDX-License-Identifier: Apache-2.0 */
#include "runtime/choose_split.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "runtime/bring.h"
#include "runtime/wants.h"

/* The steps of a look: the first launch makes tables, clones and replicas ready. A host
   that is held up makes a launch slow, never fast: what loses split is timed once more. */
enum { READY, TIMED_SPLIT, TIMED_WHOLE, TIMED_AGAIN, CHOSEN };

enum {
    LOOK_AFTER = 256,  /* launches; then each time FOURFOLD */
    CALM_AT_FIRST = 4, /* launches between looks for a reason; each time twice as many */
    FOURFOLD = 4,
    UNTIMED_MAX = 8, /* launches before the one that is timed split */
    ODD_MAX = 2 /* launches that have more to bring up to date than the timed one had */
};

struct choice {
    struct choice *next;
    uint32_t grid[3], threads[3];
    unsigned step;
    uint64_t launches, looked, look_next, calm; /* since the shape's first look */
    uint64_t split_ns, whole_ns;
    uint64_t spread_ns; /* before a split launch; without what others are charged with */
    uint64_t owed_ns;   /* what others waited for because this ran whole */
    uint64_t behind;    /* bytes, before the timed split launch */
    unsigned odd, untimed;
    unsigned char *block;                          /* parameters of the last look */
    enum { SPLIT, WHOLE_TO_BE_TIMED, WHOLE } last; /* how the last launch ran */
    char why[192];                                 /* written when it is asked for */
};

struct kernel_choices {
    struct choice *first, *last_used;
};

static bool fits(const struct choice *c, const struct launching *l)
{
    return !memcmp(c->grid, l->grid, sizeof c->grid) &&
           !memcmp(c->threads, l->threads, sizeof c->threads);
}

static struct choice *find(const struct launching *l)
{
    struct proact_kernel *k = l->kernel;

    if (!k->choices)
        k->choices = must_calloc(1, sizeof *k->choices);
    struct choice *c = k->choices->first;

    while (c && !fits(c, l))
        c = c->next;
    if (!c) {
        c = must_calloc(1, sizeof *c);
        memcpy(c->grid, l->grid, sizeof c->grid);
        memcpy(c->threads, l->threads, sizeof c->threads);
        c->look_next = LOOK_AFTER;
        c->calm = CALM_AT_FIRST;
        c->block = must_calloc(k->parameter_bytes + 1, 1);
        c->next = k->choices->first;
        k->choices->first = c;
    }
    k->choices->last_used = c;
    return c;
}

static bool is_address(const struct launching *l, uint32_t offset)
{
    for (size_t i = 0; i < l->place_count; i++)
        if (offset - l->places[i].offset < sizeof(uint64_t))
            return true;
    return false;
}

/* Numbers that are not too large to be counts of something. */
static bool is_other(uint32_t a, uint32_t b)
{
    const uint32_t most = 1u << 28;
    uint64_t low = a < b ? a : b, high = a < b ? b : a;

    return high < most && high >= FOURFOLD * (low ? low : 1);
}

static bool works_otherwise(const struct choice *c, const struct launching *l)
{
    for (uint32_t at = 0; at + 4 <= l->kernel->parameter_bytes; at += 4) {
        uint32_t now, then;

        memcpy(&now, l->block + at, sizeof now);
        memcpy(&then, c->block + at, sizeof then);
        if (is_other(now, then) && !is_address(l, at))
            return true;
    }
    return false;
}

/* The slower way is so much slower that the look would cost more than it may bring. */
static bool is_clear(const struct choice *c)
{
    uint64_t split = c->split_ns + c->spread_ns, whole = c->whole_ns + c->owed_ns;

    return split > FOURFOLD * whole || whole > FOURFOLD * split;
}

static bool looks_again(struct choice *c, const struct launching *l)
{
    if (c->launches >= c->look_next) {
        c->look_next *= FOURFOLD;
        return !is_clear(c);
    }
    if (c->launches - c->looked < c->calm || (!works_otherwise(c, l) && c->odd < ODD_MAX))
        return false;
    c->calm *= 2;
    return true;
}

struct choice *choice_next(const struct launching *l)
{
    struct choice *c = find(l);

    c->launches++;
    if (c->step == CHOSEN && looks_again(c, l))
        c->step = READY;
    return c;
}

bool choice_is_made(const struct choice *c)
{
    return c->step == CHOSEN;
}

static bool split_wins(const struct choice *c)
{
    return c->split_ns + c->spread_ns < c->whole_ns + c->owed_ns;
}

bool choice_is_split(const struct choice *c)
{
    return c->step < TIMED_WHOLE || c->step == TIMED_AGAIN ||
           (c->step == CHOSEN && split_wins(c));
}

/* What the replicas are behind because of launches that need not have been whole is charged
   to the last of these; unless it stays whole all the same, it is not counted here. */
static void charge(struct choice *c, const struct proact *p, struct spreading s,
                   uint64_t spread_ns)
{
    struct choice *other = p->whole_by;
    uint64_t theirs = 0;

    if (s.by_launches && other && other != c) {
        theirs = (uint64_t)((double)spread_ns * (double)s.by_launches / (double)s.bytes);
        other->owed_ns = theirs;
        if (choice_is_made(other) && !choice_is_split(other))
            theirs = 0;
    }
    c->behind = s.bytes;
    c->spread_ns = spread_ns - theirs;
}

static enum proact_status time_split(struct choice *c, struct launching *l, bool is_again,
                                     struct proact_error *err)
{
    struct proact *p = l->kernel->session;
    struct spreading s = launch_behind(l);
    uint64_t from = proact_now_ns(p);
    enum proact_status status;

    if ((status = launch_bring(l, err)) || (status = proact_wait(p, err)))
        return status;
    uint64_t spread = proact_now_ns(p);

    if ((status = launch_queue(l, err)) || (status = proact_wait(p, err)))
        return status;
    uint64_t took = proact_now_ns(p) - spread;

    if (is_again) { /* what was brought this time it lacked because of the look */
        c->split_ns = took < c->split_ns ? took : c->split_ns;
        return PROACT_OK;
    }
    c->split_ns = took;
    charge(c, p, s, s.bytes ? spread - from : 0);
    return PROACT_OK;
}

static enum proact_status time_whole(struct choice *c, struct launching *l,
                                     enum proact_status (*whole)(struct launching *l,
                                                                 struct proact_error *err),
                                     struct proact_error *err)
{
    struct proact *p = l->kernel->session;
    uint64_t from = proact_now_ns(p);
    enum proact_status status;

    if ((status = whole(l, err)) || (status = proact_wait(p, err)))
        return status;
    c->whole_ns = proact_now_ns(p) - from;
    if (split_wins(c) || is_clear(c))
        c->step = CHOSEN;
    c->looked = c->launches;
    c->odd = 0;
    memcpy(c->block, l->block, l->kernel->parameter_bytes);
    return PROACT_OK;
}

/* The step of this launch; a look takes the next one then, but not before launches send
   what they are going to. */
static unsigned take_step(struct choice *c, const struct launching *l)
{
    unsigned step = c->step;

    c->untimed = step == READY ? 0 : c->untimed;
    if (step == TIMED_SPLIT && !wants_are_known(l->binding) && c->untimed++ < UNTIMED_MAX)
        return READY;
    c->step += step < CHOSEN;
    return step;
}

/* A look costs two waits; other launches go on their way. */
enum proact_status choice_run(struct choice *c, struct launching *l,
                              enum proact_status (*whole)(struct launching *l,
                                                          struct proact_error *err),
                              struct proact_error *err)
{
    struct proact *p = l->kernel->session;
    bool is_split = choice_is_split(c);
    unsigned step = take_step(c, l);
    enum proact_status status;

    c->last = is_split ? SPLIT : step == TIMED_WHOLE ? WHOLE_TO_BE_TIMED : WHOLE;
    if (step == READY)
        c->owed_ns = 0; /* who waits for it then says so again */
    if (!is_split) {    /* what a share needs is too little */
        p->whole_by = c;
        l->binding = NULL;
        l->needs = NULL;
    }
    /* What the others wrote is brought once, and is not in the way of later launches. */
    if (step == TIMED_WHOLE && (status = launch_bring(l, err)))
        return status;
    if (step != READY && step != CHOSEN && (status = proact_wait(p, err)))
        return status;
    if (step == TIMED_SPLIT || step == TIMED_AGAIN)
        return time_split(c, l, step == TIMED_AGAIN, err);
    if (step == TIMED_WHOLE)
        return time_whole(c, l, whole, err);
    if (!is_split)
        return whole(l, err);
    c->odd = launch_behind(l).bytes > c->behind ? c->odd + 1 : 0;
    return launch_queue(l, err);
}

const char *choice_refusal(const struct proact_kernel *k)
{
    struct choice *c = k->choices ? k->choices->last_used : NULL;

    if (!c || c->last == SPLIT)
        return NULL;
    if (c->last == WHOLE_TO_BE_TIMED)
        snprintf(c->why, sizeof c->why,
                 "kernel '%.80s': this launch was timed on one device", k->name);
    else
        snprintf(c->why, sizeof c->why,
                 "kernel '%.80s': %.1f us on one device, %.1f us on %u", k->name,
                 (double)(c->whole_ns + c->owed_ns) / 1e3,
                 (double)(c->split_ns + c->spread_ns) / 1e3, k->session->devices.count);
    return c->why;
}

void choices_drop(struct proact_kernel *k)
{
    k->session->whole_by = NULL;
    while (k->choices && k->choices->first) {
        struct choice *c = k->choices->first;

        k->choices->first = c->next;
        free(c->block);
        free(c);
    }
    free(k->choices);
    k->choices = NULL;
}
