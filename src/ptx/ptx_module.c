/* SPDX-License-Identifier: Apache-2.0 */
#include <stdlib.h>
#include <string.h>

#include "base/fail.h"
#include "ptx/ptx_parser.h"

static const struct {
    const char *word;
    enum ptx_linkage linkage;
} linkages[] = {{".visible", PTX_VISIBLE},
                {".weak", PTX_WEAK},
                {".common", PTX_COMMON},
                {".extern", PTX_EXTERN}};

/* .version 8.4: the token is a number with a decimal point. */
static bool read_version(struct ptx_parser *p)
{
    struct ptx_token t = p->token;
    char *end;

    if (t.kind != PTX_TOKEN_NUMBER)
        return ptx_expected(p, "a version");
    const char *text = ptx_token_copy(p, &t);

    p->module->version_major = (unsigned)strtoul(text, &end, 10);
    if (*end != '.')
        return ptx_expected(p, "a version");
    p->module->version_minor = (unsigned)strtoul(end + 1, &end, 10);
    if (*end)
        return ptx_expected(p, "a version");
    ptx_next(p);
    return true;
}

/* .target sm_90a, debug */
static bool read_target(struct ptx_parser *p)
{
    do {
        struct ptx_token t = p->token;

        if (t.kind != PTX_TOKEN_NAME)
            return ptx_expected(p, "a target");
        const char *text = ptx_token_copy(p, &t);

        if (!strncmp(text, "sm_", 3) || !strncmp(text, "compute_", 8))
            p->module->target_sm = (unsigned)strtoul(strchr(text, '_') + 1, NULL, 10);
        ptx_next(p);
    } while (ptx_accept(p, ','));
    return true;
}

/* .section .debug_str { ... }: skipped up to its closing brace. */
static bool skip_section(struct ptx_parser *p)
{
    if (p->token.kind != PTX_TOKEN_WORD && p->token.kind != PTX_TOKEN_NAME)
        return ptx_expected(p, "a section's name");
    ptx_next(p);
    if (!ptx_expect(p, '{', "'{' after the section's name"))
        return false;
    while (!ptx_at(p, '}')) {
        if (p->token.kind == PTX_TOKEN_END || p->token.kind == PTX_TOKEN_BAD ||
            ptx_at(p, '{'))
            return ptx_expected(p, "'}' after the section");
        ptx_next(p);
    }
    ptx_next(p);
    return true;
}

static bool read_linked(struct ptx_parser *p)
{
    struct ptx_item *item = &p->item;
    uint32_t start = p->token.span.offset;
    bool more = true;

    while (more) {
        more = false;
        for (size_t i = 0; i < sizeof linkages / sizeof *linkages && !more; i++)
            if ((more = ptx_at_word(p, linkages[i].word)))
                item->linkage = linkages[i].linkage;
        if (more)
            ptx_next(p);
    }
    bool is_extern = item->linkage == PTX_EXTERN;

    item->kind = PTX_ITEM_FUNCTION;
    if (ptx_at_word(p, ".entry") || ptx_at_word(p, ".func"))
        return ptx_read_function(p, start, is_extern);
    item->kind = PTX_ITEM_VARIABLE;
    if (ptx_part_space(ptx_word_part(p, &p->token)) != PTX_SPACE_GENERIC)
        return ptx_read_variables(p, is_extern);
    return ptx_expected(p, p->token.span.offset == start
                               ? "a directive"
                               : "'.entry', '.func' or a variable");
}

static bool read_address_size(struct ptx_parser *p)
{
    uint32_t at = p->token.span.offset;
    uint64_t bits;

    if (!ptx_read_integer(p, "32 or 64", &bits))
        return false;
    p->module->address_bits = (unsigned)bits;
    return bits == 32 || bits == 64 || ptx_wrong(p, at, "expected 32 or 64");
}

/* Symbol of the module. -1: not declared; it passes through. */
static bool read_aliased(struct ptx_parser *p, int32_t *symbol)
{
    struct ptx_token t = p->token;

    if (t.kind != PTX_TOKEN_NAME)
        return ptx_expected(p, "a function's name");
    *symbol = ptx_symbol_find(p, p->text + t.span.offset, t.span.bytes);
    if (*symbol >= 0)
        *symbol -= PTX_SYMBOL_MODULE;
    ptx_next(p);
    return true;
}

/* .alias other, function: calls of one reach the other. */
static bool read_alias(struct ptx_parser *p)
{
    struct ptx_symbol *symbols = p->symbols.data;
    struct ptx_item *i = &p->item;

    if (!read_aliased(p, &i->symbol) || !ptx_expect(p, ',', "',' after the alias's name") ||
        !read_aliased(p, &i->target))
        return false;
    if (i->symbol >= 0 && i->target >= 0)
        symbols[i->symbol].function = symbols[i->target].function;
    return ptx_expect(p, ';', "';' after the alias");
}

static const struct {
    const char *word;
    enum ptx_item_kind kind;
    bool (*read)(struct ptx_parser *p);
} directives[] = {
    {".version", PTX_ITEM_VERSION, read_version},
    {".target", PTX_ITEM_TARGET, read_target},
    {".address_size", PTX_ITEM_VERSION, read_address_size},
    {".section", PTX_ITEM_DEBUG, skip_section},
    {".alias", PTX_ITEM_ALIAS, read_alias},
    {".pragma", PTX_ITEM_OTHER, ptx_skip_statement},
};

static bool read_directive(struct ptx_parser *p)
{
    p->item = (struct ptx_item){.symbol = -1, .target = -1, .span = p->token.span};
    for (size_t i = 0; i < sizeof directives / sizeof *directives; i++)
        if (ptx_at_word(p, directives[i].word)) {
            p->item.kind = directives[i].kind;
            ptx_next(p);
            return directives[i].read(p);
        }
    if (ptx_at_word(p, ".file") || ptx_at_word(p, ".loc")) {
        p->item.kind = PTX_ITEM_DEBUG;
        ptx_skip_line(p);
        return true;
    }
    return read_linked(p);
}

static bool read_item(struct ptx_parser *p)
{
    if (!read_directive(p))
        return false;
    p->item.span.bytes = p->token.span.offset - p->item.span.offset;
    *(struct ptx_item *)ptx_list_add(&p->items) = p->item;
    return true;
}

static bool read_module(struct ptx_parser *p)
{
    ptx_next(p);
    if (p->token.kind == PTX_TOKEN_END)
        return ptx_expected(p, "'.version'");
    while (p->token.kind != PTX_TOKEN_END)
        if (!ptx_accept(p, ';') && !read_item(p))
            return false;
    return true;
}

static void init_parser(struct ptx_parser *p)
{
    p->line = 1;
    p->symbols.size = p->body.symbols.size = sizeof(struct ptx_symbol);
    p->functions.size = sizeof(struct ptx_function);
    p->operands.size = sizeof(struct ptx_operand);
    p->items.size = sizeof(struct ptx_item);
    p->initial.size = 1;
    p->relocations.size = sizeof(struct ptx_relocation);
    p->body.registers.size = sizeof(struct ptx_register);
    p->body.instructions.size = sizeof(struct ptx_instruction);
    p->body.labels.size = sizeof(struct ptx_label);
    p->body.targets.size = sizeof(struct ptx_targets);
    p->body.ranges.size = sizeof(struct ptx_range);
    p->body.references.size = sizeof(struct ptx_reference);
    p->signatures.size = p->body.prototypes.size = sizeof(struct ptx_signature);
    ptx_words_add(&p->words);
}

static void clear_parser(struct ptx_parser *p)
{
    struct ptx_body *b = &p->body;
    struct ptx_list *lists[] = {
        &p->items,       &p->symbols, &p->functions,  &p->operands,     &p->initial,
        &p->relocations, &b->symbols, &b->registers,  &b->instructions, &b->labels,
        &b->targets,     &b->ranges,  &b->references, &b->prototypes,   &p->signatures};

    for (size_t i = 0; i < sizeof lists / sizeof *lists; i++)
        free(lists[i]->data);
    free(b->slots);
    ptx_names_clear(&p->words);
    ptx_names_clear(&p->names);
}

enum proact_status ptx_parse(const char *name, const char *text, size_t bytes,
                             struct ptx_module **out, struct proact_error *err)
{
    struct ptx_module *m = must_calloc(1, sizeof *m);
    size_t name_bytes = strlen(name);
    char *copy = arena_alloc(&m->arena, name_bytes + 1);

    if (bytes >= UINT32_MAX) {
        ptx_destroy(m);
        return fail(err, PROACT_EINVAL, "%.200s: %zu bytes of PTX, %u at most", name, bytes,
                    UINT32_MAX - 1);
    }
    m->name = memcpy(copy, name, name_bytes + 1);
    m->text = must_strndup(text, bytes);
    m->bytes = bytes;
    struct ptx_parser p = {
        .module = m, .err = err, .text = m->text, .bytes = (uint32_t)bytes};

    init_parser(&p);
    bool good = read_module(&p);

    if (good) {
        m->function_count = (uint32_t)p.functions.count;
        m->functions = ptx_list_take(&p.functions, 0, &m->arena);
        m->symbol_count = (uint32_t)p.symbols.count;
        m->symbols = ptx_list_take(&p.symbols, 0, &m->arena);
        m->item_count = (uint32_t)p.items.count;
        m->items = ptx_list_take(&p.items, 0, &m->arena);
    }
    clear_parser(&p);
    if (!good) {
        ptx_destroy(m);
        return PROACT_EINVAL;
    }
    *out = m;
    return PROACT_OK;
}

void ptx_destroy(struct ptx_module *m)
{
    if (!m)
        return;
    arena_clear(&m->arena);
    free(m->text);
    free(m);
}
