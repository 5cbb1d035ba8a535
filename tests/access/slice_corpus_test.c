/* SPDX-License-Identifier: Apache-2.0 */
/* Slices of every kernel of the corpus. Each kernel has a slice or the expected refusal,
   and ptxas, if present, accepts the slices. */
#include <glob.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "access/write_set.h"
#include "base/memory.h"
#include "base/text.h"

static const struct {
    const char *kernel, *sentence; /* part of the kernel's name and of the message */
} refused[] = {
    {"pr_push", "where it writes depends on what line"},
    {"relax_edges", "where it writes depends on what line"},
    {"calls_by_pointer", "it calls a function that may write memory"},
    {"grid_barrier",
     "reads from the hardware"}, /* the counter of a grid barrier is there */
    {"rows_of_pointers", "where it writes depends on what line"},
};

/* Slices with inexact stores: their guards are loaded values. */
static const char *const guarded[] = {"hist", "relax_csr", "jump_table", "exchanges"};

static bool is_refused(const char *kernel, const char *sentence)
{
    for (size_t n = 0; n < sizeof refused / sizeof *refused; n++)
        if (strstr(kernel, refused[n].kernel))
            return strstr(sentence, refused[n].sentence) != NULL;
    return false;
}

static bool is_guarded(const char *kernel)
{
    for (size_t n = 0; n < sizeof guarded / sizeof *guarded; n++)
        if (strstr(kernel, guarded[n]) && strcmp(kernel, "hist_part"))
            return true;
    return false;
}

/* Joins several slices to one module: one head, and each variable once. */
static void join(struct text *all, const struct write_set_slice_info *i)
{
    const char *at = i->text;

    for (unsigned line = 0; *at; line++) {
        size_t bytes = strcspn(at, "\n") + 1;
        char *copy = must_strndup(at, bytes);
        bool again = *at == '.' && strncmp(at, ".visible", 8) && strncmp(at, ".reg", 4) &&
                     all->data && strstr(all->data, copy);

        if (!again && !strncmp(at, ".target sm_1", 12)) /* newer than sm_90 */
            text_print(all, "%s", strstr(all->data, ".target") ? "" : ".target sm_90\n");
        else if (!again)
            text_add(all, at, bytes);
        at += bytes;
        free(copy);
    }
}

static unsigned cut_file(const char *path, struct text *all)
{
    struct proact_error err;
    struct ptx_module *m = NULL;
    unsigned count = 0;
    size_t bytes;
    char *text;

    if (file_read(path, &text, &bytes, &err) || ptx_parse(path, text, bytes, &m, &err))
        fail_msg("%s", err.text);
    free(text);
    for (uint32_t n = 0; n < m->function_count; n++) {
        struct write_set_slice *s = NULL;
        const char *kernel = m->functions[n].name;

        if (!m->functions[n].is_entry)
            continue;
        if (write_set_slice_create(m, kernel, NULL, &s, &err)) {
            if (!is_refused(kernel, err.text))
                fail_msg("%s", err.text);
            continue;
        }
        struct write_set_slice_info i = write_set_slice_info(s);

        if (is_refused(kernel, err.text) || i.is_exact == is_guarded(kernel))
            fail_msg("%s: %s is %s", path, kernel, i.is_exact ? "exact" : "may");
        join(all, &i);
        count++;
        write_set_slice_destroy(s);
    }
    ptx_destroy(m);
    return count;
}

static void assemble(const char *path, const struct text *all)
{
#ifdef PROACT_PTXAS
    struct proact_error err;
    char command[1024];

    if (file_write("slices.ptx", all->data, all->length, &err))
        fail_msg("%s", err.text);
    snprintf(command, sizeof command, "%s -arch=sm_90 slices.ptx -o slices.cubin 2>&1",
             PROACT_PTXAS);
    if (system(command)) /* NOLINT(cert-env33-c): the build's own assembler */
        fail_msg("%s: ptxas does not take its slices", path);
    remove("slices.ptx");
    remove("slices.cubin");
#else
    (void)path, (void)all;
#endif
}

static void the_corpus_is_cut(void **state)
{
    glob_t found;
    unsigned count = 0;

    (void)state;
    assert_int_equal(glob(PROACT_SOURCE "/tests/ptx/corpus/*.ptx", 0, NULL, &found), 0);
    for (size_t n = 0; n < found.gl_pathc; n++) {
        struct text all = {0};

        count += cut_file(found.gl_pathv[n], &all);
        assemble(found.gl_pathv[n], &all);
        text_clear(&all);
    }
    globfree(&found);
    print_message("%u kernels are cut\n", count);
    assert_true(count >= 150);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(the_corpus_is_cut)};

    return cmocka_run_group_tests(tests, NULL, NULL);
}
