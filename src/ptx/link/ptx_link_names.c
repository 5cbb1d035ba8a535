/* SPDX-License-Identifier: Apache-2.0 */
#include "ptx/link/ptx_link_names.h"

#include <stdio.h>
#include <string.h>

#include "base/fail.h"

enum { ALIASES_MAX = 16 }; /* longest chain of aliases; a longer one is a cycle */

static struct link_name *name_of(struct linking *l, const struct ptx_symbol *s,
                                 int32_t *index)
{
    uint32_t bytes = (uint32_t)strlen(s->name);
    const struct ptx_name *found =
        ptx_names_find(&l->index, PTX_NAME_SYMBOL, s->name, bytes);

    if (found) {
        *index = found->index;
        return &l->names[found->index];
    }
    *index = (int32_t)l->name_count;
    ptx_names_add(&l->index, PTX_NAME_SYMBOL, s->name, bytes, *index);
    ptx_names_add(&l->index, PTX_NAME_LABEL, s->name, bytes, *index);
    l->names = must_grow(l->names, l->name_count, &l->name_capacity, sizeof *l->names);
    l->names[l->name_count] = (struct link_name){.text = s->name,
                                                 .is_function = s->is_function,
                                                 .module = -1,
                                                 .announcer = UINT32_MAX};
    return &l->names[l->name_count++];
}

static enum proact_status define(struct linking *l, struct link_name *n, uint32_t module,
                                 uint32_t item, bool is_strong)
{
    if (n->module >= 0 && n->is_strong && is_strong)
        return fail(l->err, PROACT_EINVAL, "'%.200s' is defined in %.200s and in %.200s",
                    n->text, l->modules[n->module].module->name,
                    l->modules[module].module->name);
    if (n->module >= 0 && (n->is_strong || !is_strong))
        return PROACT_OK;
    n->module = (int32_t)module;
    n->item = item;
    n->is_strong = is_strong;
    return PROACT_OK;
}

static void announce(struct linking *l, struct link_name *n, uint32_t module, uint32_t item)
{
    const struct ptx_module *m = l->modules[module].module;
    const struct ptx_symbol *s = &m->symbols[m->items[item].symbol];

    n->is_dynamic |= s->is_extern && s->space == PTX_SPACE_SHARED;
    if (n->announcer != UINT32_MAX) {
        const struct ptx_module *before = l->modules[n->announcer].module;

        if (!n->is_dynamic ||
            before->symbols[before->items[n->announcement].symbol].align >= s->align)
            return;
    }
    n->announcer = module;
    n->announcement = item;
}

/* An alias has the linkage of the declaration of its name. */
static enum ptx_linkage linkage_of(const struct ptx_module *m, const struct ptx_item *item)
{
    if (item->kind != PTX_ITEM_ALIAS)
        return item->linkage;
    for (const struct ptx_item *i = m->items; i < item; i++)
        if (i->kind == PTX_ITEM_FUNCTION && i->symbol == item->symbol)
            return i->linkage;
    return PTX_FILE_LOCAL;
}

static enum proact_status share_item(struct linking *l, uint32_t module, uint32_t item)
{
    struct link_module *lm = &l->modules[module];
    const struct ptx_module *m = lm->module;
    const struct ptx_item *i = &m->items[item];

    if (i->symbol < 0 || i->kind < PTX_ITEM_VARIABLE)
        return PROACT_OK;
    const struct ptx_symbol *s = &m->symbols[i->symbol];

    if (i->name_count > 1)
        return fail(l->err, PROACT_EINVAL,
                    "%.200s: '%.200s' and %u more are one declaration, which is not linked",
                    m->name, s->name, i->name_count - 1);
    if (i->kind == PTX_ITEM_ALIAS || i->defines)
        lm->item[i->symbol] = item + 1;
    enum ptx_linkage linkage = linkage_of(m, i);

    if (linkage == PTX_FILE_LOCAL)
        return PROACT_OK;
    struct link_name *n = name_of(l, s, &lm->shared_name[i->symbol]);

    if (n->is_function != s->is_function)
        return fail(l->err, PROACT_EINVAL,
                    "'%.200s' is a variable in one file and a function in %.200s", s->name,
                    m->name);
    if (i->kind == PTX_ITEM_ALIAS || i->defines)
        return define(l, n, module, item, linkage == PTX_VISIBLE);
    announce(l, n, module, item);
    return PROACT_OK;
}

/* A unique name: NAME__2 for the second module. */
static const char *free_name(struct linking *l, const char *name, uint32_t module)
{
    size_t room = strlen(name) + 32;
    char *made = arena_alloc(&l->arena, room);
    uint32_t number = module + 1;

    do
        snprintf(made, room, "%s__%u", name, number++);
    while (ptx_names_find(&l->index, PTX_NAME_LABEL, made, (uint32_t)strlen(made)));
    return made;
}

/* File-local names get unique names. Kernels keep theirs, because programs look them up by
   name. */
static enum proact_status keep_apart(struct linking *l, uint32_t module, int32_t symbol)
{
    struct link_module *lm = &l->modules[module];
    const struct ptx_symbol *s = &lm->module->symbols[symbol];
    const char *name = s->name;
    const struct ptx_function *f =
        s->function < 0 ? NULL : &lm->module->functions[s->function];

    if (lm->shared_name[symbol] >= 0)
        return PROACT_OK;
    if (ptx_names_find(&l->index, PTX_NAME_LABEL, name, (uint32_t)strlen(name))) {
        if (f && f->is_entry)
            return fail(l->err, PROACT_EINVAL, "two files have a kernel '%.200s'", name);
        name = lm->new_name[symbol] = free_name(l, name, module);
    }
    ptx_names_add(&l->index, PTX_NAME_LABEL, name, (uint32_t)strlen(name), symbol);
    return PROACT_OK;
}

bool link_is_kept(const struct linking *l, uint32_t module, const struct ptx_item *i)
{
    const struct link_module *lm = &l->modules[module];

    if (!i->defines)
        return false;
    int32_t name = lm->shared_name[i->symbol];

    return name < 0 || (l->names[name].module == (int32_t)module &&
                        &lm->module->items[l->names[name].item] == i);
}

const struct ptx_item *link_definition(const struct linking *l, uint32_t *module,
                                       int32_t symbol)
{
    const struct link_module *lm = &l->modules[*module];
    int32_t name = lm->shared_name[symbol];
    uint32_t item = lm->item[symbol];

    if (name >= 0) {
        if (l->names[name].module < 0)
            return NULL;
        *module = (uint32_t)l->names[name].module;
        item = l->names[name].item + 1;
    }
    return item ? &l->modules[*module].module->items[item - 1] : NULL;
}

const char *link_final_name(const struct linking *l, uint32_t module, int32_t symbol)
{
    for (int i = 0; i < ALIASES_MAX; i++) {
        const struct ptx_item *definition = link_definition(l, &module, symbol);

        if (!definition)
            break;
        if (definition->kind != PTX_ITEM_ALIAS) {
            symbol = definition->symbol;
            break;
        }
        if (definition->target < 0)
            break;
        symbol = definition->target;
    }
    const struct link_module *lm = &l->modules[module];

    return lm->new_name[symbol] ? lm->new_name[symbol] : lm->module->symbols[symbol].name;
}

static void find_renamed(struct linking *l, uint32_t module)
{
    struct link_module *lm = &l->modules[module];

    for (uint32_t s = 0; s < lm->module->symbol_count; s++) {
        const char *old = lm->module->symbols[s].name;
        const char *name = link_final_name(l, module, (int32_t)s);

        if (strcmp(old, name) == 0)
            continue;
        lm->new_name[s] = name;
        ptx_names_add(&lm->renamed, PTX_NAME_SYMBOL, old, (uint32_t)strlen(old),
                      (int32_t)s);
    }
}

static void prepare(struct linking *l, struct link_module *lm)
{
    uint32_t count = lm->module->symbol_count + 1;

    lm->shared_name = arena_alloc(&l->arena, count * sizeof *lm->shared_name);
    lm->item = arena_alloc(&l->arena, count * sizeof *lm->item);
    lm->new_name = arena_alloc(&l->arena, count * sizeof *lm->new_name);
    for (uint32_t s = 0; s < count; s++)
        lm->shared_name[s] = -1;
}

enum proact_status link_names(struct linking *l)
{
    enum proact_status status = PROACT_OK;

    for (uint32_t m = 0; m < l->count; m++) {
        prepare(l, &l->modules[m]);
        for (uint32_t i = 0; i < l->modules[m].module->item_count && !status; i++)
            status = share_item(l, m, i);
    }
    for (uint32_t m = 0; m < l->count; m++)
        for (uint32_t s = 0; s < l->modules[m].module->symbol_count && !status; s++)
            status = keep_apart(l, m, (int32_t)s);
    for (uint32_t m = 0; m < l->count && !status; m++)
        find_renamed(l, m);
    return status;
}
