/* SPDX-License-Identifier: Apache-2.0 */
/* Text of the kernel versions of all samples. Without the versions the module is unchanged
   byte for byte, and the versions parse and print like other kernels. With a folder as
   argument the program writes the texts there, for registers.sh. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/memory.h"
#include "base/text.h"
#include "instrument/instrument.h"
#include "samples/samples_ptx.h"

struct input {
    const char *file, *compiler;
    struct ptx_module *module;
    struct instrument_request requests[SAMPLES_COUNT];
    struct instrument_result results[SAMPLES_COUNT];
    size_t count;
};

/* A request whose slots are the sample's mapped arrays, in order. */
static struct instrument_request request_of(const struct sample *s,
                                            const struct ptx_module *m)
{
    const struct ptx_function *f = ptx_function_find(m, s->name);
    struct instrument_request r = {.kernel = s->name};
    struct samples_case c;

    assert_non_null(f);
    samples_begin(&c, s, false);
    for (unsigned a = 0; a < c.array_count; a++)
        for (unsigned p = 0; c.arrays[a].is_mapped && p < c.parameter_count; p++)
            if (c.parameters[p].array == (int)a)
                r.slot_offset[r.slot_count++] = f->symbols[p].offset;
    samples_end(&c);
    return r;
}

static void check_clone(const struct ptx_module *old, const struct ptx_module *m,
                        const char *kernel, enum instrument_clone kind,
                        uint32_t partition_offset, uint32_t slots)
{
    const struct ptx_function *f = ptx_function_find(old, kernel), *g;
    const struct ptx_symbol *partition;
    char name[200];

    snprintf(name, sizeof name, "%s%s", kernel, instrument_suffix(kind));
    g = ptx_function_find(m, name);
    assert_non_null(g);
    assert_true(g->is_entry);
    assert_int_equal(g->parameter_count, f->parameter_count + 1);
    partition = &g->symbols[f->parameter_count];
    assert_int_equal(partition->bytes, instrument_partition_bytes(kind, slots));
    assert_int_equal(partition->align, _Alignof(struct proact_partition));
    assert_int_equal(partition->offset, partition_offset);
}

/* Length of the declaration that precedes a version with staging; its name has one more
   letter. */
static uint32_t declaration_bytes(const struct ptx_module *m, const struct ptx_function *f)
{
    char declaration[300];
    const int length = snprintf(declaration, sizeof declaration,
                                ".extern .shared .align 16 .b8 %sd[];\n", f->name);

    if (!strstr(f->name, instrument_suffix(INSTRUMENT_STAGE)))
        return 0;
    assert_memory_equal(m->text + f->span.offset - length, declaration, (size_t)length);
    return (uint32_t)length;
}

/* Checks the text without functions whose name contains `__proact_`. */
static void check_rest(const struct input *in, const struct ptx_module *m)
{
    struct text rest = {0};
    uint32_t at = 0;

    for (uint32_t i = 0; i < m->function_count; i++) {
        const struct ptx_function *f = &m->functions[i];

        if (!strstr(f->name, "__proact_"))
            continue;
        /* two line ends before */
        text_add(&rest, m->text + at, f->span.offset - declaration_bytes(m, f) - at - 2);
        at = f->span.offset + f->span.bytes;
    }
    text_add(&rest, m->text + at, m->bytes - at);
    assert_int_equal(rest.length, in->module->bytes);
    assert_memory_equal(rest.data, in->module->text, rest.length);
    text_clear(&rest);
}

static void check_text(struct input *in, const char *text, size_t bytes)
{
    struct ptx_module *m;
    struct proact_error err;
    size_t printed_bytes;

    if (ptx_parse(in->file, text, bytes, &m, &err))
        fail_msg("%s, %s: %s", in->file, in->compiler, err.text);
    char *printed = ptx_print(m, &printed_bytes);

    assert_int_equal(printed_bytes, bytes);
    assert_memory_equal(printed, text, bytes);
    free(printed);
    for (size_t r = 0; r < in->count; r++)
        for (int kind = 0; kind < INSTRUMENT_CLONES; kind++)
            if (!in->results[r].refusal[kind].text[0])
                check_clone(in->module, m, in->requests[r].kernel,
                            (enum instrument_clone)kind, in->results[r].partition_offset,
                            in->requests[r].slot_count);
            else if (in->requests[r].slot_count &&
                     (kind != INSTRUMENT_STAGE || in->module->target_sm >= 90))
                fail_msg("%s, %s: %s", in->file, in->compiler,
                         in->results[r].refusal[kind].text);
    check_rest(in, m);
    ptx_destroy(m);
}

static unsigned run_file(const char *file, const char *compiler, const char *folder)
{
    struct input in = {.file = file, .compiler = compiler};
    struct proact_error err;
    size_t bytes;
    char *text = NULL, path[1024];

    for (unsigned s = 0; s < SAMPLES_COUNT; s++) {
        if (strcmp(samples[s].file, file) != 0)
            continue;
        if (!text) {
            text = samples_ptx(&samples[s], compiler, SAMPLES_PLAIN, &bytes);
            assert_non_null(text);
            assert_int_equal(ptx_parse(file, text, bytes, &in.module, &err), PROACT_OK);
        }
        in.requests[in.count++] = request_of(&samples[s], in.module);
    }
    free(text);
    assert_int_equal(instrument_module(in.module, in.requests, in.count, in.results, &text,
                                       &bytes, &err),
                     PROACT_OK);
    check_text(&in, text, bytes);
    if (folder) {
        snprintf(path, sizeof path, "%s/%s.%s.ptx", folder, file, compiler);
        assert_int_equal(file_write(path, text, bytes, &err), PROACT_OK);
    }
    free(text);
    ptx_destroy(in.module);
    return (unsigned)in.count;
}

static void versions_leave_the_module_unchanged(void **state)
{
    const char *const *argv = *state;
    unsigned kernels = 0;

    for (const char *const *c = samples_compilers; *c; c++)
        for (unsigned s = 0; s < SAMPLES_COUNT; s++)
            if (!s || strcmp(samples[s].file, samples[s - 1].file) != 0)
                kernels += run_file(samples[s].file, *c, argv[1]);
    assert_true(kernels >= 4 * SAMPLES_COUNT);
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_prestate(versions_leave_the_module_unchanged, argv),
    };

    (void)argc;
    return cmocka_run_group_tests(tests, NULL, NULL);
}
