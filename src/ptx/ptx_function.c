/* SPDX-License-Identifier: Apache-2.0 */
#include <stdlib.h>
#include <string.h>

#include "ptx/ptx_parser.h"

/* `_` is the parameter of a prototype and gets no name. A parameter in a register needs
   the width of one, as ptxas requires. */
static bool read_parameter(struct ptx_parser *p, bool is_entry, struct ptx_list *list)
{
    uint64_t dims[PTX_DIMS_MAX + 1];
    unsigned dim_count;
    struct ptx_declaration d;
    bool is_register = !is_entry && ptx_at_word(p, ".reg");

    if (!is_register && !ptx_at_word(p, ".param"))
        return ptx_expected(p, is_entry ? "'.param'" : "'.param' or '.reg'");
    ptx_next(p);
    if (!ptx_read_type(p, &d))
        return false;
    if (is_register && (!ptx_type_bytes(d.symbol.type) || d.vector > 4))
        return ptx_wrong(p, p->token.span.offset,
                         "a predicate or a vector of %u elements "
                         "cannot be a parameter",
                         d.vector);
    d.symbol.space = PTX_SPACE_PARAM;
    d.symbol.is_register = is_register;
    return ptx_read_declarator(p, &d, ptx_list_add(list), dims, &dim_count);
}

static bool read_parameters(struct ptx_parser *p, bool is_entry, struct ptx_list *list)
{
    ptx_next(p);
    if (ptx_accept(p, ')'))
        return true;
    do
        if (!read_parameter(p, is_entry, list))
            return false;
    while (ptx_accept(p, ','));
    return ptx_expect(p, ')', "')' after the parameters");
}

/* Lays the parameters out as the PTX ABI requires. *bytes receives their total size. */
static bool add_parameters(struct ptx_parser *p, struct ptx_list *list, uint32_t *bytes)
{
    uint64_t at = 0;

    for (size_t i = 0; i < list->count; i++) {
        struct ptx_symbol *s = (struct ptx_symbol *)list->data + i;
        int32_t index;

        at = (at + s->align - 1) / s->align * s->align;
        s->offset = (uint32_t)at;
        at += s->bytes;
        if (at > UINT32_MAX)
            return ptx_wrong(p, s->span.offset, "parameters of more than %u bytes",
                             UINT32_MAX);
        if (s->is_register)
            ptx_symbol_add_unnamed(p, s); /* its name denotes the register */
        else if (!ptx_symbol_add(p, s, &index))
            return false;
    }
    *bytes = (uint32_t)at;
    return true;
}

/* Up to three numbers of `what`; absent ones are 1. */
static bool read_triple(struct ptx_parser *p, const char *what, uint32_t out[3])
{
    out[0] = out[1] = out[2] = 1;
    for (int i = 0; i < 3; i++) {
        uint32_t at = p->token.span.offset;
        uint64_t value;

        if (!ptx_read_integer(p, what, &value))
            return false;
        if (!value || value > INT32_MAX)
            return ptx_wrong(p, at, "%llu is no %s", (unsigned long long)value,
                             what + strlen("a "));
        out[i] = (uint32_t)value;
        if (!ptx_accept(p, ','))
            break;
    }
    return true;
}

static bool read_max_threads(struct ptx_parser *p, uint32_t at, struct ptx_function *f)
{
    uint32_t threads[3];

    if (!read_triple(p, "a number of threads", threads))
        return false;
    uint64_t all = (uint64_t)threads[0] * threads[1];

    all = all > UINT32_MAX ? all : all * threads[2];
    if (all > UINT32_MAX)
        return ptx_wrong(p, at, "a CTA of more than %u threads", UINT32_MAX);
    f->max_threads = (uint32_t)all;
    return true;
}

/* .reqnctapercluster, .maxclusterrank, .explicitcluster; the parser is after `word`. */
static bool read_cluster(struct ptx_parser *p, const char *word, struct ptx_function *f)
{
    uint32_t most[3];

    if (!strcmp(word, ".explicitcluster"))
        return f->must_cluster = true;
    if (!strcmp(word, ".reqnctapercluster"))
        return read_triple(p, "a number of CTAs", f->cluster);
    if (!read_triple(p, "a number of CTAs", most))
        return false;
    f->max_cluster = most[0];
    return true;
}

/* The cluster directive at the token. NULL: none. */
static const char *cluster_word(const struct ptx_parser *p)
{
    static const char *const words[] = {".reqnctapercluster", ".maxclusterrank",
                                        ".explicitcluster"};

    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        if (ptx_at_word(p, words[i]))
            return words[i];
    return NULL;
}

/* A statement of the module, which ends a declaration without a semicolon. ptxas accepts
   such declarations, and old compilers write them. */
static bool at_statement(const struct ptx_parser *p)
{
    static const char *const words[] = {
        ".func",   ".entry",        ".visible", ".extern",  ".weak",  ".common", ".version",
        ".target", ".address_size", ".file",    ".section", ".alias", ".loc"};

    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        if (ptx_at_word(p, words[i]))
            return true;
    return p->token.kind == PTX_TOKEN_WORD &&
           ptx_part_space(ptx_word_part(p, &p->token)) != PTX_SPACE_GENERIC;
}

/* .maxntid 256, .minnctapersm 2, .noreturn, ...: unknown directives pass through. */
static bool read_directives(struct ptx_parser *p, struct ptx_function *f)
{
    bool good = true;

    while (good && p->token.kind == PTX_TOKEN_WORD && !at_statement(p)) {
        uint32_t at = p->token.span.offset;
        const char *of_cluster = cluster_word(p);

        if (of_cluster) {
            ptx_next(p);
            good = read_cluster(p, of_cluster, f);
        } else if (ptx_at_word(p, ".maxntid")) {
            ptx_next(p);
            good = read_max_threads(p, at, f);
        } else if (ptx_at_word(p, ".reqntid")) {
            ptx_next(p);
            good = read_triple(p, "a number of threads", f->reqntid);
        } else if (ptx_at_word(p, ".pragma")) {
            good = ptx_skip_statement(p);
        } else {
            ptx_next(p);
            while (p->token.kind == PTX_TOKEN_NUMBER || p->token.kind == PTX_TOKEN_STRING ||
                   ptx_at(p, ','))
                ptx_next(p);
        }
    }
    return good;
}

/* ts: .branchtargets A, B; */
static bool read_targets(struct ptx_parser *p, int32_t label)
{
    struct ptx_targets *t = ptx_list_add(&p->body.targets);
    struct ptx_operand *list;

    t->label = label;
    ptx_next(p);
    if (!ptx_read_operands(p, true, &list, &t->count))
        return false;
    t->labels = arena_alloc(&p->module->arena, t->count * sizeof *t->labels);
    for (uint32_t i = 0; i < t->count; i++) {
        if (list[i].kind != PTX_LABEL)
            return ptx_wrong(p, list[i].span.offset, "expected a label");
        ptx_label_refer(p, &t->labels[i], list[i].span);
    }
    return ptx_expect(p, ';', "';' after the labels");
}

/* NAME: .callprototype (.param .b32 _) _ (.reg .b64 _, ...); */
static bool read_prototype(struct ptx_parser *p, const char *name)
{
    struct ptx_list results = {.size = sizeof(struct ptx_symbol)}, parameters = results;
    bool good = true;

    ptx_next(p);
    if (ptx_at(p, '('))
        good = read_parameters(p, false, &results);
    if (good && p->token.kind == PTX_TOKEN_NAME)
        ptx_next(p);
    if (good && ptx_at(p, '('))
        good = read_parameters(p, false, &parameters);
    if (good)
        ptx_signature_add(p, &p->body.prototypes, name, &results, &parameters);
    free(results.data);
    free(parameters.data);
    return good && ptx_skip_statement(p);
}

/* The parser is after `name :`. */
static bool read_label(struct ptx_parser *p, const struct ptx_token *name)
{
    int32_t label;

    if (!ptx_label_add(p, name, &label))
        return false;
    if (ptx_at_word(p, ".branchtargets"))
        return read_targets(p, label);
    if (ptx_at_word(p, ".callprototype"))
        return read_prototype(p, ptx_token_copy(p, name));
    if (ptx_at_word(p, ".calltargets"))
        return ptx_skip_statement(p);
    return true;
}

static bool read_labelled(struct ptx_parser *p)
{
    struct ptx_instruction i = {.guard = -1,
                                .ignored_bytes = p->body.ignored_bytes,
                                .line = p->token.line,
                                .span = p->token.span};
    bool guarded = ptx_at(p, '@');

    if (guarded && !ptx_read_guard(p, &i))
        return false;
    struct ptx_token name = p->token;

    if (name.kind != PTX_TOKEN_NAME)
        return ptx_expected(p, "an instruction");
    ptx_next(p);
    if (!guarded && ptx_accept(p, ':'))
        return read_label(p, &name);
    if (!ptx_read_instruction(p, name, &i))
        return false;
    if (i.opcode == PTX_RET)
        ptx_results_store(p, &i);
    if (i.opcode == PTX_CALL)
        ptx_call_add(p, &i);
    else
        *(struct ptx_instruction *)ptx_list_add(&p->body.instructions) = i;
    p->body.ignored_bytes = 0;
    return true;
}

/* Wide loads copy structures with padding. The pragma's mask gives the bytes that are
   used. */
static bool read_pragma(struct ptx_parser *p)
{
    static const char used[] = "\"used_bytes_mask ";
    const char *text;

    ptx_next(p);
    text = p->text + p->token.span.offset;
    if (p->token.kind == PTX_TOKEN_STRING && !strncmp(text, used, sizeof used - 1))
        p->body.ignored_bytes = ~(uint32_t)strtoul(text + sizeof used - 1, NULL, 0);
    return ptx_skip_statement(p);
}

static bool read_declaration(struct ptx_parser *p)
{
    bool is_extern = ptx_at_word(p, ".extern");

    if (ptx_at_word(p, ".reg")) {
        ptx_next(p);
        return ptx_read_registers(p);
    }
    if (ptx_at_word(p, ".loc") || ptx_at_word(p, ".file")) {
        ptx_skip_line(p);
        return true;
    }
    if (ptx_at_word(p, ".pragma"))
        return read_pragma(p);
    if (is_extern)
        ptx_next(p);
    if (ptx_part_space(ptx_word_part(p, &p->token)) != PTX_SPACE_GENERIC)
        return ptx_read_variables(p, is_extern);
    return ptx_expected(p, "an instruction or a declaration");
}

/* Parses statements up to the closing brace of the function, which remains the token. */
static bool read_body(struct ptx_parser *p)
{
    uint32_t outermost = p->body.depth;

    for (;;) {
        bool good = true;

        if (ptx_at(p, '{')) {
            good = ptx_scope_enter(p);
            ptx_next(p);
        } else if (ptx_at(p, '}') && p->body.depth == outermost) {
            return true;
        } else if (ptx_accept(p, '}')) {
            ptx_scope_leave(p);
        } else if (ptx_accept(p, ';')) {
            continue; /* inline assembly may leave an extra one */
        } else if (p->token.kind == PTX_TOKEN_WORD) {
            good = read_declaration(p);
        } else if (p->token.kind == PTX_TOKEN_NAME || ptx_at(p, '@')) {
            good = read_labelled(p);
        } else {
            good = ptx_expected(p, "an instruction or '}'");
        }
        if (!good)
            return false;
    }
}

static void take_body(struct ptx_parser *p, struct ptx_function *f)
{
    struct arena *a = &p->module->arena;
    struct ptx_body *b = &p->body;

    f->symbol_count = (uint32_t)b->symbols.count;
    f->symbols = ptx_list_take(&b->symbols, 0, a);
    f->register_count = (uint32_t)b->registers.count;
    f->registers = ptx_list_take(&b->registers, 0, a);
    f->instruction_count = (uint32_t)b->instructions.count;
    f->instructions = ptx_list_take(&b->instructions, 0, a);
    f->label_count = (uint32_t)b->labels.count;
    f->labels = ptx_list_take(&b->labels, 0, a);
    f->targets_count = (uint32_t)b->targets.count;
    f->targets = ptx_list_take(&b->targets, 0, a);
    b->ranges.count = b->prototypes.count = 0;
    b->first_result = b->result_count = 0;
    if (b->slot_count)
        memset(b->slots, 0, b->slot_capacity * sizeof *b->slots);
    b->slot_count = 0;
    b->ignored_bytes = 0;
}

/* Parses the header before the body. The caller releases the lists. */
static bool read_header(struct ptx_parser *p, struct ptx_function *f,
                        struct ptx_symbol *symbol, struct ptx_list *returns,
                        struct ptx_list *parameters)
{
    if (!f->is_entry && ptx_at(p, '(') && !read_parameters(p, false, returns))
        return false;
    struct ptx_token t = p->token;

    if (t.kind != PTX_TOKEN_NAME)
        return ptx_expected(p, "the function's name");
    f->name = symbol->name = ptx_token_copy(p, &t);
    symbol->span = t.span;
    ptx_next(p);
    if (ptx_at(p, '(') && !read_parameters(p, f->is_entry, parameters))
        return false;
    f->parameter_count = (uint32_t)parameters->count;
    f->return_count = (uint32_t)returns->count;
    if (!read_directives(p, f))
        return false;
    f->header = (struct ptx_span){f->span.offset, p->token.span.offset - f->span.offset};
    if (ptx_at(p, '{'))
        symbol->function = (int32_t)p->functions.count;
    return true;
}

/* Parses the function's scope; the token is its opening brace. */
static bool read_scope(struct ptx_parser *p, struct ptx_function *f,
                       struct ptx_list *returns, struct ptx_list *parameters)
{
    uint32_t at = p->token.span.offset, return_bytes;

    if (!ptx_scope_enter(p) || !add_parameters(p, parameters, &f->parameter_bytes) ||
        !add_parameters(p, returns, &return_bytes))
        return false;
    ptx_next(p);
    if (!ptx_parameters_open(p, f->parameter_count, f->return_count) || !read_body(p))
        return false;
    ptx_results_store(p, NULL); /* the end of the text returns, too */
    f->body = (struct ptx_span){at + 1, p->token.span.offset - at - 1};
    f->span.bytes = p->token.span.offset + 1 - f->span.offset;
    ptx_next(p);
    ptx_scope_leave(p);
    if (p->body.references.count) {
        const struct ptx_reference *r = p->body.references.data;

        return ptx_wrong(p, r->offset, "'%.*s' is neither declared nor a label here",
                         (int)r->bytes, p->text + r->offset);
    }
    take_body(p, f);
    *(struct ptx_function *)ptx_list_add(&p->functions) = *f;
    return true;
}

bool ptx_read_function(struct ptx_parser *p, uint32_t start, bool is_extern)
{
    struct ptx_list returns = {.size = sizeof(struct ptx_symbol)}, parameters = returns;
    struct ptx_function f = {.is_entry = ptx_at_word(p, ".entry"), .span = {start, 0}};
    struct ptx_symbol symbol = {.type = PTX_PART_COUNT,
                                .align = 1,
                                .is_extern = is_extern,
                                .is_function = true,
                                .function = -1};
    int32_t index;

    ptx_next(p);
    bool good = read_header(p, &f, &symbol, &returns, &parameters) &&
                ptx_symbol_add(p, &symbol, &index); /* before the body, which may be
                                                       recursive */

    if (good) {
        ptx_item_head(p);
        ptx_item_name(p, index, symbol.function >= 0);
        ptx_signature_add(p, &p->signatures, f.name, &returns, &parameters);
    }
    if (good && symbol.function >= 0)
        good = read_scope(p, &f, &returns, &parameters);
    else if (good && (f.is_entry || !at_statement(p)))
        good = ptx_expect(p, ';', "'{' or ';' after the function's header");
    free(returns.data);
    free(parameters.data);
    return good;
}
