/* SPDX-License-Identifier: Apache-2.0 */
#include "runtime/choose_split.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"

/* The launch of this number is timed; the one before has made tables and clones. */
enum { TIMED_SPLIT = 1, TIMED_WHOLE, CHOSEN };

struct choice {
    struct choice *next;
    uint32_t grid[3], threads[3];
    unsigned launches;
    uint64_t split_ns, whole_ns;
    char why[192]; /* the last launch was whole; empty: it was split */
};

struct kernel_choices {
    struct choice *first, *last_used;
};

static bool fits(const struct choice *c, const struct launching *l)
{
    return !memcmp(c->grid, l->grid, sizeof c->grid) &&
           !memcmp(c->threads, l->threads, sizeof c->threads);
}

struct choice *choice_find(const struct launching *l)
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
        c->next = k->choices->first;
        k->choices->first = c;
    }
    k->choices->last_used = c;
    return c;
}

bool choice_is_made(const struct choice *c)
{
    return c->launches >= CHOSEN;
}

bool choice_is_split(const struct choice *c)
{
    return c->launches < TIMED_WHOLE ||
           (c->launches >= CHOSEN && c->split_ns < c->whole_ns);
}

static void choose(struct choice *c, const struct proact_kernel *k)
{
    snprintf(c->why, sizeof c->why, "kernel '%.80s': this launch was timed on one device",
             k->name);
    if (c->split_ns >= c->whole_ns)
        snprintf(c->why, sizeof c->why,
                 "kernel '%.80s': %.1f us on one device, %.1f us on %u", k->name,
                 (double)c->whole_ns / 1e3, (double)c->split_ns / 1e3,
                 k->session->devices.count);
}

enum proact_status choice_run(struct choice *c, struct launching *l,
                              enum proact_status (*queue)(struct launching *l,
                                                          struct proact_error *err),
                              struct proact_error *err)
{
    struct proact *p = l->kernel->session;
    unsigned number = c->launches;
    enum proact_status status;

    if (number < CHOSEN)
        c->launches++;
    else
        c->why[0] = '\0';
    if (number != TIMED_SPLIT && number != TIMED_WHOLE)
        return queue(l, err);
    if ((status = proact_wait(p, err)))
        return status;
    uint64_t from = proact_now_ns(p);

    if ((status = queue(l, err)) || (status = proact_wait(p, err)))
        return status;
    *(number == TIMED_SPLIT ? &c->split_ns : &c->whole_ns) = proact_now_ns(p) - from;
    if (number == TIMED_WHOLE)
        choose(c, l->kernel);
    return PROACT_OK;
}

const char *choice_refusal(const struct proact_kernel *k)
{
    const struct choice *c = k->choices ? k->choices->last_used : NULL;

    return c && c->why[0] ? c->why : NULL;
}

void choices_drop(struct proact_kernel *k)
{
    while (k->choices && k->choices->first) {
        struct choice *c = k->choices->first;

        k->choices->first = c->next;
        free(c);
    }
    free(k->choices);
    k->choices = NULL;
}
