/* SPDX-License-Identifier: Apache-2.0 */
/* End of a version. All threads of the CTA end together in the epilogue, or the last one
   runs it alone. The epilogue is the body of kernels/epilogue.cu, as in an annotated
   kernel, or of kernels/stage.cu, in a scope of its own. */
#include <ctype.h>
#include <string.h>

#include "base/fail.h"
#include "instrument/clone/clone.h"

/* PTX that proact_kernel() and proact_kernel_90() embed */
extern const char kernel_epilogue[], kernel_stage_90[];

/* By version: the kernel with the epilogue, and the operation that sets the requirements:
   the fence or bulk copies. */
static const struct epilogue {
    const char *text, *kernel, *what;
    unsigned least_sm, least_version;
} epilogues[INSTRUMENT_CLONES] = {
    [INSTRUMENT_COUNT] = {kernel_epilogue, "proact_epilogue_count", "count its CTAs", 70,
                          6},
    [INSTRUMENT_SEND] = {kernel_epilogue, "proact_epilogue_send", "count its CTAs", 70, 6},
    [INSTRUMENT_STAGE] = {kernel_stage_90, "proact_epilogue_stage", "send in bulk", 90, 8},
};

static bool is_word(const char *at, size_t length, const char *word)
{
    return strncmp(word, at, length) == 0 && !word[length];
}

static bool is_name_of(const struct ptx_function *f, const char *at, size_t length)
{
    for (uint32_t l = 0; l < f->label_count; l++)
        if (is_word(at, length, f->labels[l].name))
            return true;
    for (uint32_t s = f->parameter_count; s < f->symbol_count; s++)
        if (is_word(at, length, f->symbols[s].name))
            return true;
    return false;
}

static size_t word_length(const char *text)
{
    size_t n = 0;

    while (isalnum((unsigned char)text[n]) || strchr("_$%", text[n]))
        if (!text[n++])
            return n - 1;
    return n;
}

/* Predicate of thread 0 of the CTA. It is computed at the kernel's start and costs one
   register. */
static const char flat_leader[] =
    "\n\t.reg .pred \t%proact_is_leader;\n\t.reg .b32 \t%proact_t0;"
    "\n\tmov.u32 \t%proact_t0, %tid.x;"
    "\n\tsetp.eq.u32 \t%proact_is_leader, %proact_t0, 0;";
static const char leader[] =
    "\n\t.reg .pred \t%proact_is_leader;\n\t.reg .b32 \t%proact_t<3>;"
    "\n\tmov.u32 \t%proact_t0, %tid.x;"
    "\n\tmov.u32 \t%proact_t1, %tid.y;"
    "\n\tmov.u32 \t%proact_t2, %tid.z;"
    "\n\tor.b32 \t%proact_t0, %proact_t0, %proact_t1;"
    "\n\tor.b32 \t%proact_t0, %proact_t0, %proact_t2;"
    "\n\tsetp.eq.u32 \t%proact_is_leader, %proact_t0, 0;";

static const char tally_open[] = "\n\t.shared .align 4 .b32 \tproact_ended;"
                                 "\n\t@%proact_is_leader st.shared.u32 \t[proact_ended], 0;"
                                 "\n\tbar.sync 0;";
/* Counting of an ending thread where it ends. Threads that branched to a common block would
   wait there for the rest of their warp. Each copy adds a different number, so that the
   assembler does not merge the copies; only the low 11 bits count. The acq_rel order makes
   all stores visible to the last thread. The proxy fence makes staged stores visible to
   bulk copies. */
#define TALLY                                                                              \
    "%satom.acq_rel.cta.shared.add.u32 %%proact_r0, [proact_ended], %u;"                   \
    "\n\tmov.u32 %%proact_r1, %%ntid.x;\n\tmov.u32 %%proact_r2, %%ntid.y;"                 \
    "\n\tmul.lo.u32 %%proact_r1, %%proact_r1, %%proact_r2;"                                \
    "\n\tmov.u32 %%proact_r2, %%ntid.z;"                                                   \
    "\n\tmad.lo.s32 %%proact_r1, %%proact_r1, %%proact_r2, -1;"                            \
    "\n\tand.b32 %%proact_r0, %%proact_r0, 2047;"                                          \
    "\n\tsetp.eq.u32 %%proact_is_leader, %%proact_r0, %%proact_r1;"                        \
    "\n\t@!%%proact_is_leader ret;\n\tbra " PTX_EPILOGUE ";"

static void print_tally(struct clone *c, struct text *into)
{
    text_print(into, TALLY,
               c->kind == INSTRUMENT_STAGE ? "fence.proxy.async.shared::cta;\n\t" : "",
               c->labels++ << 11 | 1);
}

/* The load of the epilogue's second parameter that starts at `at`. NULL: none. `*next` is
   the first instruction at or after `at`, which grows from call to call. */
static const struct ptx_instruction *epilogue_loads_leader(const struct ptx_function *f,
                                                           uint32_t at, uint32_t *next)
{
    while (*next < f->instruction_count && f->instructions[*next].span.offset < at)
        ++*next;
    if (*next == f->instruction_count || f->parameter_count != 2)
        return NULL;
    const struct ptx_instruction *i = &f->instructions[*next];
    const bool loads = i->span.offset == at && i->opcode == PTX_LD &&
                       i->operand_count == 2 && i->operands[1].kind == PTX_MEMORY &&
                       i->operands[1].symbol == 1;

    return loads ? i : NULL;
}

/* Registers are declared in the scope. Labels and variables get unique names, and the
   parameter gets the name of the version's partition parameter. */
static void add_renamed(const struct clone *c, const struct ptx_module *m,
                        const struct ptx_function *f, struct text *into)
{
    const char *at = m->text + f->body.offset, *end = at + f->body.bytes;
    const char *partition = f->symbols[0].name;
    static const char hint[] = ".pragma \"used_bytes_mask";
    uint32_t next = 0;

    while (at < end) {
        const struct ptx_instruction *loads =
            epilogue_loads_leader(f, (uint32_t)(at - m->text), &next);
        size_t length = loads ? loads->span.bytes : word_length(at);

        if (loads)
            text_print(into, "selp.u32 \t%s, 1, 0, %%proact_is_leader;",
                       f->registers[loads->operands[0].reg].name);
        else if (strncmp(at, hint, sizeof hint - 1) == 0) /* unknown to older PTX */
            length = strcspn(at, ";") + 1;
        else if (c->tallies && is_word(at, length, "bar")) /* no other thread is left */
            length = strcspn(at, ";") + 1;
        else if (is_word(at, length, partition))
            text_print(into, CLONE_PARTITION);
        else if (is_word(at, length, "proact_stage"))
            text_print(into, "%s" CLONE_STAGE, c->function->name);
        else if (length && is_name_of(f, at, length))
            text_print(into, "$proact_%.*s", (int)length, at);
        else if (length)
            text_add(into, at, length);
        else
            text_add(into, at, length = 1);
        at += length;
    }
}

static enum proact_status epilogue_read(const struct clone *c, struct text *into)
{
    const struct epilogue *e = &epilogues[c->kind];
    struct ptx_module *m = NULL;
    enum proact_status status =
        ptx_parse("epilogue.ptx", e->text, strlen(e->text), &m, c->err);

    if (status)
        return status;
    const struct ptx_function *f = ptx_function_find(m, e->kernel);

    if (f && f->parameter_count <= 2)
        add_renamed(c, m, f, into);
    else
        status =
            fail(c->err, PROACT_EINVAL, "epilogue.ptx: no kernel is named '%s'", e->kernel);
    ptx_destroy(m);
    return status;
}

/* A branch to a block that only ends the thread. Compilers emit one such block. */
static bool branches_to_end(const struct ptx_function *f, const struct ptx_instruction *i)
{
    const struct ptx_operand *to = i->operand_count ? &i->operands[0] : NULL;
    uint32_t at;

    if (i->opcode != PTX_BRA || !to || to->kind != PTX_LABEL || to->label < 0)
        return false;
    at = f->labels[to->label].instruction;
    return at < f->instruction_count &&
           ptx_opcode_ends_thread(f->instructions[at].opcode) &&
           f->instructions[at].guard < 0;
}

static void lead_one(struct clone *c, const struct ptx_instruction *i)
{
    const char *no = i->guard_negated ? "!" : "", *yes = i->guard_negated ? "" : "!";
    const char *guard = i->guard >= 0 ? c->function->registers[i->guard].name : NULL;
    const unsigned label = c->labels++;
    struct text end = {0};

    if (c->tallies)
        print_tally(c, &end);
    if (guard && c->tallies)
        edit_replace(&c->edits, i->span, "@%s%s bra $proact_%u;\n\t%s\n$proact_%u:", yes,
                     guard, label, end.data, label);
    else if (guard)
        edit_replace(&c->edits, i->span, "@%s%s bra " PTX_EPILOGUE ";", no, guard);
    else
        edit_replace(&c->edits, i->span, "%s",
                     c->tallies ? end.data : "bra " PTX_EPILOGUE ";");
    text_clear(&end);
}

/* Every end of a thread becomes a branch to the epilogue. */
static enum proact_status lead_to_end(struct clone *c)
{
    const struct ptx_function *f = c->function;

    for (uint32_t n = 0; n < f->instruction_count; n++) {
        const struct ptx_instruction *i = &f->instructions[n];

        if (i->opcode == PTX_SETMAXNREG)
            return clone_refuse(c, i,
                                "setmaxnreg may leave its warps fewer registers than the "
                                "epilogue needs");
        if (ptx_opcode_ends_thread(i->opcode) || (c->tallies && branches_to_end(f, i)))
            lead_one(c, i);
    }
    return PROACT_OK;
}

/* Removes the kernel's instructions; all threads reach the epilogue. */
static void remove_body(struct clone *c)
{
    const struct ptx_function *f = c->function;

    for (uint32_t n = 0; n < f->instruction_count; n++)
        edit_replace(&c->edits, f->instructions[n].span, "%s", "");
}

enum proact_status end_together(struct clone *c)
{
    const struct ptx_function *f = c->function;
    const struct epilogue *e = &epilogues[c->kind];
    struct text words = {0}, end = {0};
    enum proact_status status;

    if (c->module->target_sm < e->least_sm || c->module->version_major < e->least_version)
        return clone_refuse(c, NULL,
                            "it is PTX %u.%u for sm_%u, to %s needs %u.0 and sm_%u",
                            c->module->version_major, c->module->version_minor,
                            c->module->target_sm, e->what, e->least_version, e->least_sm);
    if (c->request->is_end)
        remove_body(c);
    else if ((status = lead_to_end(c)))
        return status;
    if (!c->is_wanted || (status = epilogue_read(c, &words)))
        return status;
    edit_insert(&c->edits, f->body.offset, "%s%s",
                c->request->places == INSTRUMENT_FLAT ? flat_leader : leader,
                c->tallies ? tally_open : "");
    if (c->tallies) /* threads that reach the end without a return */
        print_tally(c, &end);
    edit_insert(&c->edits, f->body.offset + f->body.bytes,
                "\n\t%s\n" PTX_EPILOGUE ":\n\t{%s}\n", end.data ? end.data : "",
                words.data);
    text_clear(&end);
    text_clear(&words);
    return PROACT_OK;
}
