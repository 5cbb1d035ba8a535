/* SPDX-License-Identifier: Apache-2.0 */
#include "runtime/kernel/stored_plan.h"

#include <stdlib.h>
#include <string.h>

#include "base/fail.h"
#include "base/memory.h"
#include "runtime/autotune/session_profile.h"
#include "runtime/objects/kernel.h"
#include "runtime/objects/session.h"
#include "runtime/session/session_plan.h"

/* Plan of one shape of a kernel, as found at its first launch. */
struct kernel_stored_plan {
    struct kernel_stored_plan *next;
    struct profile_key key;
    bool is_set; /* false: the user's plan */
    struct transfer_plan plan;
};

static enum proact_status stored_plan_read(const struct proact *p, const struct plan *from,
                                           struct transfer_plan *out,
                                           struct proact_error *err)
{
    char method[PLAN_METHODS_BYTES];
    const struct transfer_plan *given = &p->constraint;

    plan_print_methods(from, method);
    if (from->chunk_step)
        return fail(err, PROACT_EREFUSED, "chunks of increasing size are not supported");
    return session_plan(p,
                        &(struct proact_plan){.method = *method ? method : NULL,
                                              .chunk_bytes = from->chunk_first,
                                              .transfer_threads = from->threads,
                                              .compute_to_copy_ratio = given->compute_ratio,
                                              .agent = given->spins ? "spin" : NULL,
                                              .broadcast = given->everywhere,
                                              .skip_transfers = given->elide},
                        out, err);
}

static struct kernel_stored_plan *stored_plan_create(struct proact_kernel *k,
                                                     const struct profile_key *key)
{
    struct proact *p = k->session;
    struct kernel_stored_plan *s = must_calloc(1, sizeof *s);
    const struct profile_entry *e = session_profile_usable(p, key);
    struct proact_error err = {""};

    s->key = *key;
    s->next = k->stored_plans;
    k->stored_plans = s;
    if (!e || (!*e->plan.method && !e->plan.chunk_first && !e->plan.threads))
        return s;
    s->is_set = !stored_plan_read(p, &e->plan, &s->plan, &err);
    if (s->is_set)
        session_profile_use(p, key);
    else
        session_profile_note(p, true, "the stored plan of '%.64s' is not used: %s",
                             key->kernel, err.text);
    return s;
}

static bool same_shape(const struct profile_key *a, const struct profile_key *b)
{
    return a->bytes == b->bytes && a->is_recorded == b->is_recorded &&
           memcmp(a->grid, b->grid, sizeof a->grid) == 0 &&
           memcmp(a->threads, b->threads, sizeof a->threads) == 0;
}

static void stored_plan_list(struct proact *p, const struct profile_key *key)
{
    struct session_profile *s = p->profile;

    for (size_t i = 0; i < s->shape_count; i++)
        if (s->shapes[i].text == key->text && same_shape(&s->shapes[i], key))
            return;
    s->shapes = must_grow(s->shapes, s->shape_count, &s->shape_capacity, sizeof *s->shapes);
    s->shapes[s->shape_count++] = *key;
}

static struct kernel_stored_plan *stored_plan_find(struct proact_kernel *k,
                                                   const struct profile_key *key)
{
    struct kernel_stored_plan *s = k->stored_plans;

    while (s && !same_shape(&s->key, key))
        s = s->next;
    return s ? s : stored_plan_create(k, key);
}

bool stored_plan_select(struct launching *l)
{
    struct proact_kernel *k = l->original ? l->original : l->kernel;
    struct proact *p = k->session;
    const struct transfer_plan *given = &p->constraint;
    struct kernel_stored_plan *s;

    if (!p->profile->stored && !p->profile->lists_shapes)
        return false;
    struct profile_key key = session_profile_key(l);

    if (p->profile->lists_shapes && l->over > 1)
        stored_plan_list(p, &key);
    if (!given->is_open || !given->chunk_is_open || !given->threads_are_open ||
        !p->profile->stored)
        return false;
    key.is_recorded = p->recording != NULL;
    s = stored_plan_find(k, &key);
    if (key.is_recorded && !s->is_set) {
        key.is_recorded = false;
        s = stored_plan_find(k, &key);
    }
    if (s->is_set)
        l->plan = s->plan;
    return s->is_set;
}

struct profile_key stored_plan_recorded_key(const struct launching *l)
{
    struct profile_key key = session_profile_key(l);

    key.is_recorded = true;
    return key;
}

const struct profile_entry *stored_plan_recorded(const struct launching *l)
{
    struct proact *p = l->kernel->session;

    if (!p->profile->stored)
        return NULL;
    const struct profile_key key = stored_plan_recorded_key(l);

    return session_profile_usable(p, &key);
}

void stored_plans_drop(struct proact_kernel *k)
{
    for (struct kernel_stored_plan *s = k->stored_plans, *next; s; s = next) {
        next = s->next;
        free(s);
    }
    k->stored_plans = NULL;
}
