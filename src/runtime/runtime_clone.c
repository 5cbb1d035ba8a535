/* SPDX-License-Identifier: Apache-2.0 */
/* An unmarked kernel of which it is known what it writes: its clones take the place of a
   marked kernel, each under the mechanisms that ask for it. */
#include "runtime/runtime_clone.h"

#include <stdio.h>
#include <stdlib.h>

#include "base/memory.h"
#include "instrument/instrument.h"
#include "runtime/module_variable.h"

/* One clone, in a text of its own: a driver compiles all that it is given. */
struct clone_part {
    char *text; /* NULL: not asked for yet */
    size_t bytes;
    struct device_module *module[PROACT_DEVICES_MAX];
    struct device_function *function[PROACT_DEVICES_MAX];
    uint64_t variables; /* of the session, when its modules' were brought up to date */
};

struct kernel_clones {
    struct instrument_result result;
    struct clone_part part[INSTRUMENT_CLONES];
    struct transfer_plan other; /* for what the session's plan has no clone for */
};

static enum instrument_clone clone_of(const struct transfer_plan *plan)
{
    uint32_t mode = transfer_plan_mode(plan);

    if (mode & PROACT_SHARE_COUNT)
        return mode & PROACT_SHARE_SEND ? INSTRUMENT_SEND : INSTRUMENT_COUNT;
    return mode & PROACT_SHARE_STORE ? INSTRUMENT_INLINE : INSTRUMENT_GRID;
}

/* The text of one; what is refused, of all. */
static enum proact_status write_part(struct proact_kernel *k, enum instrument_clone kind,
                                     struct instrument_result *result,
                                     struct clone_part *out, struct proact_error *err)
{
    struct instrument_request request = {.kernel = k->name,
                                         .slot_count = k->slot_count,
                                         .flags = k->flag_stores,
                                         .only = kind};

    for (unsigned s = 0; s < k->slot_count; s++)
        request.slot_offset[s] = k->slot[s].offset;
    return instrument_kernel(k->image->ptx, &request, result, &out->text, &out->bytes, err);
}

static enum proact_status clones_create(struct proact_kernel *k, struct proact_error *err)
{
    if (k->clones)
        return PROACT_OK;
    enum instrument_clone kind = clone_of(&k->session->plan);
    struct kernel_clones *c = must_calloc(1, sizeof *c);
    enum proact_status status = write_part(k, kind, &c->result, &c->part[kind], err);

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

static enum proact_status load_on(struct proact_kernel *k, enum instrument_clone kind,
                                  unsigned device, struct proact_error *err)
{
    const struct device_backend *b = k->session->backend;
    struct clone_part *part = &k->clones->part[kind];
    enum proact_status status = PROACT_OK;
    char name[1024];

    if (part->function[device])
        return PROACT_OK;
    if (!part->module[device])
        status = b->module_load(k->session->set, device, k->image->ptx->name, part->text,
                                part->bytes, &part->module[device], err);
    snprintf(name, sizeof name, "%s%s", k->name, instrument_suffix(kind));
    return status ? status
                  : b->function(part->module[device], name, &part->function[device], err);
}

static enum proact_status load_part(struct proact_kernel *k, enum instrument_clone kind,
                                    struct proact_error *err)
{
    struct clone_part *part = &k->clones->part[kind];
    enum proact_status status = PROACT_OK;

    if (!part->text)
        status = write_part(k, kind, &(struct instrument_result){0}, part, err);
    for (unsigned d = 0; d < k->session->devices.count && !status; d++)
        status = load_on(k, kind, d, err);
    return status ? status : module_variables_bring(k, part->module, &part->variables, err);
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
    status = load_part(k, clone_of(kernel_plan(k)), err);
    *cloned = !status;
    return status;
}

struct device_function *kernel_function(const struct proact_kernel *k,
                                        const struct kernel_binding *b, unsigned device)
{
    if (!b || k->is_marked)
        return k->function[device];
    return k->clones->part[clone_of(&b->transfer.plan)].function[device];
}

const char *kernel_split_text(const struct proact_kernel *k, size_t *bytes)
{
    if (k->is_marked) {
        *bytes = k->image->bytes;
        return k->image->text;
    }
    const struct clone_part *part = &k->clones->part[clone_of(kernel_plan(k))];

    *bytes = part->bytes;
    return part->text;
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
    for (int kind = 0; kind < INSTRUMENT_CLONES; kind++) {
        for (unsigned d = 0; d < k->session->devices.count; d++)
            if (c->part[kind].module[d])
                k->session->backend->module_unload(c->part[kind].module[d]);
        free(c->part[kind].text);
    }
    free(c);
    k->clones = NULL;
}
