/* SPDX-License-Identifier: Apache-2.0 */
/* An unmarked kernel with maps: its clones take the place of a marked kernel, each under
   the mechanisms that ask for it. */
#include "runtime/runtime_clone.h"

#include <stdio.h>
#include <stdlib.h>

#include "base/fail.h"
#include "base/memory.h"
#include "instrument/instrument.h"

struct kernel_clones {
    char *text;
    size_t bytes;
    struct instrument_result result;
    struct device_module *module[PROACT_DEVICES_MAX];
    struct device_function *function[INSTRUMENT_CLONES][PROACT_DEVICES_MAX];
    uint64_t constants; /* the session's, of which the modules have the content */
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
        instrument_module(k->image->ptx, &request, 1, &c->result, &c->text, &c->bytes, err);

    if (status) {
        free(c);
        return status;
    }
    k->clones = c;
    k->share_offset = c->result.share_offset;
    return PROACT_OK;
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

/* A clone's module has variables of its own: they become what the first device has in the
   kernel's. Only constants can differ, as no kernel that uses others is split. */
static enum proact_status copy_constant(struct proact_kernel *k, const char *name,
                                        struct proact_error *err)
{
    struct proact *p = k->session;
    device_addr from, to;
    size_t bytes;
    enum proact_status status =
        p->backend->variable(k->image->module[0], name, &from, &bytes, err);

    for (unsigned d = 0; d < p->devices.count && !status; d++) {
        status = p->backend->variable(k->clones->module[d], name, &to, &bytes, err);
        if (!status)
            status = p->backend->copy(p->devices.device[d].lane[TRANSFER_MAIN], to, from,
                                      bytes, err);
    }
    return status;
}

static enum proact_status copy_constants(struct proact_kernel *k, struct proact_error *err)
{
    struct proact *p = k->session;
    const struct ptx_module *m = k->image->ptx;
    enum proact_status status;

    if (k->clones->constants == p->constants)
        return PROACT_OK;
    if (p->recording)
        return fail(err, PROACT_EINVAL,
                    "kernel '%s': constants have changed since it was launched: launch it "
                    "once, then record",
                    k->name);
    if ((status = proact_wait(p, err))) /* who wrote them is done */
        return status;
    for (uint32_t i = 0; i < m->symbol_count && !status; i++)
        if (m->symbols[i].space == PTX_SPACE_CONST && !m->symbols[i].is_function &&
            !m->symbols[i].is_extern && m->symbols[i].bytes)
            status = copy_constant(k, m->symbols[i].name, err);
    if (!status)
        status = proact_wait(p, err);
    if (!status)
        k->clones->constants = p->constants;
    return status;
}

enum proact_status kernel_is_cloned(struct proact_kernel *k, bool *cloned,
                                    struct proact_error *err)
{
    enum proact_status status;

    *cloned = false;
    if ((status = clones_create(k, err)))
        return status;
    if (k->clones->result.refusal[clone_of(&k->session->plan)].text[0])
        return PROACT_OK;
    for (unsigned d = 0; d < k->session->devices.count && !status; d++)
        status = load_on(k, d, err);
    if (!status)
        status = copy_constants(k, err);
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

const char *kernel_clone_refusal(struct proact_kernel *k)
{
    if (k->is_marked || !k->slot_count || clones_create(k, NULL))
        return NULL;
    const char *why = k->clones->result.refusal[clone_of(&k->session->plan)].text;

    return why[0] ? why : NULL;
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

void kernel_slots_change(struct proact_kernel *k)
{
    session_settle(k->session);
    kernel_bindings_drop(k, NULL);
    kernel_clones_drop(k); /* they do not know the new one */
}
