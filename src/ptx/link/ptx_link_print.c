/* SPDX-License-Identifier: Apache-2.0 */
#include "ptx/link/ptx_link_print.h"

#include <stdlib.h>
#include <string.h>

#include "base/fail.h"
#include "ptx/ptx_parser.h"

struct printing {
    const struct linking *linking;
    struct text *text;
    unsigned char **state; /* of each variable, by module and item */
};

enum { NOT_YET, IN_WORK, PRINTED };

static void add(struct printing *p, const char *text)
{
    text_add(p->text, text, strlen(text));
}

/* True if a declaration in the function hides the module's name. */
static bool is_hidden(const struct ptx_function *f, const char *name)
{
    for (uint32_t s = 0; f && s < f->symbol_count; s++)
        if (strcmp(f->symbols[s].name, name) == 0)
            return true;
    return false;
}

/* Prints a span of a module's text with its final names. */
static void print_span(struct printing *p, uint32_t module, const struct ptx_function *f,
                       struct ptx_span span)
{
    const struct link_module *lm = &p->linking->modules[module];
    struct ptx_parser lexer = {
        .text = lm->module->text, .bytes = span.offset + span.bytes, .at = span.offset};
    uint32_t at = span.offset;

    ptx_next(&lexer);
    while (lexer.token.kind != PTX_TOKEN_END) {
        const struct ptx_span token = lexer.token.span;
        const struct ptx_name *old = NULL;

        if (ptx_at_word(&lexer, ".loc") || ptx_at_word(&lexer, ".file")) {
            text_add(p->text, lexer.text + at, token.offset - at);
            ptx_skip_line(&lexer);
            at = lexer.token.span.offset;
            continue;
        }
        if (lexer.token.kind == PTX_TOKEN_NAME)
            old = ptx_names_find(&lm->renamed, PTX_NAME_SYMBOL, lexer.text + token.offset,
                                 token.bytes);
        if (old && !is_hidden(f, old->text)) {
            text_add(p->text, lexer.text + at, token.offset - at);
            add(p, lm->new_name[old->index]);
            at = token.offset + token.bytes;
        }
        ptx_next(&lexer);
    }
    text_add(p->text, lexer.text + at, span.offset + span.bytes - at);
}

/* The newline ends a comment at the end of a file. */
static void print_item(struct printing *p, uint32_t module, const struct ptx_function *f,
                       const struct ptx_item *i)
{
    print_span(p, module, f, i->span);
    add(p, "\n");
}

static void print_head(struct printing *p, uint32_t module, const struct ptx_item *i)
{
    print_span(p, module, NULL, i->head);
    add(p, ";\n");
}

/* sm_90a of `.target sm_90a, debug` */
static struct ptx_span target_of(const struct ptx_module *m)
{
    for (uint32_t i = 0; i < m->item_count; i++) {
        const struct ptx_item *item = &m->items[i];
        struct ptx_parser lexer = {.text = m->text,
                                   .bytes = item->span.offset + item->span.bytes,
                                   .at = item->span.offset};

        if (item->kind != PTX_ITEM_TARGET)
            continue;
        ptx_next(&lexer);
        while (lexer.token.kind != PTX_TOKEN_END && !ptx_at(&lexer, ';')) {
            if (lexer.token.kind == PTX_TOKEN_NAME &&
                memchr(lexer.text + lexer.token.span.offset, '_', lexer.token.span.bytes))
                return lexer.token.span;
            ptx_next(&lexer);
        }
    }
    return (struct ptx_span){0, 0};
}

/* Prints the newest version and target. Of two targets with one number, the one with a
   letter. */
static void print_start(struct printing *p)
{
    const struct linking *l = p->linking;
    const struct ptx_module *newest = l->modules[0].module, *best = newest;

    for (uint32_t i = 1; i < l->count; i++) {
        const struct ptx_module *m = l->modules[i].module;

        if (m->version_major * 1000 + m->version_minor >
            newest->version_major * 1000 + newest->version_minor)
            newest = m;
        if (m->target_sm > best->target_sm ||
            (m->target_sm == best->target_sm && target_of(m).bytes > target_of(best).bytes))
            best = m;
    }
    const struct ptx_span target = target_of(best);

    text_print(p->text, ".version %u.%u\n.target %.*s\n.address_size 64\n\n",
               newest->version_major, newest->version_minor, (int)target.bytes,
               best->text + target.offset);
}

static void print_prototypes(struct printing *p)
{
    const struct linking *l = p->linking;

    for (uint32_t n = 0; n < l->name_count; n++) {
        const struct link_name *name = &l->names[n];

        if (name->module >= 0 || name->announcer == UINT32_MAX)
            continue;
        const struct ptx_module *m = l->modules[name->announcer].module;

        if (name->is_function || name->is_dynamic) /* defined by the system, or by the
                                                      launch */
            print_head(p, name->announcer, &m->items[name->announcement]);
    }
    for (uint32_t m = 0; m < l->count; m++)
        for (uint32_t i = 0; i < l->modules[m].module->item_count; i++) {
            const struct ptx_module *module = l->modules[m].module;
            const struct ptx_item *item = &module->items[i];

            if (item->kind == PTX_ITEM_FUNCTION && link_is_kept(l, m, item) &&
                !module->functions[module->symbols[item->symbol].function].is_entry)
                print_head(p, m, item);
        }
}

/* Variables that contain each other's addresses: one is declared first. */
static enum proact_status announce(struct printing *p, uint32_t module,
                                   const struct ptx_item *i)
{
    const struct ptx_module *m = p->linking->modules[module].module;
    const char *linkage = m->text + i->head.offset;
    uint32_t skipped = (uint32_t)strcspn(linkage, " \t\r\n");

    if (i->linkage == PTX_FILE_LOCAL)
        return fail(p->linking->err, PROACT_EINVAL,
                    "'%.200s' of %.200s contains the address of a variable that contains "
                    "its address",
                    m->symbols[i->symbol].name, m->name);
    add(p, ".extern");
    print_span(p, module, NULL,
               (struct ptx_span){i->head.offset + skipped, i->head.bytes - skipped});
    add(p, ";\n");
    return PROACT_OK;
}

/* Prints the variable after those whose addresses it contains. */
static enum proact_status print_variable(struct printing *p, uint32_t module,
                                         const struct ptx_item *i)
{
    const struct ptx_module *m = p->linking->modules[module].module;
    const struct ptx_symbol *s = &m->symbols[i->symbol];
    unsigned char *state = &p->state[module][i - m->items];
    enum proact_status status = PROACT_OK;

    if (*state == PRINTED)
        return PROACT_OK;
    if (*state == IN_WORK)
        return announce(p, module, i);
    *state = IN_WORK;
    for (uint32_t r = 0; r < s->relocation_count && !status; r++) {
        int32_t symbol = s->relocations[r].symbol - PTX_SYMBOL_MODULE;
        uint32_t home = module;
        const struct ptx_item *other = link_definition(p->linking, &home, symbol);

        if (other && other->kind == PTX_ITEM_VARIABLE && other != i)
            status = print_variable(p, home, other);
    }
    *state = PRINTED;
    if (!status)
        print_item(p, module, NULL, i);
    return status;
}

static enum proact_status print_variables(struct printing *p)
{
    const struct linking *l = p->linking;
    enum proact_status status = PROACT_OK;

    for (uint32_t m = 0; m < l->count; m++)
        for (uint32_t i = 0; i < l->modules[m].module->item_count && !status; i++) {
            const struct ptx_item *item = &l->modules[m].module->items[i];

            if (item->kind == PTX_ITEM_VARIABLE && link_is_kept(l, m, item))
                status = print_variable(p, m, item);
        }
    return status;
}

static void print_functions(struct printing *p)
{
    const struct linking *l = p->linking;

    for (uint32_t m = 0; m < l->count; m++)
        for (uint32_t i = 0; i < l->modules[m].module->item_count; i++) {
            const struct ptx_module *module = l->modules[m].module;
            const struct ptx_item *item = &module->items[i];

            if (item->kind == PTX_ITEM_FUNCTION && link_is_kept(l, m, item)) {
                int32_t function = module->symbols[item->symbol].function;

                print_item(p, m, &module->functions[function], item);
            }
        }
}

enum proact_status link_print(const struct linking *l, struct text *into)
{
    struct printing p = {l, into, must_calloc(l->count, sizeof *p.state)};
    enum proact_status status;

    for (uint32_t m = 0; m < l->count; m++)
        p.state[m] = must_calloc(l->modules[m].module->item_count + 1, 1);
    print_start(&p);
    print_prototypes(&p);
    if (!(status = print_variables(&p)))
        print_functions(&p);
    for (uint32_t m = 0; m < l->count; m++)
        free(p.state[m]);
    free(p.state);
    return status;
}
