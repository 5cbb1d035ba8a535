/* SPDX-License-Identifier: Apache-2.0 */
#include "runtime/request/launch_fields.h"

#include "base/hash.h"
#include "base/memory.h"
#include "runtime/objects/array.h"
#include "runtime/objects/kernel.h"
#include "runtime/request/launching.h"

/* Excludes fields beyond the parameter buffer. */
struct launch_fields launch_fields_find(const struct proact_kernel *k,
                                        const struct access_depends *all,
                                        const struct access_depends *behind)
{
    const struct access_analysis *a = all->analysis;
    struct launch_fields f = {.fields =
                                  must_calloc(a->symbol_count + 1u, sizeof *f.fields)};

    for (uint32_t n = 0; n < a->symbol_count; n++) {
        const struct access_symbol *y = &a->symbols[n];
        const bool is_constant =
            y->kind == ACCESS_CONSTANT ||
            (y->kind == ACCESS_ELEMENT && y->variable >= PTX_SYMBOL_MODULE);

        if (all->symbol[n] &&
            (is_constant || ((y->kind == ACCESS_PARAMETER || y->kind == ACCESS_MEMBER ||
                              y->kind == ACCESS_ELEMENT) &&
                             y->offset + y->bytes <= k->parameter_bytes)))
            f.fields[f.count++] = (struct launch_field){
                is_constant ? y->variable - PTX_SYMBOL_MODULE : -1, y->offset, y->bytes,
                !is_constant && !behind->symbol[n]};
        f.reads_constants |= all->symbol[n] && is_constant;
    }
    return f;
}

static bool field_has_relocation(const struct launching *l, const struct launch_field *f)
{
    for (size_t i = 0; i < l->relocation_count && f->is_pointer; i++)
        if (l->relocations[i].offset == f->offset)
            return true;
    return false;
}

uint64_t launch_fields_key(const struct launch_fields *f, const struct launching *l,
                           const unsigned char *block,
                           const unsigned char *const *constants)
{
    uint64_t key = hash_bytes(l->grid, sizeof l->grid, 1);

    key = hash_bytes(l->threads, sizeof l->threads, key);
    for (size_t i = 0; i < l->relocation_count; i++) {
        const struct proact_relocation *p = &l->relocations[i];

        key = hash_mix(hash_mix(key + p->array->bytes) + p->addend) + p->offset;
        key = hash_mix(key + launching_number(l, p->array));
    }
    for (uint32_t n = 0; n < f->count; n++) {
        const struct launch_field *at = &f->fields[n];
        const unsigned char *of = at->variable < 0 ? block
                                  : constants      ? constants[at->variable]
                                                   : NULL;

        if (of && !field_has_relocation(l, at))
            key = hash_bytes(of + at->offset, at->bytes, key);
    }
    return key + !constants;
}

uint64_t launch_fields_bases(const struct launching *l)
{
    uint64_t key = 0;

    for (size_t i = 0; i < l->relocation_count; i++)
        key = hash_mix(key + l->relocations[i].array->base[0]);
    return key;
}
