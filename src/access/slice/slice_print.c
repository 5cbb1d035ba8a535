/* SPDX-License-Identifier: Apache-2.0 */
/* Output of the slice as a PTX module. */
#include <stdlib.h>
#include <string.h>

#include "access/slice/slice_text.h"
#include "access/slice/slice_ways.h"

struct printer {
    struct slice *s;
    struct slice_text text;
    bool *printed; /* by block: it is in the slice */
    uint32_t *stack, depth;
    uint32_t site, lines;
    size_t counted; /* bytes of the body already counted in `lines` */
};

static void visit(struct printer *p, uint32_t from, int32_t to)
{
    to = slice_settle(p->s, from, to);
    if (to < 0 || p->printed[to])
        return;
    p->printed[to] = true;
    p->stack[p->depth++] = (uint32_t)to;
}

static void find_printed(struct printer *p)
{
    const struct slice *s = p->s;

    p->printed[0] = true;
    p->stack[p->depth++] = 0;
    while (p->depth) {
        uint32_t b = p->stack[--p->depth];
        int32_t way = slice_way(s, b);

        if (way != SLICE_NONE) {
            visit(p, b, way);
        } else if (s->ends[b].is_table) {
            for (uint32_t n = 0; n < s->flow->blocks[b].successor_count; n++)
                visit(p, b, (int32_t)s->flow->blocks[b].successors[n]);
        } else {
            visit(p, b, s->ends[b].target);
            visit(p, b, s->ends[b].next);
        }
    }
}

static void print_label(struct printer *p, int32_t block)
{
    if (block < 0)
        text_print(&p->text.body, "$slice_exit");
    else
        text_print(&p->text.body, "$slice_%d", (int)block);
}

static void print_jump(struct printer *p, uint32_t from, int32_t to)
{
    to = slice_settle(p->s, from, to);
    text_print(&p->text.body, "bra ");
    print_label(p, to);
    text_print(&p->text.body, ";\n");
}

/* Jump at the end of a block, omitted if the target follows. */
static void print_step(struct printer *p, uint32_t from, int32_t to)
{
    uint32_t next = from + 1, count = p->s->flow->block_count;

    while (next < count && !p->printed[next])
        next++;
    if (next == count || slice_settle(p->s, from, to) != (int32_t)next)
        print_jump(p, from, to);
}

/* Emits the sides of branches that wait at this block. */
static void print_waiting(struct printer *p, int32_t place)
{
    for (uint32_t b = 0; b < p->s->flow->block_count; b++)
        if (p->printed[b] && slice_waits(p->s, b, place))
            text_print(&p->text.body, "@%%w%u bra $slice_second_%u;\n", b, b);
}

static void print_second_ways(struct printer *p)
{
    for (uint32_t b = 0; b < p->s->flow->block_count; b++) {
        int32_t first, second;

        if (!p->printed[b] || !p->s->decides[b] || !p->s->branch_taint[b] ||
            !slice_both_ways(p->s, b, &first, &second))
            continue;
        text_print(&p->text.body, "$slice_second_%u:\nsetp.ne.b32 %%w%u, %%z32, %%z32;\n",
                   b, b);
        print_jump(p, b, second);
    }
}

static void print_table(struct printer *p, uint32_t block)
{
    const struct ptx_function *f = p->s->f;
    const struct ptx_instruction *i = slice_last(p->s, block);
    int32_t name = i->operands[i->operand_count - 1].label;

    text_print(&p->text.body, "$slice_table_%u: .branchtargets ", block);
    for (uint32_t t = 0; t < f->targets_count; t++) {
        if (f->targets[t].label != name)
            continue;
        for (uint32_t n = 0; n < f->targets[t].count; n++) {
            uint32_t at = f->labels[f->targets[t].labels[n]].instruction;
            int32_t to =
                at < f->instruction_count ? (int32_t)p->s->flow->block_of[at] : SLICE_EXIT;

            text_print(&p->text.body, "%s", n ? ", " : "");
            print_label(p, slice_settle(p->s, block, to));
        }
    }
    text_print(&p->text.body, ";\n");
    slice_text_guard(&p->text, i);
    text_print(&p->text.body, "brx.idx ");
    slice_text_register(&p->text, i, i->operands[0].reg);
    text_print(&p->text.body, ", $slice_table_%u;\n", block);
    if (p->s->ends[block].next != SLICE_NONE)
        print_jump(p, block, p->s->ends[block].next);
}

static void print_end(struct printer *p, uint32_t block)
{
    const struct slice *s = p->s;
    int32_t way = slice_way(s, block), first, second;

    if (way != SLICE_NONE) {
        print_step(p, block, way);
    } else if (s->ends[block].is_table) {
        print_table(p, block);
    } else if (!s->branch_taint[block]) {
        slice_text_guard(&p->text, slice_last(s, block));
        print_jump(p, block, s->ends[block].target);
        print_step(p, block, s->ends[block].next);
    } else {
        if (slice_both_ways(s, block, &first, &second))
            text_print(&p->text.body, "setp.eq.b32 %%w%u, %%z32, %%z32;\n", block);
        print_step(p, block, first);
    }
}

static uint32_t line_now(struct printer *p)
{
    for (; p->counted < p->text.body.length; p->counted++)
        p->lines += p->text.body.data[p->counted] == '\n';
    return p->lines + 1;
}

static void print_block(struct printer *p, uint32_t block)
{
    struct slice *s = p->s;
    const struct ptx_block *b = &s->flow->blocks[block];

    print_label(p, (int32_t)block);
    text_print(&p->text.body, ":\n");
    print_waiting(p, (int32_t)block);
    for (uint32_t n = b->first; n < b->first + b->count; n++) {
        const struct ptx_instruction *i = &s->f->instructions[n];

        if (!s->kept[n] || (n + 1 == b->first + b->count && slice_is_branch(s, block)))
            continue;
        if (!slice_writer(s, i).address) {
            slice_text_keep(&p->text, i);
            continue;
        }
        while (s->site_at[p->site] != n)
            p->site++;
        s->sites[p->site].slice_line = line_now(p);
        slice_text_store(&p->text, i);
    }
    print_end(p, block);
}

/* The kernel's header with the slice's name. */
static void print_header(const struct slice *s, struct text *into)
{
    const char *text = s->module->text + s->f->header.offset;
    const char *entry = strstr(text, ".entry"), *name = entry + strlen(".entry");

    name += strspn(name, " \t\r\n");
    text_print(into, ".visible .entry %s__proact_slice", s->f->name);
    text_add(into, name + strlen(s->f->name),
             s->f->header.bytes - (size_t)(name + strlen(s->f->name) - text));
    text_print(into, "\n{\n.reg .b16 %%z16;\n.reg .b32 %%z32;\n.reg .b64 %%z64;\n");
}

static void print_start(struct printer *p, struct text *out)
{
    const struct slice *s = p->s;

    text_print(out, ".version %u.%u\n.target sm_%u\n.address_size 64\n",
               s->module->version_major, s->module->version_minor, s->module->target_sm);
    slice_text_variables(&p->text, out);
    print_header(s, out);
    slice_text_registers(&p->text, out);
    for (uint32_t b = 0; b < s->flow->block_count; b++)
        if (p->printed[b] && s->decides[b] && s->branch_taint[b])
            text_print(out, ".reg .pred %%w%u;\n", b);
    text_print(out, "mov.b16 %%z16, 0;\nmov.b32 %%z32, 0;\nmov.b64 %%z64, 0;\n");
    for (uint32_t b = 0; b < s->flow->block_count; b++)
        if (p->printed[b] && s->decides[b] && s->branch_taint[b])
            text_print(out, "setp.ne.b32 %%w%u, %%z32, %%z32;\n", b);
}

static char *print_all(struct printer *p, size_t *bytes)
{
    struct slice *s = p->s;
    struct text out = {0};
    uint32_t above = 0;

    for (uint32_t b = 0; b < s->flow->block_count; b++)
        if (p->printed[b])
            print_block(p, b);
    print_second_ways(p);
    text_print(&p->text.body, "$slice_exit:\n");
    print_waiting(p, SLICE_EXIT);
    text_print(&p->text.body, "ret;\n}\n");
    print_start(p, &out);
    for (size_t n = 0; n < out.length; n++)
        above += out.data[n] == '\n';
    for (uint32_t n = 0; n < s->site_count; n++)
        s->sites[n].slice_line += s->sites[n].slice_line ? above : 0;
    text_add(&out, p->text.body.data, p->text.body.length);
    *bytes = out.length;
    return out.data;
}

char *slice_print(struct slice *s, size_t *bytes)
{
    uint32_t blocks = s->flow->block_count;
    struct printer p = {.s = s};

    slice_text_open(&p.text, s);
    p.printed = must_calloc(blocks, sizeof *p.printed);
    p.stack = must_calloc(blocks, sizeof *p.stack);
    find_printed(&p);
    char *text = print_all(&p, bytes);

    slice_text_close(&p.text);
    free(p.printed);
    free(p.stack);
    return text;
}
