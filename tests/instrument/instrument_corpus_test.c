/* SPDX-License-Identifier: Apache-2.0 */
/* Kernel versions of every kernel of the corpus. Each kernel has versions or a refusal with
   a message, and the text parses. Usage: instrument_corpus_test [FOLDER PATTERN] writes the
   texts of matching files there, for registers.sh. */
#include <glob.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "access/access.h"
#include "access/shared_writes/flags.h"
#include "base/memory.h"
#include "base/text.h"
#include "instrument/instrument.h"

/* A request for the first arrays that the kernel writes. Stores are treated as idempotent
   where possible, without a check of other stores to the same bytes. */
static struct instrument_request request_of(const struct ptx_module *m,
                                            const struct ptx_function *f)
{
    struct instrument_request r = {.kernel = f->name};
    struct access_analysis *a = access_analyze(m, f);
    struct access_flags flags = access_flags_find(m, f);
    bool *is_flag = must_calloc(f->instruction_count + 1u, sizeof *is_flag);

    for (uint32_t n = 0; n < flags.count; n++)
        is_flag[flags.flag[n].instruction] = true;
    r.flags = is_flag;
    access_flags_clear(&flags);
    for (uint32_t n = 0; n < a->record_count; n++) {
        const struct access_record *at = &a->records[n];
        uint32_t offset, s = 0;

        if ((at->kind != ACCESS_WRITE && !is_flag[at->instruction]) ||
            at->base != ACCESS_BASE_PARAMETER)
            continue;
        offset = a->symbols[at->base_symbol].offset;
        while (s < r.slot_count && r.slot_offset[s] != offset)
            s++;
        if (s == r.slot_count && s < PROACT_SLOTS_MAX)
            r.slot_offset[r.slot_count++] = offset;
    }
    access_destroy(a);
    return r;
}

struct tally {
    unsigned kernels, clones, refused;
};

static void count(const struct instrument_result *results, size_t kernels,
                  const struct ptx_module *made, const struct instrument_request *requests,
                  struct tally *tally)
{
    for (size_t n = 0; n < kernels; n++)
        for (int kind = 0; kind < INSTRUMENT_CLONES; kind++) {
            const char *refusal = results[n].refusal[kind].text;
            char name[1024];

            snprintf(name, sizeof name, "%s%s", requests[n].kernel,
                     instrument_suffix((enum instrument_clone)kind));
            assert_true(!ptx_function_find(made, name) == !!*refusal);
            tally->clones += !*refusal;
            tally->refused += !!*refusal;
        }
    tally->kernels += (unsigned)kernels;
}

static void clone_file(const char *path, const char *folder, struct tally *tally)
{
    const char *file = strrchr(path, '/') + 1;
    struct ptx_module *m = NULL, *made = NULL;
    struct proact_error err;
    size_t bytes, kernels = 0;
    char *text, to[1024];

    if (file_read(path, &text, &bytes, &err) || ptx_parse(file, text, bytes, &m, &err))
        fail_msg("%s", err.text);
    free(text);
    struct instrument_request *requests =
        must_calloc(m->function_count + 1u, sizeof *requests);
    struct instrument_result *results =
        must_calloc(m->function_count + 1u, sizeof *results);

    for (uint32_t n = 0; n < m->function_count; n++)
        if (m->functions[n].is_entry)
            requests[kernels++] = request_of(m, &m->functions[n]);
    if (instrument_module(m, requests, kernels, results, &text, &bytes, &err) ||
        ptx_parse(file, text, bytes, &made, &err))
        fail_msg("%s: %s", file, err.text);
    count(results, kernels, made, requests, tally);
    snprintf(to, sizeof to, "%s/%s", folder ? folder : "", file);
    if (folder && file_write(to, text, bytes, &err))
        fail_msg("%s", err.text);
    ptx_destroy(made);
    ptx_destroy(m);
    free(text);
    for (size_t n = 0; n < kernels; n++)
        free((void *)(uintptr_t)requests[n].flags);
    free(requests);
    free(results);
}

static void kernels_have_versions(void **state)
{
    char *const *argv = *state;
    bool writes = argv[1] && argv[2];
    struct tally tally = {0};
    glob_t found;

    assert_int_equal(
        glob(writes ? argv[2] : PROACT_SOURCE "/tests/ptx/corpus/*.ptx", 0, NULL, &found),
        0);
    for (size_t n = 0; n < found.gl_pathc; n++)
        clone_file(found.gl_pathv[n], writes ? argv[1] : NULL, &tally);
    globfree(&found);
    print_message("%u kernels: %u clones, %u refused\n", tally.kernels, tally.clones,
                  tally.refused);
    assert_true(tally.clones > 3 * tally.refused);
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_prestate(kernels_have_versions, argv)};

    (void)argc;
    return cmocka_run_group_tests(tests, NULL, NULL);
}
