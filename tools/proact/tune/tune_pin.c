/* SPDX-License-Identifier: Apache-2.0 */
/* `proact tune pin`: the plan of a shape by the user. */
#include <proact/proact.h>
#include <stdio.h>
#include <string.h>

#include "base/fail.h"
#include "base/text.h"
#include "command.h"
#include "runtime/objects/session.h"
#include "runtime/session/session_plan.h"
#include "tune/tune.h"
#include "tune/tune_options.h"

/* The plan must be one that a session can execute for this key. */
static enum proact_status check_fields(const struct plan *plan,
                                       const struct profile_key *key,
                                       struct proact_error *err)
{
    if (plan->devices && plan->devices != 1 && plan->devices != key->device_count)
        return fail(err, PROACT_EINVAL, "devices=%u: 1 and %u are possible", plan->devices,
                    key->device_count);
    if (plan->axis && key->grid[plan->axis - 1] < 2)
        return fail(err, PROACT_EINVAL,
                    "axis=%u: the grid %u,%u,%u has one CTA along this dimension",
                    plan->axis, key->grid[0], key->grid[1], key->grid[2]);
    if (plan->chunk_step)
        return fail(err, PROACT_EREFUSED,
                    "step=%llu: chunks of increasing size are not "
                    "supported",
                    (unsigned long long)plan->chunk_step);
    if (plan->interior || plan->staging || plan->needed_first)
        return fail(err, PROACT_EREFUSED, "%s=1: a session decides this itself",
                    plan->interior  ? "interior"
                    : plan->staging ? "staging"
                                    : "needed_first");
    return PROACT_OK;
}

/* Asks a session of the machine whether it can execute the plan. */
static enum proact_status check_on_machine(const struct plan *plan,
                                           const struct profile_key *key,
                                           const char *machine, struct proact_error *err)
{
    const bool is_emulated = strncmp(key->driver, "emulated", 8) == 0;
    const struct proact_options options = {.machine = machine       ? machine
                                                      : is_emulated ? key->machine
                                                                    : PROACT_MACHINE_LOCAL,
                                           .device_count = key->device_count};
    char method[PLAN_METHODS_BYTES];
    struct transfer_plan ignored;
    struct proact *p;
    enum proact_status status = proact_open(&options, &p, err);

    if (status)
        return status;
    plan_print_methods(plan, method);
    status = session_plan(p,
                          &(struct proact_plan){.method = *method ? method : NULL,
                                                .chunk_bytes = plan->chunk_first,
                                                .transfer_threads = plan->threads},
                          &ignored, err);
    proact_close(p);
    return status;
}

/* The only entry that fits. */
static int pin_find(const char *shape, const char *path, const struct profile *p,
                    struct profile_entry *out)
{
    size_t found = 0;

    for (size_t i = 0; i < profile_count(p); i++)
        if (tune_shape_fits(shape, &profile_at(p, i)->key)) {
            *out = *profile_at(p, i);
            found++;
        }
    if (!found)
        return tune_shape_missing(shape, path, p);
    if (found == 1)
        return EXIT_FINE;
    fprintf(stderr, "proact: %s: '%s' fits %zu shapes\n", path, shape, found);
    for (size_t i = 0; i < profile_count(p); i++) {
        const struct profile_key *key = &profile_at(p, i)->key;
        char name[TUNE_SHAPE_BYTES];

        tune_shape(key, name);
        if (tune_shape_fits(shape, key))
            fprintf(stderr, "  %s on %u devices of %s\n", name, key->device_count,
                    key->machine);
    }
    return EXIT_FAILED;
}

static int pin(const struct tune_options *o)
{
    struct proact_error err = {""};
    struct profile_entry e = {.runs = 0};
    struct text words = {0};
    struct plan plan;
    struct profile *p = NULL;
    int code = EXIT_FINE;

    if (o->count < 2)
        return usage_error("tune", "pin needs a shape and a plan, such as 'method=bulk'");
    for (int i = 1; i < o->count; i++)
        text_print(&words, "%s%s", i > 1 ? " " : "", o->words[i]);
    code = tune_read(o->path, &p);
    if (!code)
        code = pin_find(o->words[0], o->path, p, &e);
    if (!code &&
        (plan_parse(words.data, &plan, &err) || check_fields(&plan, &e.key, &err) ||
         check_on_machine(&plan, &e.key, o->machine, &err)))
        code = failure_exit(&err);
    if (!code) {
        struct profile *one = profile_create();
        char name[TUNE_SHAPE_BYTES], text[PLAN_TEXT_BYTES];

        e.plan = plan;
        e.is_pinned = true;
        e.predicted_ns = e.measured_ns = e.spread_ns = 0;
        profile_put(one, &e);
        if (profile_save(one, o->path, &err))
            code = failure_exit(&err);
        profile_free(one);
        tune_shape(&e.key, name);
        plan_print(&plan, text);
        if (!code)
            printf("%s: %s\n", name, text);
    }
    profile_free(p);
    text_clear(&words);
    return code;
}

int tune_pin(int argc, char **argv)
{
    struct tune_options o;
    bool is_done;
    int code = tune_options_parse(argc, argv, "machine", &o, &is_done);

    if (!code && !is_done)
        code = pin(&o);
    tune_options_clear(&o);
    return code;
}
