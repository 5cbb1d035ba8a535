/* SPDX-License-Identifier: Apache-2.0 */
#include "runtime/kernel/runtime_kernel.h"
#include "runtime/kernel/launch_problem.h"

#include <proact/device.h>
#include <stdlib.h>
#include <string.h>

#include "base/fail.h"
#include "base/memory.h"
#include "instrument/instrument.h"
#include "runtime/access_sets/direct.h"
#include "runtime/access_sets/kernel_texels.h"
#include "runtime/arrays/variable_array.h"
#include "runtime/autotune/choice.h"
#include "runtime/autotune/preparation.h"
#include "runtime/footprint/derive.h"
#include "runtime/kernel/image_destroy.h"
#include "runtime/kernel/stored_plan.h"
#include "runtime/kernel/used_plans.h"
#include "runtime/objects/kernel.h"
#include "runtime/objects/runtime_map.h"
#include "runtime/objects/session.h"
#include "runtime/objects/session_image.h"
#include "runtime/partition/boundaries.h"
#include "runtime/pointer_tables/table_contents.h"
#include "runtime/provenance/given_address.h"
#include "runtime/request/interchanged_shape.h"
#include "runtime/request/launch_cluster.h"
#include "runtime/session/lazy_devices.h"
#include "runtime/session/runtime_wait.h"
#include "runtime/variables/known_constants.h"
#include "runtime/variables/module_variable.h"
#include "runtime/version/binding_drop.h"
#include "runtime/version/runtime_child.h"
#include "runtime/version/runtime_clone.h"

static bool is_annotated(const struct ptx_function *f)
{
    if (!f->parameter_count)
        return false;
    const struct ptx_symbol *last = &f->symbols[f->parameter_count - 1];

    return last->bytes == sizeof(struct proact_partition) &&
           last->align == _Alignof(struct proact_partition);
}

static bool has_annotated(const struct ptx_module *m)
{
    for (uint32_t i = 0; i < m->function_count; i++)
        if (m->functions[i].is_entry && is_annotated(&m->functions[i]))
            return true;
    return false;
}

/* Compiles the PTX on a device that rejects the binary. */
static enum proact_status load_on(struct proact *p, struct session_image *i,
                                  unsigned device, const char *name, const void *binary,
                                  struct proact_error *err)
{
    const struct device_backend *b = p->backend;

    if (binary && b->module_load_binary &&
        !b->module_load_binary(p->set, device, name, i->text, i->bytes, binary,
                               &i->module[device], NULL))
        return PROACT_OK;
    return b->module_load(p->set, device, name, i->text, i->bytes, &i->module[device], err);
}

/* Replaces the PTX of an image before it is loaded. Takes ownership of `text`. */
static enum proact_status retell(struct session_image *i, const char *name, char *text,
                                 size_t bytes, struct proact_error *err)
{
    if (i->given) {
        free(i->text);
    } else {
        i->given = i->text;
        i->given_bytes = i->bytes;
    }
    i->text = text;
    i->bytes = bytes;
    ptx_destroy(i->ptx);
    i->ptx = NULL;
    return ptx_parse(name, i->text, i->bytes, &i->ptx, err);
}

/* Rewrites local copies of parameters into direct parameter reads. */
static enum proact_status read_parameters_there(struct session_image *i, const char *name,
                                                struct proact_error *err)
{
    size_t bytes;
    char *text = instrument_read_parameters(i->ptx, &bytes);

    return text ? retell(i, name, text, bytes, err) : PROACT_OK;
}

static enum proact_status move_function_variables(struct session_image *i, const char *name,
                                                  struct proact_error *err)
{
    size_t bytes;
    char *text = instrument_function_variables(i->ptx, &bytes);

    return text ? retell(i, name, text, bytes, err) : PROACT_OK;
}

static enum proact_status give_variables(struct proact *p, struct session_image *i,
                                         const char *name, struct proact_error *err)
{
    char *text;
    size_t bytes;
    enum proact_status status = variables_become_arrays(p, i, &text, &bytes, err);

    return status || !text ? status : retell(i, name, text, bytes, err);
}

static bool is_text_of(const struct session_image *i, const char *text, size_t bytes)
{
    const char *given = i->given ? i->given : i->text;

    return (i->given ? i->given_bytes : i->bytes) == bytes && !memcmp(given, text, bytes);
}

static enum proact_status load_image(struct proact *p, struct session_image *i,
                                     const char *name, const void *binary,
                                     struct proact_error *err)
{
    enum proact_status status = ptx_parse(name, i->text, i->bytes, &i->ptx, err);

    if (status || (status = move_function_variables(i, name, err)))
        return status;
    if (i->given)
        binary = NULL; /* its variables are others */
    if ((status = read_parameters_there(i, name, err)))
        return status;
    if (has_annotated(i->ptx) && (status = lazy_devices_require(p, err)))
        return status;
    i->devices = has_annotated(i->ptx) ? p->devices.count : 1;
    if (p->devices.count > i->devices && (status = give_variables(p, i, name, err)))
        return status;
    if (i->variable_count)
        binary = NULL; /* the binary belongs to the original text */
    for (unsigned d = 0; d < i->devices && !status; d++)
        status = load_on(p, i, d, name, binary, err);
    return status;
}

enum proact_status image_load(struct proact *p, const struct proact_image *image,
                              struct session_image **out, struct proact_error *err)
{
    const char *name = image->name ? image->name : "kernel.ptx";

    if (!image->text)
        return fail(err, PROACT_EINVAL, "%s: the image has no text", name);
    size_t bytes = image->bytes ? image->bytes : strlen(image->text);
    enum proact_status status;

    for (struct session_image *i = p->images; i; i = i->next)
        if (is_text_of(i, image->text, bytes)) {
            *out = i;
            return PROACT_OK;
        }
    struct session_image *i = must_calloc(1, sizeof *i);

    i->constants = must_calloc(1, sizeof *i->constants);
    i->text = must_strndup(image->text, bytes);
    i->bytes = bytes;
    if ((status = load_image(p, i, name, image->binary, err))) {
        image_destroy(p, i);
        return status;
    }
    i->next = p->images;
    p->images = i;
    p->has_variables |= module_has_variables(i->ptx);
    *out = i;
    return PROACT_OK;
}

/* Reads the parameter layout. A last parameter with the size and alignment of struct
   proact_partition is one. */
static void read_parameters(struct proact_kernel *k, const struct ptx_function *f)
{
    unsigned count = f->parameter_count;

    k->parameter = must_calloc(count, sizeof *k->parameter);
    for (unsigned i = 0; i < count; i++)
        k->parameter[i] = (struct proact_parameter){
            f->symbols[i].offset, ptx_symbol_bytes(&f->symbols[i]), f->symbols[i].align};
    k->parameter_bytes = f->parameter_bytes;
    if (is_annotated(f)) {
        k->is_annotated = true;
        k->partition_offset = k->parameter[--count].offset;
    }
    k->variable_count = variable_parameters(k->image, f);
    count -= k->variable_count;
    k->parameter_count = count;
    k->given_bytes = k->whole_bytes = k->parameter_bytes;
    if (k->is_annotated || k->variable_count)
        k->given_bytes =
            count ? k->parameter[count - 1].offset + k->parameter[count - 1].bytes : 0;
}

static bool writes_global(const struct ptx_function *f)
{
    for (uint32_t i = 0; i < f->instruction_count; i++) {
        const struct ptx_instruction *in = &f->instructions[i];
        enum ptx_effect effect = ptx_instruction_effect(in);

        if (((effect == PTX_STORES || effect == PTX_ATOMIC) &&
             in->space != PTX_SPACE_SHARED && in->space != PTX_SPACE_LOCAL &&
             in->space != PTX_SPACE_PARAM) ||
            in->opcode == PTX_CALL || in->opcode == PTX_OPCODE_COUNT)
            return true;
    }
    return false;
}

static enum proact_status create(struct proact *p, const struct session_image *i,
                                 const struct ptx_function *f, struct proact_kernel **out,
                                 struct proact_error *err)
{
    struct proact_kernel *k = must_calloc(1, sizeof *k);
    enum proact_status status = PROACT_OK;

    k->session = p;
    k->image = i;
    k->ptx = f;
    k->name = must_strdup(f->name);
    k->next = p->kernels;
    p->kernels = k;
    read_parameters(k, f);
    k->may_write = writes_global(f);
    k->given_addresses = given_addresses_find(f);
    k->texels = kernel_texels_find(i->ptx, f);
    k->uses_clusters = cluster_use(k);
    for (unsigned d = 0; d < i->devices && !status; d++)
        status = p->backend->function(i->module[d], k->name, &k->function[d], err);
    if (status) {
        proact_kernel_destroy(k);
        return status;
    }
    *out = k;
    return PROACT_OK;
}

enum proact_status kernel_variant_create(struct proact_kernel *k,
                                         struct proact_kernel **out,
                                         struct proact_error *err)
{
    struct proact_kernel *v;
    enum proact_status status = create(k->session, k->image, k->ptx, &v, err);

    if (status)
        return status;
    v->variant_of = k;
    v->next_variant = k->variants;
    k->variants = v;
    v->has_maps = k->has_maps;
    for (unsigned s = 0; k->has_maps && s < k->slot_count && !status; s++) {
        v->slot[s] = k->slot[s];
        status = map_copy(&k->slot[s].map, k->name, &v->slot[s].map, err);
        v->slot_count += !status;
    }
    if (status)
        proact_kernel_destroy(v);
    else
        *out = v;
    return status;
}

static void own_image_drop(struct session_image *i)
{
    if (!i)
        return;
    known_constants_destroy(i->constants);
    ptx_destroy(i->ptx);
    free(i->text);
    free(i);
}

enum proact_status kernel_rewritten_create(struct proact_kernel *k, char *text,
                                           size_t bytes, struct proact_kernel **out)
{
    struct session_image *i = must_calloc(1, sizeof *i);
    struct proact_kernel *v;

    *i = *k->image;
    i->next = NULL;
    i->text = text;
    i->bytes = bytes;
    i->given = NULL;
    i->ptx = NULL;
    i->constants = must_calloc(1, sizeof *i->constants);
    enum proact_status status = ptx_parse(k->image->ptx->name, text, bytes, &i->ptx, NULL);

    if (!status)
        status = create(k->session, i, ptx_function_find(i->ptx, k->name), &v, NULL);
    if (status) {
        own_image_drop(i);
        return status;
    }
    v->own_image = i;
    v->variant_of = k;
    v->next_variant = k->variants;
    k->variants = v;
    *out = v;
    return PROACT_OK;
}

static void variant_leave(struct proact_kernel *v)
{
    struct proact_kernel **link = &v->variant_of->variants;

    while (*link != v)
        link = &(*link)->next_variant;
    *link = v->next_variant;
    v->variant_of->used = NULL;
}

static void variants_drop(struct proact_kernel *k)
{
    for (struct proact_kernel *v = k->variants, *next; v; v = next) {
        next = v->next_variant;
        proact_kernel_destroy(v);
    }
    free(k->specialization); /* its versions are destroyed above */
    k->specialization = NULL;
    tables_drop(k); /* the same applies to pointer tables */
    interchanges_drop(k);
}

enum proact_status proact_kernel_load(struct proact *p, const struct proact_image *image,
                                      const char *name, struct proact_kernel **out,
                                      struct proact_error *err)
{
    enum proact_status status = fail_if_null("proact_kernel_load(p, image, name, out)",
                                             (const void *[]){p, image, name, out}, err);

    if (status)
        return status;
    struct session_image *i;
    status = image_load(p, image, &i, err);

    if (status)
        return status;
    const struct ptx_function *f = ptx_function_find(i->ptx, name);

    if (!f || !f->is_entry)
        return fail(err, PROACT_EINVAL, "%s: no kernel is named '%s'",
                    image->name ? image->name : "kernel.ptx", name);
    return create(p, i, f, out, err);
}

void proact_kernel_destroy(struct proact_kernel *k)
{
    if (!k)
        return;
    struct proact *p = k->session;
    struct proact_kernel **link = &p->kernels;

    used_plans_note(k);
    variants_drop(k);
    if (k->variant_of)
        variant_leave(k);
    session_settle(p);
    kernel_bindings_drop(k, NULL);
    kernel_tables_drop(k);
    kernel_children_drop(k);
    kernel_clones_drop(k);
    derivation_drop(k);
    direct_drop(k);
    preparation_forget(k);
    choices_drop(k);
    stored_plans_drop(k);
    problems_drop(k);
    free(k->plan_text);
    boundaries_drop(k);
    while (*link != k)
        link = &(*link)->next;
    *link = k->next;
    for (unsigned s = 0; s < k->slot_count; s++)
        map_clear(&k->slot[s].map);
    free(k->parameter);
    free(k->given_addresses);
    free(k->look_ups);
    free(k->refusal);
    free(k->refusal_text);
    free(k->uses_clusters);
    kernel_texels_destroy(k->texels);
    own_image_drop(k->own_image);
    free(k->name);
    free(k);
}

enum proact_status proact_kernel_map(struct proact_kernel *k, unsigned arg,
                                     const struct proact_map *map, struct proact_error *err)
{
    enum proact_status status =
        fail_if_null("proact_kernel_map(k, map)", (const void *[]){k, map}, err);

    if (status)
        return status;
    struct proact_map copy;
    unsigned slot = 0;

    if (arg >= k->parameter_count)
        return fail(err, PROACT_EINVAL,
                    "kernel '%s': map for argument %u, it takes %u arguments", k->name, arg,
                    k->parameter_count);
    if (k->parameter[arg].bytes < sizeof(uint64_t))
        return fail(err, PROACT_EINVAL,
                    "kernel '%s': map for argument %u, a value of %u bytes: only arrays "
                    "have maps",
                    k->name, arg, k->parameter[arg].bytes);
    while (slot < k->slot_count && k->slot[slot].arg != arg)
        slot++;
    if (slot == PROACT_SLOTS_MAX)
        return fail(
            err, PROACT_EINVAL,
            "kernel '%s': argument %u would be written array number %d, %d possible",
            k->name, arg, PROACT_SLOTS_MAX + 1, PROACT_SLOTS_MAX);
    status = map_copy(map, k->name, &copy, err);

    if (status)
        return status;
    variants_drop(k);
    if (slot < k->slot_count) { /* a repeated declaration replaces the map */
        session_settle(k->session);
        kernel_bindings_drop(k, NULL);
        kernel_tables_drop(k);
        map_clear(&k->slot[slot].map);
    } else {
        if ((status = kernel_slots_change(k, err))) {
            map_clear(&copy);
            return status;
        }
        k->slot_count++;
    }
    k->has_maps = true;
    k->slot[slot] = (struct kernel_slot){arg, k->parameter[arg].offset, copy};
    return PROACT_OK;
}
