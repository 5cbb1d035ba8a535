/* SPDX-License-Identifier: Apache-2.0 */
#include "analyze/analyze_constants.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "command.h"

static int32_t find_symbol(const struct ptx_module *m, const char *name, size_t length)
{
    for (uint32_t n = 0; n < m->symbol_count; n++)
        if (m->symbols[n].space == PTX_SPACE_CONST && !m->symbols[n].is_function &&
            !strncmp(m->symbols[n].name, name, length) && !m->symbols[n].name[length])
            return (int32_t)n;
    return -1;
}

static void add(struct analyze_constant *constants, uint32_t *count,
                struct analyze_constant c)
{
    for (uint32_t n = 0; n < *count; n++)
        if (constants[n].symbol == c.symbol && constants[n].offset == c.offset)
            return;
    if (c.symbol >= 0 && *count < ANALYZE_CONSTANTS_MAX)
        constants[(*count)++] = c;
}

/* Of one instruction of the slice, whose module has its own symbols. */
static void constant_add_reads(const struct ptx_module *of, const struct ptx_module *slice,
                               const struct ptx_function *f,
                               const struct ptx_instruction *i,
                               struct analyze_constant *constants, uint32_t *count)
{
    for (uint32_t o = 0; o < i->operand_count; o++) {
        const struct ptx_operand *at = &i->operands[o];
        bool names = at->kind == PTX_SYMBOL || at->kind == PTX_MEMORY;

        if (!names || at->symbol < PTX_SYMBOL_MODULE)
            continue;
        const char *name = ptx_symbol(slice, f, at->symbol)->name;
        struct analyze_constant c = {.symbol = find_symbol(of, name, strlen(name))};

        if (at->kind == PTX_SYMBOL) { /* the address of the variable */
            add(constants, count, c);
            continue;
        }
        c.bytes = ptx_type_bytes(i->type);
        c.offset = (uint32_t)at->integer;
        for (uint32_t e = 0; e < i->vector; e++, c.offset += c.bytes)
            add(constants, count, c);
    }
}

static int by_place(const void *a, const void *b)
{
    const struct analyze_constant *x = a, *y = b;

    return x->symbol != y->symbol ? x->symbol - y->symbol
                                  : (x->offset > y->offset) - (x->offset < y->offset);
}

uint32_t analyze_constants_read(const struct analyze_kernel *k,
                                struct analyze_constant constants[ANALYZE_CONSTANTS_MAX])
{
    struct write_set_slice_info info = write_set_slice_info(k->slice);
    struct ptx_module *m = NULL;
    uint32_t count = 0;

    if (ptx_parse(info.name, info.text, info.text_bytes, &m, NULL))
        return 0;
    const struct ptx_function *f = ptx_function_find(m, info.name);

    for (uint32_t n = 0; n < f->instruction_count; n++)
        constant_add_reads(k->module, m, f, &f->instructions[n], constants, &count);
    ptx_destroy(m);
    qsort(constants, count, sizeof *constants, by_place);
    return count;
}

void analyze_constant_text(const struct analyze_kernel *k, const struct analyze_constant *c,
                           char *into, size_t size)
{
    const char *name = k->module->symbols[c->symbol].name;

    if (c->offset)
        snprintf(into, size, "%s.%" PRIu32, name, c->offset);
    else
        snprintf(into, size, "%s", name);
}

bool analyze_constants_have(const struct analyze_constants *c,
                            const struct analyze_constant *place)
{
    const bool *given = c->given[place->symbol];

    for (uint32_t b = 0; b < (place->bytes ? place->bytes : 1); b++)
        if (given && !given[place->offset + b])
            return false;
    return true;
}

/* The width of the kernel's load at that offset, or of the variable, or the alignment of a
   table. */
static uint32_t width_at(const struct analyze_kernel *k, int32_t symbol, uint32_t offset)
{
    const struct ptx_symbol *v = &k->module->symbols[symbol];
    uint32_t bytes = ptx_type_bytes(v->type);

    for (uint32_t n = 0; n < k->analysis->symbol_count; n++) {
        const struct access_symbol *y = &k->analysis->symbols[n];

        if (y->kind == ACCESS_CONSTANT && y->variable - PTX_SYMBOL_MODULE == symbol &&
            y->offset == offset)
            return y->bytes;
    }
    bytes = bytes > 1 ? bytes : v->align;
    return bytes && bytes <= 8 ? bytes : 4;
}

static int take(struct analyze_constants *c, const struct analyze_kernel *k,
                const struct analyze_setting *s)
{
    int32_t symbol = find_symbol(k->module, s->name, s->name_length);

    if (symbol < 0)
        return usage_error("analyze", "--constant %s: no .const variable of that name",
                           s->word);
    uint32_t bytes = width_at(k, symbol, s->offset);
    uint32_t all = ptx_symbol_bytes(&k->module->symbols[symbol]);
    bool negative = *s->value == '-';
    char *end = NULL;

    errno = 0;
    uint64_t value = strtoull(s->value + negative, &end, 0);
    uint64_t high = bytes >= 8 ? UINT64_MAX : ((uint64_t)1 << 8 * bytes) - 1;

    if (s->value[negative] < '0' || s->value[negative] > '9' || *end || errno ||
        value > (negative ? high / 2 + 1 : high))
        return usage_error("analyze",
                           "--constant %s: expected a whole number of %" PRIu32 " bytes",
                           s->word, bytes);
    if (s->offset >= all || bytes > all - s->offset)
        return usage_error("analyze",
                           "--constant %s: "
                           "the variable has %" PRIu32 " bytes",
                           s->word, all);
    value = negative ? 0 - value : value;
    memcpy(c->content[symbol] + s->offset, &value, bytes);
    memset(c->given[symbol] + s->offset, true, bytes);
    return EXIT_FINE;
}

static int check_missing(const struct analyze_constants *c, const struct analyze_kernel *k)
{
    struct analyze_constant constants[ANALYZE_CONSTANTS_MAX];
    uint32_t count = k->slice ? analyze_constants_read(k, constants) : 0;
    struct text list = {0};
    int code = EXIT_FINE;

    for (uint32_t n = 0; n < count; n++) {
        char place[128];

        if (analyze_constants_have(c, &constants[n]))
            continue;
        analyze_constant_text(k, &constants[n], place, sizeof place);
        text_print(&list, " --constant %s=VALUE", place);
    }
    if (list.length)
        code = usage_error("analyze",
                           "the writes of kernel '%s' depend on further values: "
                           "add%s",
                           k->f->name, list.data);
    text_clear(&list);
    return code;
}

int analyze_constants_fill(struct analyze_constants *c, const struct analyze_kernel *k,
                           const struct analyze_request *q)
{
    const struct ptx_module *m = k->module;
    int code = EXIT_FINE;

    c->symbols = m->symbol_count;
    c->content = must_calloc(m->symbol_count + 1u, sizeof *c->content);
    c->given = must_calloc(m->symbol_count + 1u, sizeof *c->given);
    c->items = must_calloc(m->symbol_count + 1u, sizeof *c->items);
    for (uint32_t n = 0; n < m->symbol_count; n++) {
        const struct ptx_symbol *s = &m->symbols[n];

        if (s->space != PTX_SPACE_CONST || s->is_function || s->is_extern || !s->bytes)
            continue;
        c->content[n] = must_calloc(1, s->bytes);
        c->given[n] = must_calloc(s->bytes, sizeof **c->given);
        c->items[c->count++] =
            (struct write_set_constant){s->name, c->content[n], s->bytes};
        if (s->initial)
            memcpy(c->content[n], s->initial, s->bytes);
        memset(c->given[n], s->initial != NULL, s->bytes);
    }
    for (uint32_t n = 0; n < q->constant_count && !code; n++)
        code = take(c, k, &q->constants[n]);
    return code ? code : check_missing(c, k);
}

void analyze_constants_clear(struct analyze_constants *c)
{
    for (uint32_t n = 0; n < c->symbols; n++) {
        free(c->content[n]);
        free(c->given[n]);
    }
    free(c->content);
    free(c->given);
    free(c->items);
}
