/* SPDX-License-Identifier: Apache-2.0 */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/fail.h"
#include "base/memory.h"
#include "instrument/instrument.h"
#include "runtime/arrays/variable_array.h"
#include "runtime/kernel/given_variable.h"
#include "runtime/kernel/runtime_kernel.h"
#include "runtime/objects/array.h"
#include "runtime/objects/session.h"
#include "runtime/objects/session_image.h"
#include "runtime/session/program_streams.h"
#include "runtime/variables/known_constants.h"
#include "runtime/variables/module_variable.h"

enum proact_status proact_variable_find(struct proact *p, const struct proact_image *image,
                                        const char *name, struct proact_variable *out,
                                        struct proact_error *err)
{
    enum proact_status status = fail_if_null("proact_variable_find(p, image, name, out)",
                                             (const void *[]){p, image, name, out}, err);

    if (status)
        return status;
    struct proact_variable v = {.bytes = 0};
    struct session_image *i;
    status = image_load(p, image, &i, err);
    const struct variable_array *a = status ? NULL : variable_array_find(i, name);

    if (a) {
        *out = (struct proact_variable){
            {a->array->base[0]}, .bytes = a->array->bytes, .array = a->array};
        return PROACT_OK;
    }
    for (unsigned d = 0; !status && d < i->devices; d++)
        status = p->backend->variable(i->module[d], name, &v.address[d], &v.bytes, err);
    if (!status)
        *out = v;
    return status;
}

static enum proact_status check(const struct proact *p, const struct proact_variable *v,
                                size_t first, size_t bytes, struct proact_error *err)
{
    if (v->array && v->array->session != p)
        return fail(err, PROACT_EINVAL, "a variable of another session");
    if (first <= v->bytes && bytes <= v->bytes - first)
        return PROACT_OK;
    if (bytes > SIZE_MAX - first)
        return fail(err, PROACT_EINVAL, "%zu bytes from byte %zu of a variable, it has %zu",
                    bytes, first, v->bytes);
    return fail(err, PROACT_EINVAL, "bytes %zu to %zu of a variable, it has %zu", first,
                first + bytes, v->bytes);
}

/* Kernels of other devices run on their kernel streams, which gives the order. Versions are
   updated before they run. */
enum proact_status proact_variable_write(struct proact *p, const struct proact_variable *v,
                                         size_t first, const void *from, size_t bytes,
                                         struct proact_error *err)
{
    enum proact_status status =
        fail_if_null("proact_variable_write(p, v, from)",
                     (const void *[]){p, v, bytes ? from : ""}, err);

    if (status)
        return status;
    status = check(p, v, first, bytes, err);

    if (v->array && !status)
        return proact_device0_write(p, v->address[0] + first, from, bytes, err);
    if (!status)
        /* protocol: streams-variable */
        status = streams_join(p, err);
    for (unsigned d = 0; d < p->devices.count && v->address[d] && bytes && !status; d++)
        status = p->backend->write(p->devices.device[d].lane[TRANSFER_MAIN],
                                   v->address[d] + first, from, bytes, err);
    p->variables++;
    if (status)
        p->constants++;
    else
        known_constants_write(p, v->address[0] + first, from, bytes);
    return status;
}

enum proact_status proact_variable_read(struct proact *p, const struct proact_variable *v,
                                        size_t first, void *into, size_t bytes,
                                        struct proact_error *err)
{
    enum proact_status status = fail_if_null(
        "proact_variable_read(p, v, into)", (const void *[]){p, v, bytes ? into : ""}, err);

    if (status)
        return status;
    status = check(p, v, first, bytes, err);

    return status ? status
                  : proact_device0_read(p, into, v->address[0] + first, bytes, err);
}

enum { PIECE_BYTES = 1 << 26 }; /* of a large variable */

static enum proact_status reset(struct proact *p, const struct session_image *i,
                                const struct ptx_symbol *s, struct proact_error *err)
{
    const size_t most = s->bytes < PIECE_BYTES ? s->bytes : PIECE_BYTES;
    unsigned char *zero = s->initial ? NULL : must_calloc(1, most);
    struct proact_variable v = {.bytes = 0};
    enum proact_status status = PROACT_OK;

    for (unsigned d = 0; !status && d < i->devices; d++)
        status = p->backend->variable(i->module[d], s->name, &v.address[d], &v.bytes, err);
    for (size_t at = 0; at < s->bytes && !status; at += most)
        status = proact_variable_write(p, &v, at, s->initial ? s->initial + at : zero,
                                       s->bytes - at < most ? s->bytes - at : most, err);
    free(zero);
    return status;
}

enum proact_status proact_variables_reset(struct proact *p, struct proact_error *err)
{
    enum proact_status status =
        fail_if_null("proact_variables_reset(p)", (const void *[]){p}, err);

    if (status)
        return status;
    status = PROACT_OK;

    for (const struct session_image *i = p->images; i; i = i->next) {
        for (size_t n = 0; n < i->variable_count && !status; n++)
            status = variable_array_reset(&i->variables[n], err);
        for (uint32_t n = 0; n < i->ptx->symbol_count && !status; n++)
            if (module_variable_may_change(&i->ptx->symbols[n]) &&
                !i->ptx->symbols[n].relocation_count)
                status = reset(p, i, &i->ptx->symbols[n], err);
    }
    return status;
}

static const struct ptx_symbol *free_variable(const struct session_image *i,
                                              const char *name)
{
    const struct ptx_module *m = i->ptx;

    for (uint32_t n = 0; n < m->symbol_count; n++)
        if (strcmp(m->symbols[n].name, name) == 0 && instrument_variable_is_free(m, n))
            return &m->symbols[n];
    return NULL;
}

/* The copy follows all queued work on the variable, which then belongs to the array. */
static enum proact_status move(struct proact *p, struct session_image *i,
                               const struct ptx_symbol *s, struct proact_variable *v,
                               struct proact_error *err)
{
    enum proact_status status = variable_array_add(p, i, s, err);
    const struct variable_array *a = status ? NULL : variable_array_find(i, s->name);

    if (a)
        status = proact_device0_copy(p, a->array->base[0], v->address[0], v->bytes, err);
    if (!status)
        *v = (struct proact_variable){
            {a->array->base[0]}, .bytes = a->array->bytes, .array = a->array};
    return status;
}

enum proact_status proact_variable_export(struct proact *p,
                                          const struct proact_image *image,
                                          const char *name, struct proact_variable *v,
                                          struct proact_error *err)
{
    enum proact_status status = fail_if_null("proact_variable_export(p, image, name, v)",
                                             (const void *[]){p, image, name, v}, err);

    if (status)
        return status;
    struct session_image *i;
    status = image_load(p, image, &i, err);

    if (status || v->array)
        return status;
    const struct ptx_symbol *s =
        p->devices.count > i->devices && !p->recording ? free_variable(i, name) : NULL;

    if (!s || (status = move(p, i, s, v, err)) == PROACT_ENOSPACE) {
        proact_variables_escape(p);
        return PROACT_OK;
    }
    return status;
}

void proact_variables_escape(struct proact *p)
{
    p->has_variables = p->has_lent = true;
    p->variables++;
    p->constants++;
}

bool proact_variable_at(struct proact *p, uint64_t address, struct proact_variable *out)
{
    const struct proact_variable *v = p && out ? given_variable_find(p, address) : NULL;

    if (!v)
        return false;
    proact_variables_escape(p);
    *out = *v;
    return true;
}
