/* SPDX-License-Identifier: Apache-2.0 */
/* What users call the parts of a kernel: they count arguments, PTX counts bytes. */
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

    if (runtime) /* as dlsym() asks for it: its result is no function in ISO C */
        *(void **)&of = dlsym(runtime, "__cxa_demangle");
    return of ? of(name, NULL, NULL, &status) : NULL;
}

/* The variable whose address the parameter is; NULL: it is none. */
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
        else if (s->bytes > 8 || offset > s->offset) /* a struct */
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

/* A phrase of a sentence, names aside, and what helps. The first that fits counts. */
static const struct {
    const char *phrase, *advice;
} advices[] = {
    {"writes to no array", "nothing: it runs whole on one device"},
    {"reads by a texture", "give each texture as an argument, or as a field of one"},
    {"is called has textures", "let it be inlined: the callee in the same file, "
                               "__forceinline__"},
    {"surfaces", "nothing: they are the first device's; or store to an array"},
    {"gives back", "do without what it gives back: let blockIdx say which work and place a "
                   "CTA has, not a ticket; or distribute what it is about, and the ticket"},
    {"allocates memory", "nothing: what it gets is the first device's; or allocate before "
                         "the launch"},
    {"reassociate_floats",
     "if other last digits do: PROACT_REASSOCIATE=1 for programs (here "
     "--reassociate); or distribute the array"},
    {"atomic", "reduce in shared memory, then one store a CTA into a place of its own; or "
               "distribute the array"},
    {"variable",
     "make it an array: cudaMalloc() in place of __device__, and its address an "
     "argument"},
    {"cluster", "launch it without clusters"},
    {"grid-wide", "end the kernel where the grid waits, and launch a second one"},
    {"a loop waits", "end the kernel where CTAs wait for others, and launch a second one"},
    {"call itself", "write the recursion as a loop"},
    {"calls", "let it be inlined: the callee in the same file, __forceinline__"},
    {"gets from a call", "let it be inlined: the callee in the same file, __forceinline__"},
    {"bulk", "store by threads instead of bulk copies"},
    {"asynchronous", "store by threads instead of asynchronously"},
    {"may have returned",
     "let all threads come to the end: `if` around the work, no return"},
    {"arrays,", "write fewer arrays in one kernel"},
    {"shared or local memory",
     "store to arrays and to such memory by pointers of their own, "
     "each of which is always one or the other"},
    {"which of many ways", "let each CTA write places that follow from its index, or give "
                           "a map by proact_kernel_map()"},
    {"where it writes", "let each CTA write places that follow from its index and the "
                        "arguments, or give a map by proact_kernel_map(), or distribute "
                        "the array"},
    {"different parts", "let each CTA write its own rows; flags need nothing if all set "
                        "them alike and none reads them"},
};

/* What proact wrote of a sentence: without the names of the kernel and its file, which it
   begins with, and of all that it quotes. */
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
