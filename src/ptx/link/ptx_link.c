/* SPDX-License-Identifier: Apache-2.0 */
#include "ptx/link/ptx_link.h"

#include <stdlib.h>
#include <string.h>

#include "base/fail.h"
#include "ptx/link/ptx_link_names.h"
#include "ptx/link/ptx_link_print.h"

/* Functions that the system defines on every device. */
static const char *const of_the_system[] = {"vprintf", "malloc", "free", "__assertfail"};

static enum proact_status need(const struct linking *l, uint32_t module, int32_t symbol,
                               const char *user)
{
    uint32_t home = module;

    if (symbol < PTX_SYMBOL_MODULE)
        return PROACT_OK;
    symbol -= PTX_SYMBOL_MODULE;
    int32_t name = l->modules[module].shared_name[symbol];

    if (link_definition(l, &home, symbol) || name < 0 || l->names[name].is_dynamic)
        return PROACT_OK;
    for (size_t i = 0; i < sizeof of_the_system / sizeof *of_the_system; i++)
        if (strcmp(l->names[name].text, of_the_system[i]) == 0)
            return PROACT_OK;
    return fail(l->err, PROACT_EINVAL,
                "'%.200s', which '%.200s' of %.200s uses, is not defined",
                l->names[name].text, user, l->modules[module].module->name);
}

static enum proact_status need_operands(const struct linking *l, uint32_t module,
                                        const struct ptx_function *f,
                                        const struct ptx_operand *list, uint32_t count)
{
    enum proact_status status = PROACT_OK;

    for (uint32_t i = 0; i < count && !status; i++) {
        if (list[i].kind == PTX_SYMBOL || list[i].kind == PTX_MEMORY)
            status = need(l, module, list[i].symbol, f->name);
        if (!status && list[i].count)
            status = need_operands(l, module, f, list[i].list, list[i].count);
    }
    return status;
}

/* Checks that everything the item's definition uses is defined. */
static enum proact_status need_all(const struct linking *l, uint32_t module,
                                   const struct ptx_item *item)
{
    const struct ptx_module *m = l->modules[module].module;
    const struct ptx_symbol *s = &m->symbols[item->symbol];
    enum proact_status status = PROACT_OK;

    for (uint32_t r = 0; r < s->relocation_count && !status; r++)
        status = need(l, module, s->relocations[r].symbol, s->name);
    if (s->function < 0)
        return status;
    const struct ptx_function *f = &m->functions[s->function];

    for (uint32_t i = 0; i < f->instruction_count && !status; i++)
        status = need_operands(l, module, f, f->instructions[i].operands,
                               f->instructions[i].operand_count);
    return status;
}

enum proact_status ptx_link(const struct ptx_module *const modules[], size_t count,
                            char **out, size_t *bytes, struct proact_error *err)
{
    struct linking l = {.count = (uint32_t)count, .err = err};
    struct text text = {0};

    if (!count)
        return fail(err, PROACT_EINVAL, "there are no modules to link");
    l.modules = must_calloc(count, sizeof *l.modules);
    for (size_t m = 0; m < count; m++)
        l.modules[m].module = modules[m];
    enum proact_status status = link_names(&l);

    for (uint32_t m = 0; m < count; m++)
        for (uint32_t i = 0; i < modules[m]->item_count && !status; i++)
            if (link_is_kept(&l, m, &modules[m]->items[i]))
                status = need_all(&l, m, &modules[m]->items[i]);
    if (!status)
        status = link_print(&l, &text);
    if (status) {
        text_clear(&text);
    } else {
        *out = text.data;
        *bytes = text.length;
    }
    for (size_t m = 0; m < count; m++)
        ptx_names_clear(&l.modules[m].renamed);
    ptx_names_clear(&l.index);
    free(l.modules);
    free(l.names);
    arena_clear(&l.arena);
    return status;
}
