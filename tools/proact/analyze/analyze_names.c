/* SPDX-License-Identifier: Apache-2.0 */
/* The user's names for the parts of a kernel: arguments have numbers, PTX has byte
   offsets. */
#include "analyze/analyze_kernel.h"

#include <dlfcn.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

char *analyze_plain_name(const char *name)
{
    typedef char *demangle(const char *name, char *into, size_t *bytes, int *status);
    void *runtime = strncmp(name, "_Z", 2) ? NULL : dlopen("libstdc++.so.6", RTLD_LAZY);
    demangle *of = NULL;
    int status;

    if (runtime) /* dlsym() returns an object pointer, which ISO C does not convert to a
                    function */
        *(void **)&of = dlsym(runtime, "__cxa_demangle");
    return of ? of(name, NULL, NULL, &status) : NULL;
}

/* The variable whose address the parameter contains, or NULL. */
static const char *variable_given(const struct ptx_symbol *parameter)
{
    const size_t prefix = strlen(INSTRUMENT_VARIABLE);

    return strncmp(parameter->name, INSTRUMENT_VARIABLE, prefix) == 0
               ? parameter->name + prefix
               : NULL;
}

void analyze_place_text(const struct ptx_function *f, uint32_t offset, char *into,
                        size_t size)
{
    for (uint32_t i = 0; i < f->parameter_count; i++) {
        const struct ptx_symbol *s = &f->symbols[i];

        if (offset < s->offset || offset - s->offset >= s->bytes)
            continue;
        if (variable_given(s))
            snprintf(into, size, "%s", variable_given(s));
        else if (s->bytes > 8 || offset > s->offset) /* a structure */
            snprintf(into, size, "%" PRIu32 ".%" PRIu32, i, offset - s->offset);
        else
            snprintf(into, size, "%" PRIu32, i);
        return;
    }
    snprintf(into, size, "byte %" PRIu32, offset);
}

void analyze_base_text(const struct analyze_kernel *k, enum access_base base,
                       uint32_t symbol, char *into, size_t size)
{
    const struct access_symbol *y = &k->analysis->symbols[symbol];

    if (base == ACCESS_BASE_PARAMETER)
        analyze_place_text(k->f, y->offset, into, size);
    else if (base == ACCESS_BASE_UNKNOWN)
        snprintf(into, size, "?");
    else
        snprintf(into, size, "%s", ptx_symbol(k->module, k->f, y->variable)->name);
}

void analyze_form_text(const struct analyze_kernel *k, const struct access_form *form,
                       char *into, size_t size)
{
    char bytes[240];
    struct text t = {0};

    access_form_text(k->analysis, form, bytes, sizeof bytes);
    for (const char *c = bytes; *c; c++) {
        char place[32], *end = NULL;
        unsigned long offset = *c == '[' ? strtoul(c + 1, &end, 10) : 0;

        if (*c != '[' || *end != ']') {
            text_add(&t, c, 1);
            continue;
        }
        analyze_place_text(k->f, (uint32_t)offset, place, sizeof place);
        text_print(&t, "%s%s", *place >= '0' && *place <= '9' ? "arg" : "", place);
        c = end;
    }
    snprintf(into, size, "%s", t.data ? t.data : "");
    text_clear(&t);
}

const char *analyze_kind_text(enum access_kind kind)
{
    static const char *const texts[] = {"read", "write", "atomic", "atomic", "unknown"};

    return texts[kind];
}

/* A phrase of a message without its names, and the advice. The first match applies. */
static const struct {
    const char *phrase, *advice;
} advices[] = {
    {"writes to no array", "none: it runs on one device"},
    {"reads through a texture", "pass each texture as an argument, or as a field of one"},
    {"called function has textures", "inline the callee: define it in this file with "
                                     "__forceinline__"},
    {"surfaces", "none: surfaces stay on device 0; or store to an array instead"},
    {"the result of",
     "avoid the returned value: let blockIdx select work and elements of a "
     "CTA; or distribute the counter and the arrays that it indexes"},
    {"allocates memory", "none: the memory is on device 0; or allocate before "
                         "the launch"},
    {"reassociate_floats",
     "if different rounding is acceptable: PROACT_REASSOCIATE=1 for programs (here "
     "--reassociate); or distribute the array"},
    {"atomic", "reduce in shared memory, then store one value per CTA at its own index; or "
               "distribute the array"},
    {"variable",
     "replace it by an array: cudaMalloc() instead of __device__, and its address as an "
     "argument"},
    {"cluster", "launch it without clusters"},
    {"grid-wide", "end the kernel where the grid waits, and launch a second one"},
    {"a loop waits", "end the kernel where CTAs wait for others, and launch a second one"},
    {"call itself", "write the recursion as a loop"},
    {"calls", "inline the callee: define it in this file with __forceinline__"},
    {"gets from a call", "inline the callee: define it in this file with __forceinline__"},
    {"bulk", "use stores of threads instead of bulk copies"},
    {"asynchronous", "use stores of threads instead of asynchronous stores"},
    {"may have returned",
     "let all threads reach the end: put the work into an `if`, without return"},
    {"arrays,", "write fewer arrays in one kernel"},
    {"shared or local memory",
     "use separate pointers for arrays and for shared or local memory, "
     "and never switch one between them"},
    {"which of many paths", "let each CTA write addresses derived from its index, or give "
                            "a map by proact_kernel_map()"},
    {"where it writes", "let each CTA write addresses derived from its index and the "
                        "arguments, or give a map by proact_kernel_map(), or distribute "
                        "the array"},
    {"different partitions",
     "let each CTA write its own elements, or let all CTAs store the "
     "same value, which no CTA reads"},
};

/* The fixed text of a message, without the kernel and file names at its start and without
   quoted names. */
static struct text own_words(const struct analyze_kernel *k, const char *why)
{
    struct text own = {0}, head = {0};

    text_print(&head, "kernel '%s'", k->f->name);
    if (!strncmp(why, head.data, head.length)) {
        why += head.length;
        text_clear(&head);
        text_print(&head, ", %s", k->module->name);
        if (!strncmp(why, head.data, head.length))
            why += head.length;
    }
    text_clear(&head);
    text_add(&own, "", 0);
    for (bool quoted = false; *why; why++) {
        quoted ^= *why == '\'';
        if (!quoted)
            text_add(&own, why, 1);
    }
    return own;
}

const char *analyze_advice(const struct analyze_kernel *k, const char *why)
{
    const char *advice = "give a map by proact_kernel_map(), or run it on one device";
    struct text own = own_words(k, why);

    for (size_t i = 0; i < sizeof advices / sizeof *advices; i++)
        if (strstr(own.data, advices[i].phrase)) {
            advice = advices[i].advice;
            break;
        }
    text_clear(&own);
    return advice;
}

void analyze_print(const struct ptx_module *m, const char *format, ...)
{
    char text[2048], *sourced;
    va_list args;

    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    sourced = ptx_with_sources(m, text);
    fputs(sourced, stdout);
    free(sourced);
}
