/* SPDX-License-Identifier: Apache-2.0 */
#include "kit.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { RUNS_MIN = 3, RUNS_MAX = 25 };
static const double budget_ns = 1.2e8;

__attribute__((noreturn, format(printf, 1, 0))) static void end(const char *format,
                                                                va_list args,
                                                                const char *hint, int code)
{
    fflush(stdout);
    fprintf(stderr, "proact: ");
    vfprintf(stderr, format, args);
    fprintf(stderr, "%s\n", hint);
    exit(code);
}

void bench_die(const char *format, ...)
{
    va_list args;

    va_start(args, format);
    end(format, args, "", 1);
}

void bench_refuse(const char *format, ...)
{
    va_list args;

    va_start(args, format);
    end(format, args, " (proact bench --help)", 2);
}

void bench_must(enum proact_status status, const struct proact_error *err)
{
    if (status)
        bench_die("%s", err->text);
}

bool bench_list_contains(const char *list, const char *name)
{
    const size_t length = strlen(name);

    for (const char *at = list; at; at = strchr(at, ',') ? strchr(at, ',') + 1 : NULL)
        if (strncmp(at, name, length) == 0 && (!at[length] || at[length] == ','))
            return true;
    return !list;
}

void bench_each_method(const char *list, bench_visit *visit, void *context)
{
    char pair[BENCH_METHOD_BYTES];

    for (const char *const *name = proact_method_names(); *name; name++)
        if (bench_list_contains(list, *name))
            visit(context, *name);
    for (const char *at = list, *end; at; at = *end ? end + 1 : NULL) {
        end = at + strcspn(at, ",");
        snprintf(pair, sizeof pair, "%.*s", (int)(end - at), at);
        if (strchr(pair, '+'))
            visit(context, pair);
    }
}

static int compare(const void *left, const void *right)
{
    const double *a = left, *b = right;

    return (*a > *b) - (*a < *b);
}

struct bench_sample bench_repeat(bench_once *once, void *context, bool is_virtual)
{
    double ns[RUNS_MAX], all = 0;
    unsigned n = 0, most = is_virtual ? 1 : RUNS_MAX;

    if (!is_virtual)
        once(context);
    while (n < most && (n < RUNS_MIN || all < budget_ns))
        all += ns[n++] = once(context);
    qsort(ns, n, sizeof *ns, compare);
    return (struct bench_sample){
        .median = ns[n / 2], .lowest = ns[0], .highest = ns[n - 1], .runs = n};
}

struct bench_sample bench_rate(struct bench_sample ns, double scale)
{
    return (struct bench_sample){.median = scale / ns.median,
                                 .lowest = scale / ns.highest,
                                 .highest = scale / ns.lowest,
                                 .runs = ns.runs};
}
