/* SPDX-License-Identifier: Apache-2.0 */
/* Instructions that may write global memory. Unknown instructions are included. */
#include <stdlib.h>
#include <string.h>

#include "access/slice/slice.h"

static const struct ptx_operand *memory_operand(const struct ptx_instruction *i)
{
    for (uint32_t n = 0; n < i->operand_count; n++)
        if (i->operands[n].kind == PTX_MEMORY)
            return &i->operands[n];
    return NULL;
}

/* First state space in the instruction; PTX_PART_COUNT: none. */
static enum ptx_part first_space(const struct ptx_instruction *i)
{
    for (uint8_t n = 0; n < i->part_count; n++)
        switch (i->parts[n]) {
        case PTX_PART_GLOBAL:
        case PTX_PART_SHARED:
        case PTX_PART_SHARED_CTA:
        case PTX_PART_SHARED_CLUSTER:
        case PTX_PART_LOCAL:
        case PTX_PART_PARAM:
        case PTX_PART_PARAM_FUNC:
        case PTX_PART_PARAM_ENTRY:
            return (enum ptx_part)i->parts[n];
        default:
            break;
        }
    return PTX_PART_COUNT;
}

/* Writer through the memory operand. */
static struct slice_writer through_address(const struct slice *s,
                                           const struct ptx_instruction *i)
{
    struct slice_writer w = {.address = memory_operand(i),
                             .bytes = ptx_type_bytes(i->type) * i->vector};
    enum ptx_part space = first_space(i);

    if (space != PTX_PART_GLOBAL && space != PTX_PART_COUNT)
        return (struct slice_writer){0};
    if (space == PTX_PART_COUNT && s && w.address && w.address->reg >= 0 &&
        s->is_local[w.address->reg])
        return (struct slice_writer){0};
    if (!w.address || !w.bytes || w.bytes > 32 || (w.bytes & (w.bytes - 1)))
        w.refusal = "it writes in a way that is not analyzed";
    return w;
}

/* Parses ".m16n8k16" as 16 and 8. */
static bool read_shape(const char *text, uint32_t *rows, uint32_t *columns)
{
    const char *at = strstr(text, ".m");
    char *end;

    if (!at || at[2] < '1' || at[2] > '9')
        return false;
    *rows = (uint32_t)strtoul(at + 2, &end, 10);
    if (*end != 'n')
        return false;
    *columns = (uint32_t)strtoul(end + 1, &end, 10);
    return *end == 'k';
}

/* wmma.store.d.sync.aligned.row.m16n16k16.global.f32 [address], {...}, stride */
static struct slice_writer matrix_writer(const struct slice *s,
                                         const struct ptx_instruction *i)
{
    struct slice_writer w = through_address(s, i);
    uint32_t rows = 0, columns = 0;
    char text[256] = "";

    if (!w.address)
        return w;
    if (s) /* for a callee, any write suffices */
        ptx_instruction_text(s->module, i, text, sizeof text);
    if (!read_shape(text, &rows, &columns) || i->guard >= 0 || i->operand_count < 2 ||
        w.address->reg < 0 || !columns || rows > 32 || columns > 32) {
        w.refusal = "it stores a matrix of a warp, which is not analyzed";
        return w;
    }
    bool by_column = ptx_has(i, PTX_PART_COL);

    w.refusal = NULL;
    w.lines = by_column ? columns : rows;
    w.line_elements = by_column ? rows : columns;
    w.element = ptx_type_bytes(i->type);
    w.bytes = w.line_elements * w.element;
    w.stride = i->operand_count > 2 ? &i->operands[2] : NULL;
    if (w.bytes % 16)
        w.refusal = "it stores a matrix of a warp, which is not analyzed";
    return w;
}

static bool callee_writes(const struct ptx_module *m, const struct ptx_function *f,
                          bool *visited);

static const struct ptx_symbol *callee_of(const struct ptx_module *m,
                                          const struct ptx_function *f,
                                          const struct ptx_instruction *i)
{
    for (uint32_t n = 0; n < i->operand_count; n++)
        if (i->operands[n].kind == PTX_SYMBOL) {
            const struct ptx_symbol *symbol = ptx_symbol(m, f, i->operands[n].symbol);

            if (symbol && symbol->is_function)
                return symbol;
        }
    return NULL;
}

static bool call_writes(const struct ptx_module *m, const struct ptx_function *f,
                        const struct ptx_instruction *i, bool *visited)
{
    const struct ptx_symbol *callee = callee_of(m, f, i);

    if (!callee)
        return true;
    if (callee->function < 0) /* functions of the driver do not write program memory */
        return strcmp(callee->name, "vprintf") != 0 &&
               strcmp(callee->name, "__assertfail") != 0;
    if (visited[callee->function])
        return false;
    visited[callee->function] = true;
    return callee_writes(m, &m->functions[callee->function], visited);
}

static struct slice_writer plain_writer(const struct slice *s,
                                        const struct ptx_instruction *i)
{
    struct slice_writer none = {0}, refused = {0};

    switch (i->opcode) {
    case PTX_ST:
    case PTX_RED:
    case PTX_ATOM:
        return through_address(s, i);
    case PTX_MULTIMEM:
        refused.refusal = "it writes through a multicast address, which is not analyzed";
        return refused;
    case PTX_CP:
        refused.refusal = "it writes by a bulk copy, which is not analyzed";
        return first_space(i) == PTX_PART_GLOBAL && !ptx_has(i, PTX_PART_PREFETCH) ? refused
                                                                                   : none;
    case PTX_WMMA:
        return ptx_has(i, PTX_PART_STORE) ? matrix_writer(s, i) : none;
    case PTX_SUST:
    case PTX_SURED:
        refused.refusal = "it writes a surface, which is not analyzed";
        return refused;
    case PTX_DISCARD:
        refused.refusal = "it discards memory, which is not analyzed";
        return refused;
    case PTX_OPCODE_COUNT:
        refused.refusal = "an unknown instruction may write memory";
        return memory_operand(i) ? refused : none;
    default:
        return none;
    }
}

static bool callee_writes(const struct ptx_module *m, const struct ptx_function *f,
                          bool *visited)
{
    for (uint32_t n = 0; n < f->instruction_count; n++) {
        const struct ptx_instruction *i = &f->instructions[n];
        struct slice_writer w = plain_writer(NULL, i);

        if (w.address || w.refusal ||
            (i->opcode == PTX_CALL && call_writes(m, f, i, visited)))
            return true;
    }
    return false;
}

struct slice_writer slice_writer(const struct slice *s, const struct ptx_instruction *i)
{
    if (i->opcode != PTX_CALL)
        return plain_writer(s, i);
    const struct ptx_symbol *callee = callee_of(s->module, s->f, i);

    if (callee && (!strcmp(callee->name, "malloc") || !strcmp(callee->name, "free")))
        return (struct slice_writer){
            .refusal = "it allocates memory, which exists on one device only"};
    bool *visited = must_calloc(s->module->function_count + 1u, sizeof *visited);
    bool writes = call_writes(s->module, s->f, i, visited);
    struct slice_writer w = {.refusal = writes ? "it calls a function that may write memory"
                                               : NULL};

    free(visited);
    return w;
}

bool slice_never_returns(const struct slice *s, const struct ptx_instruction *i)
{
    if (i->guard >= 0)
        return false;
    if (i->opcode == PTX_TRAP)
        return true;
    const struct ptx_symbol *callee =
        i->opcode == PTX_CALL ? callee_of(s->module, s->f, i) : NULL;

    return callee && !strcmp(callee->name, "__assertfail");
}

static bool local_operand(const struct slice *s, const struct ptx_instruction *i,
                          uint32_t n)
{
    return n < i->operand_count && i->operands[n].kind == PTX_REGISTER &&
           s->is_local[i->operands[n].reg];
}

/* Arithmetic on an address stays in its object and therefore in its state space. */
static bool makes_local(const struct slice *s, const struct ptx_instruction *i)
{
    switch (i->opcode) {
    case PTX_CVTA:
        return !ptx_has(i, PTX_PART_TO) &&
               (first_space(i) == PTX_PART_SHARED ||
                first_space(i) == PTX_PART_SHARED_CTA || first_space(i) == PTX_PART_LOCAL);
    case PTX_MOV:
    case PTX_SUB:
        return local_operand(s, i, 1);
    case PTX_ADD:
        return local_operand(s, i, 1) || local_operand(s, i, 2);
    case PTX_SELP:
        return local_operand(s, i, 1) && local_operand(s, i, 2);
    case PTX_MAD:
        return local_operand(s, i, 3);
    default:
        return false;
    }
}

struct losing {
    struct slice *s;
    bool changed;
};

static void lose(void *context, uint32_t reg)
{
    struct losing *l = context;

    l->changed |= l->s->is_local[reg];
    l->s->is_local[reg] = false;
}

void slice_find_local(struct slice *s)
{
    struct losing l = {s, true};

    s->is_local = arena_alloc(s->arena, s->registers * sizeof *s->is_local);
    for (uint32_t r = 0; r < s->registers; r++)
        s->is_local[r] = s->definitions.first[r] < s->definitions.first[r + 1];
    while (l.changed) {
        l.changed = false;
        for (uint32_t n = 0; n < s->f->instruction_count; n++)
            if (!makes_local(s, &s->f->instructions[n]))
                slice_visit_definitions(s, &s->f->instructions[n], lose, &l);
    }
}
