/* SPDX-License-Identifier: Apache-2.0 */
/* Inlining in passes: each pass inlines the functions that call no others. */
#include <stdlib.h>
#include <string.h>

#include "instrument/edit.h"
#include "instrument/inline/inline_site.h"
#include "instrument/instrument.h"

/* Limits: calls that are nested deeper, and calls that make a kernel larger, stay. */
enum { ROUNDS_MAX = 24, INSTRUCTIONS_MAX = 40000 };

enum state { UNKNOWN, VISITING, READY, WAITING, NEVER };

struct round {
    struct ptx_module *module; /* owned */
    struct arena arena;
    unsigned char *state; /* by function */
    struct edit_list edits;
    unsigned number; /* of the next site */
};

static bool is_usual(struct round *r, const struct ptx_function *f,
                     const struct ptx_instruction *call, int32_t called)
{
    struct inline_site site = {.module = r->module,
                               .caller = f,
                               .called = &r->module->functions[called],
                               .call = call};

    return inline_find(&site, &r->arena);
}

/* READY: every call in the function stays a call. Recursive functions are NEVER. */
static void visit(struct round *r, uint32_t function)
{
    const struct ptx_function *f = &r->module->functions[function];
    unsigned char *state = &r->state[function];
    bool waits = false;

    if (*state != UNKNOWN)
        return;
    *state = VISITING;
    for (uint32_t n = 0; n < f->instruction_count; n++) {
        int32_t called = inline_called(r->module, f, &f->instructions[n]);

        if (called < 0)
            continue;
        if (r->state[called] == VISITING) {
            r->state[called] = NEVER;
            continue;
        }
        visit(r, (uint32_t)called);
        waits |= r->state[called] != NEVER && is_usual(r, f, &f->instructions[n], called);
    }
    if (*state == NEVER || f->is_entry || !inline_is_plain(f))
        *state = NEVER;
    else
        *state = waits ? WAITING : READY;
}

/* Replaces the call, the stores of its arguments and the loads of its results. */
static void put_in(struct round *r, const struct inline_site *site)
{
    const struct ptx_function *f = site->caller;
    struct text text = {0};

    text_print(&text, "\n");
    inline_declare(site, &text);
    edit_insert(&r->edits, f->body.offset, "%s", text.data);
    text_clear(&text);
    for (uint32_t n = 0; n < f->instruction_count; n++) {
        const struct ptx_instruction *i = &f->instructions[n];

        if (i == site->call)
            inline_body(site, &text);
        else if (!inline_move(site, f, i, &text))
            continue;
        edit_replace(&r->edits, i->span, "%s", text.data);
        text_clear(&text);
    }
}

static void put_all(struct round *r, const struct ptx_function *f)
{
    uint32_t size = f->instruction_count;

    for (uint32_t n = 0; n < f->instruction_count; n++) {
        struct inline_site site = {
            .module = r->module, .caller = f, .call = &f->instructions[n]};
        int32_t called = inline_called(r->module, f, site.call);

        if (called < 0 || r->state[called] != READY)
            continue;
        site.called = &r->module->functions[called];
        if (size + site.called->instruction_count > INSTRUCTIONS_MAX ||
            !inline_find(&site, &r->arena))
            continue;
        site.number = r->number++;
        size += site.called->instruction_count;
        put_in(r, &site);
    }
}

static void inline_reach_initial(const struct ptx_module *m, const struct ptx_symbol *list,
                                 uint32_t count, bool reached[])
{
    for (uint32_t s = 0; s < count; s++)
        for (uint32_t k = 0; k < list[s].relocation_count; k++) {
            int32_t other = list[s].relocations[k].symbol - PTX_SYMBOL_MODULE;
            int32_t f = other < 0 ? -1 : m->symbols[other].function;

            if (f >= 0 && !reached[f])
                ptx_reach(m, &m->functions[f], reached);
        }
}

/* Removes functions without a caller whose address is not taken. */
static void drop_unused(struct round *r)
{
    const struct ptx_module *m = r->module;
    bool *reached = arena_alloc(&r->arena, (m->function_count + 1) * sizeof *reached);

    for (uint32_t f = 0; f < m->function_count; f++) {
        if (m->functions[f].is_entry && !reached[f])
            ptx_reach(m, &m->functions[f], reached);
        inline_reach_initial(m, m->functions[f].symbols, m->functions[f].symbol_count,
                             reached);
    }
    inline_reach_initial(m, m->symbols, m->symbol_count, reached);
    for (uint32_t i = 0; i < m->item_count; i++) {
        const struct ptx_item *item = &m->items[i];
        bool is_function = item->kind == PTX_ITEM_FUNCTION || item->kind == PTX_ITEM_ALIAS;

        if (!is_function || item->symbol < 0)
            continue;
        int32_t f = m->symbols[item->symbol].function;

        if (f >= 0 && !reached[f])
            edit_replace(&r->edits, item->span, "%s", "");
    }
}

static void hoist(struct round *r)
{
    function_variables_move(r->module, &r->edits);
    inline_hoist(r->module, &r->edits);
}

static void put_in_everywhere(struct round *r)
{
    const struct ptx_module *m = r->module;

    r->state = arena_alloc(&r->arena, m->function_count + 1);
    for (uint32_t f = 0; f < m->function_count; f++)
        visit(r, f);
    for (uint32_t f = 0; f < m->function_count; f++)
        put_all(r, &m->functions[f]);
}

/* Applies the edits and parses the new text. `*any` reports whether there were any
   edits. */
static enum proact_status change(struct round *r, void (*edit)(struct round *r), bool *any,
                                 struct proact_error *err)
{
    struct ptx_module *old = r->module;
    struct text text = {0};
    enum proact_status status = PROACT_OK;

    edit(r);
    *any = r->edits.count > 0;
    if (*any) {
        edit_print(&r->edits, old, (struct ptx_span){0, (uint32_t)old->bytes}, &text);
        r->module = NULL;
        status = ptx_parse(old->name, text.data, text.length, &r->module, err);
        ptx_destroy(old);
    }
    text_clear(&text);
    edit_clear(&r->edits);
    arena_clear(&r->arena);
    return status;
}

enum proact_status instrument_inline(const char *name, char **text, size_t *bytes,
                                     struct proact_error *err)
{
    struct round r = {.number = 1};
    bool any = true;
    enum proact_status status = ptx_parse(name, *text, *bytes, &r.module, err);

    if (!status)
        status = change(&r, hoist, &any, err);
    any = true;
    for (int n = 0; n < ROUNDS_MAX && !status && any; n++)
        status = change(&r, put_in_everywhere, &any, err);
    if (!status && r.number > 1)
        status = change(&r, drop_unused, &any, err);
    if (!status) {
        free(*text);
        *bytes = r.module->bytes;
        *text = must_strndup(r.module->text, r.module->bytes);
    }
    ptx_destroy(r.module);
    return status;
}
