/* SPDX-License-Identifier: Apache-2.0 */
#include "analyze/analyze_select.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "analyze/analyze_run.h"
#include "analyze/analyze_specialize.h"
#include "base/fail.h"
#include "base/memory.h"
#include "command.h"

/* Quality of a match of the word: 0 none, then a part of the name, the source name, and the
   exact name. */
static unsigned names(const struct ptx_function *f, const char *word)
{
    const size_t length = strlen(word);
    char *plain = analyze_plain_name(f->name);
    const bool is_plain =
        plain && strncmp(plain, word, length) == 0 && plain[length] == '(';

    free(plain);
    return strcmp(f->name, word) == 0 ? 3 : is_plain ? 2 : strstr(f->name, word) != NULL;
}

/* A kernel that nvcc links into a program for kernels that launch kernels is not listed. */
static bool kernel_is_listed(const struct ptx_function *f)
{
    return f->is_entry && !strstr(f->name, "_cuda_device_runtime_cu_");
}

/* True if another translation unit has the same kernel, such as an instance of a template.
 */
static bool kernel_is_chosen(const struct analyze_chosen *c, const struct ptx_function *f)
{
    for (uint32_t i = 0; i < c->count; i++)
        if (strcmp(c->kernels[i]->name, f->name) == 0)
            return true;
    return false;
}

struct analyze_chosen analyze_choose(const struct analyze_modules *all, const char *word)
{
    struct analyze_chosen c = {NULL, NULL, 0};
    unsigned best = 1;
    size_t count = 1;

    for (uint32_t n = 0; n < all->count; n++)
        count += all->items[n]->function_count;
    c.kernels = must_calloc(count, sizeof *c.kernels);
    c.modules = must_calloc(count, sizeof *c.modules);
    for (uint32_t n = 0; n < all->count; n++) {
        const struct ptx_module *m = all->items[n];

        for (uint32_t i = 0; i < m->function_count; i++) {
            const struct ptx_function *f = &m->functions[i];
            const unsigned how = !f->is_entry ? 0
                                 : word       ? names(f, word)
                                              : kernel_is_listed(f);

            if (how > best)
                c.count = 0;
            best = how > best ? how : best;
            if (how == best && !kernel_is_chosen(&c, f)) {
                c.modules[c.count] = m;
                c.kernels[c.count++] = f;
            }
        }
    }
    return c;
}

int analyze_choice_check(const struct analyze_modules *all, const struct analyze_request *q,
                         const struct analyze_chosen *c)
{
    const char *file = all->count == 1 ? all->items[0]->name : q->file;
    struct text names = {0};
    int code = EXIT_FINE;

    if (!c->count && !q->kernel) {
        struct proact_error err;

        fail(&err, PROACT_EINVAL, "%s has no kernel (%s)", q->file,
             analyze_is_cuda(q->file) ? "no __global__ function that is used, or only "
                                        "templates that are never instantiated"
                                      : "no .entry");
        return failure_exit(&err);
    }
    for (uint32_t n = 0; n < all->count; n++)
        for (uint32_t i = 0; i < all->items[n]->function_count; i++)
            if (kernel_is_listed(&all->items[n]->functions[i]))
                text_print(&names, "%s%s", names.length ? ", " : "",
                           all->items[n]->functions[i].name);
    if (!c->count)
        code = usage_error("analyze",
                           "%s has no kernel '%s'; "
                           "its kernels: %s",
                           file, q->kernel, names.data ? names.data : "none");
    else if (c->count > 1 && (q->has_launch || q->kernel))
        code = usage_error("analyze", "%s has several kernels: add --kernel with one of %s",
                           file, names.data);
    else if (c->count > 1 && q->stop_after && all->count > 1)
        code = usage_error("analyze", "%s has several modules: add --kernel with one of %s",
                           file, names.data);
    text_clear(&names);
    return code;
}

bool analyze_is_split(const struct analyze_kernel *k, const struct analyze_launch *l)
{
    return k->is_annotated || (!k->why.text[0] && l->set && l->over == l->devices);
}

/* A launch that cannot be split is analyzed again without the branches that it never takes.
   The result is used if it can be split. The caller destroys the module. */
static int command_specialize(struct analyze_kernel *k, struct analyze_launch *l,
                              const struct analyze_request *q, struct ptx_module **m)
{
    size_t bytes;
    char *text = analyze_is_split(k, l) || !q->arg_count
                     ? NULL
                     : analyze_specialize(k, l, q, &bytes);
    struct analyze_kernel less;
    struct analyze_launch of = {.set = NULL};
    struct proact_error err = {""};

    if (!text)
        return EXIT_FINE;
    enum proact_status status = ptx_parse(k->module->name, text, bytes, m, &err);

    free(text);
    if (status)
        return failure_exit(&err);
    analyze_kernel_open(&less, *m, ptx_function_find(*m, k->f->name),
                        q->reassociate_floats);
    less.whole = k->f->instruction_count;
    const int code = analyze_launch_run(&of, &less, q);

    if (!code && analyze_is_split(&less, &of)) {
        analyze_launch_clear(l);
        analyze_kernel_close(k);
        *k = less;
        *l = of;
        return code;
    }
    analyze_launch_clear(&of);
    analyze_kernel_close(&less);
    return code;
}

void analyze_chosen_clear(struct analyze_chosen *c)
{
    free(c->kernels);
    free(c->modules);
}

int analyze_result_open(struct analyze_result *r, const struct analyze_request *q,
                        const struct ptx_module *m, const struct ptx_function *f)
{
    int code = EXIT_FINE;

    *r = (struct analyze_result){.specialized = NULL};
    analyze_kernel_open(&r->kernel, m, f, q->reassociate_floats);
    if (q->has_launch)
        code = analyze_launch_run(&r->launch, &r->kernel, q);
    if (q->has_launch && !code)
        code = command_specialize(&r->kernel, &r->launch, q, &r->specialized);
    return code;
}

void analyze_result_close(struct analyze_result *r)
{
    analyze_launch_clear(&r->launch);
    analyze_kernel_close(&r->kernel);
    ptx_destroy(r->specialized);
}
