/* SPDX-License-Identifier: Apache-2.0 */
#include "runtime/autotune/choice.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/text.h"
#include "runtime/autotune/choice_edges.h"
#include "runtime/autotune/choice_windows.h"
#include "runtime/autotune/preparation.h"
#include "runtime/autotune/stored_choice.h"
#include "runtime/objects/array.h"
#include "runtime/objects/kernel.h"
#include "runtime/objects/session.h"
#include "runtime/request/launch_texture.h"
#include "runtime/request/launching.h"
#include "runtime/session/program_streams.h"

enum {
    LOOK_AFTER = 256,  /* launches until the second probe; later intervals grow FOURFOLD */
    CALM_AT_FIRST = 4, /* minimum launches between probes with a cause; doubled each time */
    FOURFOLD = 4,
    DELAY_NS_MAX = 1000000,
    SETTLING = 8,
    ODD_MAX = 2 /* launches with more missing bytes than the timed one */
};

struct kernel_choices {
    struct choice *first, *last_used;
};

static bool fits(const struct choice *c, const struct launching *l)
{
    return !memcmp(c->grid, l->grid, sizeof c->grid) &&
           !memcmp(c->threads, l->threads, sizeof c->threads);
}

static struct choice *look_up(const struct launching *l)
{
    const struct proact_kernel *k = l->kernel;
    struct choice *c = k->choices ? k->choices->first : NULL;

    while (c && !fits(c, l))
        c = c->next;
    return c;
}

static void add_to_all(struct proact *p, struct choice *c)
{
    c->next_of_all = p->choices;
    c->of_all = &p->choices;
    if (p->choices)
        p->choices->of_all = &c->next_of_all;
    p->choices = c;
}

static struct choice *find(const struct launching *l)
{
    struct proact_kernel *k = l->kernel;
    struct choice *c = look_up(l);

    if (!k->choices)
        k->choices = must_calloc(1, sizeof *k->choices);
    if (!c) {
        c = must_calloc(1, sizeof *c);
        memcpy(c->grid, l->grid, sizeof c->grid);
        memcpy(c->threads, l->threads, sizeof c->threads);
        c->look_next = LOOK_AFTER;
        c->calm = CALM_AT_FIRST;
        c->block = must_calloc(k->parameter_bytes + 1, 1);
        c->next = k->choices->first;
        k->choices->first = c;
        c->session = k->session;
        c->orders = k->session->orders;
        add_to_all(k->session, c);
        stored_choice_begin(c, l);
    }
    k->choices->last_used = c;
    return c;
}

static bool is_address(const struct launching *l, uint32_t offset)
{
    for (size_t i = 0; i < l->relocation_count; i++)
        if (offset - l->relocations[i].offset < sizeof(uint64_t))
            return true;
    for (size_t n = 0; n < l->texture_count; n++)
        if (offset - l->textures[n].offset < sizeof(uint64_t))
            return true;
    return false;
}

/* Whether one value is four times the other. Large values are not counts. */
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

bool choice_is_dear(const struct choice *c, const struct proact_kernel *k)
{
    return c->step == CHOICE_READY && !c->looked && k->unused_ns && k->charged_ns &&
           !plan_budget_permits(&k->session->budget);
}

bool choice_waits(const struct choice *c)
{
    return c->step < CHOICE_MADE && !c->looked && !c->timed_split && !c->timed_whole &&
           (!plan_budget_permits_probe(&c->session->budget) ||
            !preparation_is_affordable(c->session));
}

bool choice_is_untried(const struct choice *c)
{
    return c->step == CHOICE_READY && choice_waits(c) && !windows_split_new(c->session);
}

bool choice_is_clear(const struct choice *c)
{
    uint64_t split = choice_split_ns(c), whole = choice_whole_ns(c);

    return split > FOURFOLD * whole || whole > FOURFOLD * split;
}

static bool is_doubtful(const struct choice *c)
{
    const uint64_t split = choice_split_ns(c), whole = choice_whole_ns(c);

    return split < whole ? whole - split < DELAY_NS_MAX
                         : split - whole < DELAY_NS_MAX || !choice_is_clear(c);
}

unsigned choice_after(const struct choice *c)
{
    const bool wins = choice_split_ns(c) < choice_whole_ns(c);

    if (!c->timed_whole)
        return CHOICE_TIME_WHOLE;
    if (stored_choice_needs_probes(c))
        return c->timed_whole < c->timed_split ? CHOICE_TIME_WHOLE : CHOICE_TIME_SPLIT;
    if ((wins ? c->timed_whole : c->timed_split) > 1 || !is_doubtful(c))
        return CHOICE_MADE;
    return wins ? CHOICE_TIME_WHOLE : CHOICE_TIME_SPLIT;
}

/* Whether four times the work per launch would still be too little for a split. */
static bool is_hopeless(const struct choice *c)
{
    return c->found_ns / FOURFOLD > FOURFOLD * choice_whole_ns(c);
}

/* Whether partition axes changed since the measurement. The measured missing bytes are
   invalid then; a new probe waits until the transfers are stable. */
static bool choice_axes_changed(struct choice *c)
{
    if (c->orders == c->session->orders || ++c->settling < SETTLING)
        return false;
    c->settling = 0;
    c->orders = c->session->orders;
    return true;
}

/* Experiments replace probes, unless the kernel has a different amount of work. */
static bool looks_again(struct choice *c, const struct launching *l)
{
    const struct validation *t = &c->session->validation;

    if (c->is_stored)
        return false;
    if (choice_axes_changed(c))
        return true;
    if (t->is_under_way || (t->next && !works_otherwise(c, l)))
        return false;
    if (c->launches >= c->look_next) {
        c->look_next *= FOURFOLD;
        return !choice_is_clear(c);
    }
    if (c->launches - c->looked < c->calm || is_hopeless(c) ||
        (!works_otherwise(c, l) && c->odd < ODD_MAX))
        return false;
    c->calm *= 2;
    return true;
}

static void look_beside(struct choice *c, const struct launching *l)
{
    const struct streams_beside b = streams_beside(l->kernel->session);

    c->copies_ns = b.to_device_ns + b.from_device_ns;
    c->longest_copy_ns =
        b.to_device_ns > b.from_device_ns ? b.to_device_ns : b.from_device_ns;
}

struct choice *choice_next(const struct launching *l)
{
    struct choice *c = find(l);

    look_beside(c, l);
    c->launches++;
    c->is_superseded = false;
    choice_launched(c);
    if (c->step == CHOICE_MADE && plan_budget_permits_probe(&c->session->budget) &&
        looks_again(c, l))
        c->step = CHOICE_READY;
    if (c->step == CHOICE_MADE) {
        choice_settle_one(c);
        windows_launched(c);
    } else if (c->is_small) {
        windows_launched(c);
    } else if (choice_waits(c)) {
        windows_passed(c->session);
    } else {
        windows_disturb(c->session);
    }
    return c;
}

struct choice *choice_known(const struct launching *l)
{
    struct choice *c = look_up(l);

    if (c)
        l->kernel->choices->last_used = c;
    if (c && choice_is_made(c)) {
        windows_choose(c);
        c->last = choice_is_split(c) ? RAN_SPLIT : RAN_WHOLE;
    }
    return c;
}

/* Updates the moving average. A split launch repays the host time, as its time includes
   it. */
void choice_note_found(struct choice *c, struct proact_kernel *k)
{
    c->found_ns = (3 * c->found_ns + k->found_ns) / 4;
    k->unused_ns = 0;
}

bool choice_is_split(const struct choice *c)
{
    return c->step < CHOICE_TIME_WHOLE ||
           (c->step == CHOICE_MADE && c->now != CHOICE_SINGLE);
}

static void describe_unprepared(struct choice *c, const struct proact_kernel *k)
{
    unsigned kernels;
    const uint64_t ns = preparation_expected_ns(c->session, &kernels);

    snprintf(c->why, sizeof c->why,
             "kernel '%.80s': not analyzed: %u kernels would take the host %.0f ms, more "
             "than the measurement budget",
             k->name, kernels, (double)ns / 1e6);
}

const char *choice_refusal(const struct proact_kernel *k)
{
    struct choice *c = k->choices ? k->choices->last_used : NULL;

    if (!c || c->last == RAN_SPLIT)
        return NULL;
    if (c->last == RAN_UNMEASURED)
        snprintf(
            c->why, sizeof c->why,
            "kernel '%.80s': its write set took the host %.0f ms, and each launch needs "
            "a new one",
            k->name, (double)k->charged_ns / 1e6);
    else if (c->last == RAN_SMALL)
        snprintf(
            c->why, sizeof c->why,
            "kernel '%.80s': a split of its %u CTAs cannot pay: one device has four SMs "
            "for each",
            k->name, c->grid[0] * c->grid[1] * c->grid[2]);
    else if (c->last == RAN_UNTRIED)
        snprintf(c->why, sizeof c->why,
                 "kernel '%.80s': not timed: the measurement budget is used up; it runs "
                 "like the other kernels",
                 k->name);
    else if (c->last == RAN_UNPREPARED)
        describe_unprepared(c, k);
    else if (c->last == RAN_UNCOMPILED)
        snprintf(c->why, sizeof c->why,
                 "kernel '%.80s': the versions for several devices are being compiled",
                 k->name);
    else if (c->last == RAN_TO_BE_TIMED)
        snprintf(c->why, sizeof c->why,
                 "kernel '%.80s': this launch was timed on one device", k->name);
    else
        snprintf(c->why, sizeof c->why,
                 "kernel '%.80s': %.1f us on one device%s, %.1f us on %u%s", k->name,
                 (double)choice_whole_ns(c) / 1e3,
                 c->copies_ns ? ", next to other streams" : "",
                 (double)choice_split_ns(c) / 1e3, k->session->devices.count,
                 choice_split_ns(c) > choice_host_ns(c) ? ""
                 : c->found_ns > c->queued_ns ? ", limited by the write set analysis"
                                              : ", limited by queueing on the host");
    return c->why;
}

bool choice_was_made(const struct proact_kernel *k)
{
    return k->choices && k->choices->last_used;
}

void choice_describe(const struct proact_kernel *k, struct text *out)
{
    const struct choice *c = choice_was_made(k) ? k->choices->last_used : NULL;

    if (!c)
        return;
    text_print(out, c->last == RAN_SPLIT ? "split" : "one device");
    if (c->timed_split && c->timed_whole)
        text_print(out, ": %.1f us on one device, %.1f us on %u",
                   (double)choice_whole_ns(c) / 1e3, (double)choice_split_ns(c) / 1e3,
                   c->session->devices.count);
    else if (c->last == RAN_SMALL)
        text_print(out, ": a split cannot pay");
    else
        text_print(out, ": not timed yet");
    if (choice_is_made(c) &&
        (c->now != CHOICE_SINGLE) != (choice_split_ns(c) < choice_whole_ns(c)))
        text_print(out, "; faster so with the other kernels");
}

static void forget(struct proact *p, struct choice *c)
{
    *c->of_all = c->next_of_all;
    if (c->next_of_all)
        c->next_of_all->of_all = c->of_all;
    p->whole_by = p->whole_by == c ? NULL : p->whole_by;
    for (struct proact_array *a = p->arrays; a; a = a->next)
        a->wrote = a->wrote == c ? NULL : a->wrote;
    choice_edges_drop(c);
}

void choices_drop(struct proact_kernel *k)
{
    while (k->choices && k->choices->first) {
        struct choice *c = k->choices->first;

        k->choices->first = c->next;
        stored_choice_end(c);
        forget(k->session, c);
        free(c->key);
        plan_record_clear(&c->plans);
        free(c->block);
        free(c);
    }
    free(k->choices);
    k->choices = NULL;
}
