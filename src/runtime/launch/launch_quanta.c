/* SPDX-License-Identifier: Apache-2.0 */
#include "runtime/launch/launch_quanta.h"

#include <stdlib.h>
#include <string.h>

#include "base/fail.h"
#include "base/hash.h"
#include "base/memory.h"
#include "instrument/instrument.h"
#include "runtime/objects/array.h"
#include "runtime/objects/binding.h"
#include "runtime/objects/kernel.h"
#include "runtime/objects/session.h"
#include "runtime/objects/session_image.h"
#include "runtime/request/launching.h"
#include "runtime/session/session_quanta.h"
#include "runtime/version/runtime_clone.h"

static uint64_t image_digest(const struct session_image *image)
{
    struct session_image *i = (struct session_image *)(uintptr_t)image;

    if (!i->digest)
        i->digest = hash_bytes(i->text, i->bytes, 1) | 1;
    return i->digest;
}

static void shape_note_written(const struct launching *l)
{
    for (unsigned s = 0; l->binding && s < l->binding->transfer.slot_count; s++)
        l->binding->array[s]->is_computed = true;
}

/* An array that only the host has written counts by its name, since its contents may
   decide about the work. The contents of the others change, and the recording shows
   whether the work depends on them. */
static uint64_t relocation_key(const struct launching *l, const struct proact_relocation *r,
                               uint64_t key)
{
    const struct proact_array *a = r->array;
    const bool is_any = l->binding && a->is_computed;

    key = hash_mix(key ^ a->bytes) + hash_mix((uint64_t)r->addend);
    return is_any ? key : hash_text(a->name, key);
}

static bool shape_has_parameter(const struct ptx_function *f, const struct ptx_operand *o)
{
    return (o->kind == PTX_MEMORY || o->kind == PTX_SYMBOL) && o->symbol >= 0 &&
           (uint32_t)o->symbol < f->parameter_count;
}

/* Marks the bytes of the parameters that the kernel reads. The padding of a struct is
   undefined. */
static void mark_read(const struct ptx_function *f, unsigned char *read)
{
    for (uint32_t n = 0; n < f->instruction_count; n++) {
        const struct ptx_instruction *i = &f->instructions[n];

        for (uint32_t k = 0; k < i->operand_count; k++) {
            const struct ptx_operand *o = &i->operands[k];

            if (!shape_has_parameter(f, o))
                continue;
            const struct ptx_symbol *s = &f->symbols[o->symbol];
            const uint64_t loaded = (uint64_t)ptx_type_bytes(i->type) * i->vector;
            const bool is_field = i->opcode == PTX_LD && o->kind == PTX_MEMORY &&
                                  o->reg < 0 && o->integer >= 0 && loaded &&
                                  (uint64_t)o->integer + loaded <= s->bytes;

            for (uint64_t b = 0; b < (is_field ? loaded : s->bytes); b++)
                read[s->offset + (is_field ? (uint64_t)o->integer : 0) + b] |=
                    !is_field || !(i->ignored_bytes >> b & 1);
        }
    }
}

/* Launches with this key execute the same instructions, as far as launches do not change
   the data. */
static uint64_t shape_key(const struct launching *l)
{
    const struct proact_kernel *k = l->kernel;
    const uint32_t numbers[] = {l->grid[0],        l->grid[1],    l->grid[2],
                                l->threads[0],     l->threads[1], l->threads[2],
                                l->shared_bytes,   l->cluster[0], l->cluster[1],
                                l->cluster[2],     l->over,       k->session->devices.count,
                                l->binding != NULL};
    unsigned char *block = must_calloc(k->parameter_bytes + 1, 1),
                  *read = must_calloc(k->parameter_bytes + 1, 1);
    uint64_t key =
        hash_bytes(numbers, sizeof numbers, hash_text(k->name, image_digest(k->image)));

    mark_read(k->ptx, read);
    for (uint32_t i = 0; i < k->parameter_bytes; i++)
        block[i] = read[i] ? l->block[i] : 0;
    for (size_t i = 0; i < l->relocation_count; i++) {
        memset(block + l->relocations[i].offset, 0, sizeof(uint64_t));
        key = relocation_key(l, &l->relocations[i], key);
    }
    key = hash_bytes(block, k->parameter_bytes, key);
    free(block);
    free(read);
    return l->binding ? key + launch_sends_key(l) : key;
}

static enum proact_status choose_mode(struct launching *l, struct session_shape *s,
                                      enum device_quanta_mode *mode,
                                      struct proact_error *err)
{
    struct proact *p = l->kernel->session;
    enum proact_status status = PROACT_OK;

    *mode = DEVICE_QUANTA_RECORD;
    if (!s->was_recorded && l->binding && !launch_records_quanta(l))
        return fail(err, PROACT_EREFUSED,
                    "kernel '%s': this launch was not recorded; a session of method "
                    "'bulk' records it",
                    l->kernel->name);
    if (!s->is_settled && s->was_recorded) /* its session is closed: there is no wait */
        status = device_shape_settle(s->shape, err);
    else if (!s->is_settled && s->queued >= DEVICE_QUANTA_RECORDED)
        status = session_shapes_settle(p, err);
    if (status)
        return status;
    s->is_settled |= s->was_recorded;
    if (s->was_recorded || (s->is_settled && !p->executes))
        *mode = DEVICE_QUANTA_REPLAY;
    if (*mode == DEVICE_QUANTA_RECORD && p->executes && p->has_replayed)
        return fail(err, PROACT_EREFUSED,
                    "kernel '%s': its work depends on data that launches change, and "
                    "launches before it were replayed without a result",
                    l->kernel->name);
    return PROACT_OK;
}

enum proact_status launch_quanta_choose(struct launching *l, struct proact_error *err)
{
    struct proact_kernel *k = l->kernel;
    struct proact *p = k->session;
    enum device_quanta_mode mode;

    shape_note_written(l);
    if (k->is_annotated)
        return PROACT_OK;
    struct device_shape *shape = device_quanta_find(
        p->quanta->recordings, k->name, shape_key(l), l->grid[0] * l->grid[1] * l->grid[2]);
    if (!device_shape_is_sampled(shape))
        launch_sample(l, shape);
    struct session_shape *s = session_shape_find(p, shape);
    enum proact_status status = choose_mode(l, s, &mode, err);

    if (status)
        return status;
    s->queued++;
    p->has_replayed |= mode == DEVICE_QUANTA_REPLAY;
    l->quanta.mode = mode;
    l->quanta.shape = shape;
    if (!l->binding)
        return PROACT_OK;
    l->quanta.sends_stores = launch_sends_key(l) != 0;
    l->quanta.slot_count = l->binding->transfer.slot_count;
    l->quanta.partition_offset = k->partition_offset;
    return mode == DEVICE_QUANTA_REPLAY ? launch_end_ready(l, &l->quanta, err) : PROACT_OK;
}
