/* SPDX-License-Identifier: Apache-2.0 */
/* Round trip of every file of the given folders, or of the committed corpus. The printed
   text equals the file byte for byte, and the module is consistent. */
#include <dirent.h>

#include "ptx/link/ptx_link.h"
#include "ptx_testing.h"

static const char *const default_folder[] = {PROACT_SOURCE "/tests/ptx/corpus", NULL};
static const struct ptx_module *module; /* for messages */

#define CHECK(condition, line)                                                             \
    do                                                                                     \
        if (!(condition))                                                                  \
            fail_msg("%s:%u: not true: %s", module->name, line, #condition);               \
    while (0)

static void check_operand(const struct ptx_function *f, const struct ptx_operand *o,
                          uint32_t line)
{
    bool has_symbol = o->kind == PTX_SYMBOL || (o->kind == PTX_MEMORY && o->symbol >= 0);

    if (o->kind == PTX_REGISTER || (o->kind == PTX_MEMORY && o->reg >= 0))
        CHECK(o->reg >= 0 && (uint32_t)o->reg < f->register_count, line);
    if (has_symbol && o->symbol < PTX_SYMBOL_MODULE)
        CHECK((uint32_t)o->symbol < f->symbol_count, line);
    if (has_symbol && o->symbol >= PTX_SYMBOL_MODULE)
        CHECK((uint32_t)(o->symbol - PTX_SYMBOL_MODULE) < module->symbol_count, line);
    if (o->kind == PTX_LABEL) {
        CHECK(o->label >= 0 && (uint32_t)o->label < f->label_count, line);
        CHECK(f->labels[o->label].instruction <= f->instruction_count, line);
    }
    for (uint32_t i = 0; i < o->count; i++)
        check_operand(f, &o->list[i], line);
}

static void check_instruction(const struct ptx_function *f, const struct ptx_instruction *i)
{
    const char *text = module->text + i->span.offset;

    CHECK(i->opcode < PTX_OPCODE_COUNT, i->line);
    for (uint8_t k = 0; k < i->part_count; k++)
        CHECK(i->parts[k] < PTX_PART_COUNT, i->line);
    CHECK(text[i->span.bytes - 1] == ';', i->line);
    CHECK((text[0] == '@') == (i->guard >= 0), i->line);
    if (i->guard < 0)
        CHECK(!strncmp(text, ptx_opcode_spelling(i->opcode),
                       strlen(ptx_opcode_spelling(i->opcode))),
              i->line);
    else
        CHECK(f->registers[i->guard].type == PTX_PART_PRED, i->line);
    if (i->opcode == PTX_BRA)
        CHECK(i->operands[0].kind == PTX_LABEL, i->line);
    for (uint32_t k = 0; k < i->operand_count; k++)
        check_operand(f, &i->operands[k], i->line);
}

/* Parameters are consecutive and aligned; gaps are smaller than the alignment. */
static void check_parameters(const struct ptx_function *f)
{
    uint32_t at = 0;

    for (uint32_t i = 0; i < f->parameter_count; i++) {
        const struct ptx_symbol *s = &f->symbols[i];

        CHECK(s->space == PTX_SPACE_PARAM && s->bytes > 0, i);
        CHECK(s->offset % s->align == 0, i);
        CHECK(s->offset >= at && s->offset - at < s->align, i);
        at = s->offset + ptx_symbol_bytes(s);
    }
    CHECK(at == f->parameter_bytes, 0);
}

static void check_flow(const struct ptx_function *f)
{
    struct arena arena = {0};
    const struct ptx_flow *flow = ptx_flow_build(f, &arena);
    uint32_t next = 0;

    for (uint32_t b = 0; b < flow->block_count; b++) {
        const struct ptx_block *block = &flow->blocks[b];

        CHECK(block->first == next && block->count > 0, b);
        next += block->count;
        CHECK(block->dominator < (int32_t)flow->block_count, b);
        CHECK(b == 0 || !block->predecessor_count || block->dominator != (int32_t)b, b);
    }
    CHECK(next == f->instruction_count, 0);
    arena_clear(&arena);
}

static void check_function(const struct ptx_function *f)
{
    const char *text = module->text;

    CHECK(text[f->body.offset - 1] == '{', 0);
    CHECK(text[f->body.offset + f->body.bytes] == '}', 0);
    CHECK(f->span.offset + f->span.bytes == f->body.offset + f->body.bytes + 1, 0);
    CHECK(f->header.offset == f->span.offset && text[f->span.offset] == '.', 0);
    CHECK(ptx_function_find(module, f->name) == f, 0);
    check_parameters(f);
    for (uint32_t i = 0; i < f->instruction_count; i++) {
        const struct ptx_span span = f->instructions[i].span;

        CHECK(span.offset >= f->body.offset, i);
        CHECK(span.offset + span.bytes <= f->body.offset + f->body.bytes, i);
        check_instruction(f, &f->instructions[i]);
    }
    check_flow(f);
}

/* Linking a single module keeps its functions, instruction by instruction. */
static void check_linked(const struct ptx_module *m)
{
    char before[512], after[512], *text = NULL;
    struct ptx_module *linked = NULL;
    struct proact_error err = {""};
    size_t bytes;

    if (ptx_link(&m, 1, &text, &bytes, &err) ||
        ptx_parse(m->name, text, bytes, &linked, &err))
        fail_msg("linked: %s", err.text);
    CHECK(linked->function_count == m->function_count, 0);
    for (uint32_t i = 0; i < m->function_count; i++) {
        const struct ptx_function *f = &m->functions[i];
        const struct ptx_function *twin = ptx_function_find(linked, f->name);

        CHECK(twin && twin->instruction_count == f->instruction_count, i);
        CHECK(twin->max_threads == f->max_threads, i);
        for (uint32_t k = 0; k < f->instruction_count; k++) {
            ptx_instruction_text(m, &f->instructions[k], before, sizeof before);
            ptx_instruction_text(linked, &twin->instructions[k], after, sizeof after);
            CHECK(strcmp(before, after) == 0, k);
        }
    }
    free(text);
    ptx_destroy(linked);
}

static void check_file(const char *path)
{
    struct proact_error err = {""};
    struct ptx_module *m = NULL;
    size_t bytes, printed_bytes;
    char *text;

    if (file_read(path, &text, &bytes, &err) || ptx_parse(path, text, bytes, &m, &err))
        fail_msg("%s", err.text);
    char *printed = ptx_print(m, &printed_bytes);

    module = m;
    CHECK(printed_bytes == bytes && !memcmp(printed, text, bytes), 0);
    CHECK(m->function_count > 0 && m->target_sm >= 70 && m->address_bits == 64, 0);
    for (uint32_t i = 0; i < m->function_count; i++)
        check_function(&m->functions[i]);
    check_linked(m);
    free(printed);
    free(text);
    ptx_destroy(m);
}

static void all_files_are_printed_unchanged(void **state)
{
    unsigned count = 0;

    for (const char *const *folder = *state; *folder; folder++) {
        DIR *dir = opendir(*folder);
        const struct dirent *entry;

        if (!dir)
            fail_msg("%s: no such folder", *folder);
        while ((entry = readdir(dir))) {
            const char *dot = strrchr(entry->d_name, '.');
            struct text path = {0};

            if (!dot || strcmp(dot, ".ptx") != 0)
                continue;
            text_print(&path, "%s/%s", *folder, entry->d_name);
            check_file(path.data);
            text_clear(&path);
            count++;
        }
        closedir(dir);
    }
    print_message("%u files\n", count);
    assert_int_not_equal(count, 0);
}

int main(int argc, char **argv)
{
    const char *const *folders = argc > 1 ? (const char *const *)argv + 1 : default_folder;
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_prestate(all_files_are_printed_unchanged,
                                  (void *)(uintptr_t)folders),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
