/* SPDX-License-Identifier: Apache-2.0 */
/* An unmarked kernel of which it is known what it writes: its clones take the place of a
   marked kernel, each under the mechanisms that ask for it. */
#include "runtime/runtime_clone.h"

#include <stdio.h>
#include <stdlib.h>

#include "base/memory.h"
#include "instrument/instrument.h"
#include "runtime/module_variable.h"

struct kernel_clones {
    char *text;
    size_t bytes;
    struct instrument_result result;
    struct device_module *module[PROACT_DEVICES_MAX];
    struct device_function *function[INSTRUMENT_CLONES][PROACT_DEVICES_MAX];
    struct transfer_plan other; /* for what the session's plan has no clone for */
    uint64_t variables; /* of the session, when its modules' were brought up to date */
};

static enum instrument_clone clone_of(const struct transfer_plan *plan)
{
    uint32_t mode = transfer_plan_mode(plan);

    if (mode & PROACT_SHARE_COUNT)
        return mode & PROACT_SHARE_SEND ? INSTRUMENT_SEND : INSTRUMENT_COUNT;
    return mode & PROACT_SHARE_STORE ? INSTRUMENT_INLINE : INSTRUMENT_GRID;
}

/* The text alone: what is refused is known from it. */
static enum proact_status clones_create(struct proact_kernel *k, struct proact_error *err)
{
    struct instrument_request request = {.kernel = k->name, .slot_count = k->slot_count};

    if (k->clones)
        return PROACT_OK;
    for (unsigned s = 0; s < k->slot_count; s++)
        request.slot_offset[s] = k->slot[s].offset;
    struct kernel_clones *c = must_calloc(1, sizeof *c);
    enum proact_status status =
        instrument_kernel(k->image->ptx, &request, &c->result, &c->text, &c->bytes, err);

    if (status) {
        free(c);
        return status;
    }
    k->clones = c;
    k->share_offset = c->result.share_offset;
    return PROACT_OK;
}

static bool is_refused(const struct proact_kernel *k, const struct transfer_plan *plan)
{
    return k->clones->result.refusal[clone_of(plan)].text[0] != '\0';
}

/* Where the kernel cannot count, or store to the peers, a copy at its end still can be. */
static void choose_other(struct proact_kernel *k)
{
    enum { CHUNK_BYTES = 64 << 10 };
    const struct transfer_plan *p = &k->session->plan;

    k->clones->other =
        (struct transfer_plan){.method = transfer_method_whole(),
                               .chunk_bytes = p->chunk_bytes ? p->chunk_bytes : CHUNK_BYTES,
                               .threads = p->threads,
                               .elide = p->elide};
}

const struct transfer_plan *kernel_plan(const struct proact_kernel *k)
{
    const struct transfer_plan *plan = &k->session->plan;
    bool is_other = !k->is_marked && !k->has_maps && k->clones && is_refused(k, plan);

    return is_other ? &k->clones->other : plan;
}

static enum proact_status load_on(struct proact_kernel *k, unsigned device,
                                  struct proact_error *err)
{
    const struct device_backend *b = k->session->backend;
    struct kernel_clones *c = k->clones;
    enum proact_status status = PROACT_OK;

    if (!c->module[device])
        status = b->module_load(k->session->set, device, k->image->ptx->name, c->text,
                                c->bytes, &c->module[device], err);
    for (int kind = 0; kind < INSTRUMENT_CLONES && !status; kind++) {
        char name[1024];

        if (c->result.refusal[kind].text[0] || c->function[kind][device])
            continue;
        snprintf(name, sizeof name, "%s%s", k->name,
                 instrument_suffix((enum instrument_clone)kind));
        status = b->function(c->module[device], name, &c->function[kind][device], err);
    }
    return status;
}

enum proact_status kernel_is_cloned(struct proact_kernel *k, bool *cloned,
                                    struct proact_error *err)
{
    enum proact_status status;

    *cloned = false;
    if ((status = clones_create(k, err)))
        return status;
    choose_other(k);
    if (is_refused(k, kernel_plan(k)))
        return PROACT_OK;
    for (unsigned d = 0; d < k->session->devices.count && !status; d++)
        status = load_on(k, d, err);
    if (!status)
        status = module_variables_bring(k, k->clones->module, &k->clones->variables, err);
    *cloned = !status;
    return status;
}

struct device_function *kernel_function(const struct proact_kernel *k,
                                        const struct kernel_binding *b, unsigned device)
{
    if (!b || k->is_marked)
        return k->function[device];
    return k->clones->function[clone_of(&b->transfer.plan)][device];
}

const char *kernel_split_text(const struct proact_kernel *k, size_t *bytes)
{
    *bytes = k->is_marked ? k->image->bytes : k->clones->bytes;
    return k->is_marked ? k->image->text : k->clones->text;
}

const char *kernel_split_suffix(const struct proact_kernel *k)
{
    return k->is_marked ? "" : instrument_suffix(clone_of(kernel_plan(k)));
}

const char *kernel_clone_refusal(struct proact_kernel *k)
{
    if (k->is_marked || !k->slot_count || clones_create(k, NULL))
        return NULL;
    choose_other(k);
    const struct transfer_plan *plan = kernel_plan(k);

    return is_refused(k, plan) ? k->clones->result.refusal[clone_of(plan)].text : NULL;
}

void kernel_clones_drop(struct proact_kernel *k)
{
    struct kernel_clones *c = k->clones;

    if (!c)
        return;
    for (unsigned d = 0; d < k->session->devices.count; d++)
        if (c->module[d])
            k->session->backend->module_unload(c->module[d]);
    free(c->text);
    free(c);
    k->clones = NULL;
}
