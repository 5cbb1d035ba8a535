/* SPDX-License-Identifier: Apache-2.0 */
#include "rt/driver/rt_driver_module.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/text.h"
#include "ptx/ptx.h"

static void add_kernel(struct rt *rt, struct cuda_module *m, const char *name)
{
    struct cuda_kernel *k = must_calloc(1, sizeof *k);

    *k = (struct cuda_kernel){
        .next = rt->kernels, .stub = k, .name = must_strdup(name), .image = &m->image};
    rt->kernels = k;
    m->kernels[m->kernel_count++] = k;
}

static bool is_variable(const struct ptx_symbol *s)
{
    return !s->is_function && !s->is_extern &&
           (s->space == PTX_SPACE_GLOBAL || s->space == PTX_SPACE_CONST);
}

static void list(struct rt *rt, struct cuda_module *m, const struct ptx_module *text)
{
    m->kernels = must_calloc(text->function_count + 1, sizeof(struct cuda_kernel *));
    for (uint32_t i = 0; i < text->function_count; i++)
        if (text->functions[i].is_entry)
            add_kernel(rt, m, text->functions[i].name);
    m->variables = must_calloc(text->symbol_count + 1, sizeof *m->variables);
    for (uint32_t i = 0; i < text->symbol_count; i++)
        if (is_variable(&text->symbols[i]))
            m->variables[m->variable_count++] = (struct driver_variable){
                must_strdup(text->symbols[i].name), text->symbols[i].is_managed, NULL};
}

/* A unique suffix of the text. The session loads equal texts as one module, but each
   CUmodule has variables of its own. */
static void modules_differ(struct cuda_module *m, unsigned long long number)
{
    struct text own = {0};

    if (!m->variable_count)
        return;
    text_print(&own, "%.*s\n// module %llu\n", (int)m->image.ptx.bytes, m->image.ptx.text,
               number);
    driver_image_drop(&m->image);
    m->image.ptx.text = own.data;
    m->image.ptx.bytes = strlen(own.data);
}

static enum proact_status read(struct rt *rt, struct cuda_module *m, const void *data,
                               size_t bytes, struct proact_error *err)
{
    const unsigned long long number = ++rt->allocations;
    struct text name = {0};
    struct ptx_module *text = NULL;
    enum proact_status status = driver_image_take(
        data, bytes, proact_device_describe(rt->session).compute_capability, &m->image,
        err);

    if (status)
        return status;
    text_print(&name, "module%llu.ptx", number);
    m->image.ptx.name = m->image.name = name.data;
    status = ptx_parse(name.data, m->image.ptx.text, m->image.ptx.bytes, &text, err);
    if (!status) {
        if (!m->image.capability)
            m->image.capability = text->target_sm;
        list(rt, m, text);
        modules_differ(m, number);
    }
    ptx_destroy(text);
    return status;
}

/* Removal of the module from all lookups. Sessions have a copy of the text. */
static void leave(struct rt *rt, struct cuda_module *m)
{
    for (unsigned i = 0; i < m->kernel_count; i++)
        m->kernels[i]->is_gone = true;
    handle_drop(&rt->handles, m);
    driver_image_drop(&m->image);
}

/* Kernels without users: no launch can refer to them any more. */
static void drop_kernels(struct cuda_module *m)
{
    for (unsigned i = 0; i < m->kernel_count; i++) {
        proact_kernel_destroy(m->kernels[i]->kernel);
        m->kernels[i]->kernel = NULL;
        m->kernels[i]->info = (struct proact_kernel_info){.name = NULL};
    }
}

/* The driver reads a module at load time. So does the session, by loading one kernel. */
static enum cuda_error load(struct rt *rt, struct cuda_module *m, const void *data,
                            size_t bytes, struct proact_error *err)
{
    enum proact_status status = read(rt, m, data, bytes, err);

    if (status == PROACT_EREFUSED)
        return cudaErrorNoKernelImageForDevice;
    if (status)
        return m->image.ptx.text ? cudaErrorInvalidPtx : cudaErrorInvalidKernelImage;
    return m->kernel_count ? driver_kernel_try(rt, m->kernels[0], err) : cudaSuccess;
}

enum cuda_error driver_module_load(struct rt *rt, const void *data, size_t bytes,
                                   const struct driver_options *options,
                                   struct cuda_module **out)
{
    struct proact_error err = {""};
    struct cuda_module *m;
    enum cuda_error error = driver_options_check(options);

    if (error)
        return error;
    if (!data || !out)
        return cudaErrorInvalidValue;
    m = must_calloc(1, sizeof *m);
    m->next = rt->modules;
    rt->modules = m;
    error = load(rt, m, data, bytes, &err);
    driver_options_write_logs(options, error && err.text[0] ? err.text : NULL);
    if (error) {
        leave(rt, m);
        return error;
    }
    handle_add(&rt->handles, m, RT_MODULE);
    *out = m;
    return cudaSuccess;
}

enum cuda_error driver_module_load_file(struct rt *rt, const char *path,
                                        const struct driver_options *options,
                                        struct cuda_module **out)
{
    size_t bytes;
    char *data = driver_file_read(path, &bytes);

    if (!data)
        return cudaErrorFileNotFound;
    enum cuda_error error = driver_module_load(rt, data, bytes + 1, options, out);

    free(data);
    return error;
}

enum cuda_error driver_module_unload(struct rt *rt, struct cuda_module *m)
{
    if (!handle_is(&rt->handles, m, RT_MODULE))
        return cudaErrorInvalidResourceHandle;
    enum cuda_error error = rt_wait(rt);

    leave(rt, m);
    if (!rt->graphs.any)
        drop_kernels(m);
    return error;
}

enum cuda_error driver_module_kernel(struct rt *rt, struct cuda_module *m, const char *name,
                                     struct cuda_kernel **out)
{
    enum cuda_error error = cudaErrorSymbolNotFound;

    if (!handle_is(&rt->handles, m, RT_MODULE))
        return cudaErrorInvalidResourceHandle;
    if (!name || !out)
        return cudaErrorInvalidValue;
    for (unsigned i = 0; i < m->kernel_count; i++)
        if (strcmp(m->kernels[i]->name, name) == 0 &&
            !(error = driver_kernel_load(rt, m->kernels[i])))
            *out = m->kernels[i];
    return error;
}

enum cuda_error driver_module_kernels(struct rt *rt, struct cuda_module *m, unsigned count,
                                      struct cuda_kernel **out)
{
    enum cuda_error error = cudaSuccess;

    if (!handle_is(&rt->handles, m, RT_MODULE))
        return cudaErrorInvalidResourceHandle;
    for (unsigned i = 0; i < count && i < m->kernel_count && !error; i++)
        if (!(error = driver_kernel_load(rt, m->kernels[i])))
            out[i] = m->kernels[i];
    return error;
}

static struct rt_variable *variable_of(struct rt *rt, struct cuda_module *m,
                                       struct driver_variable *d)
{
    struct rt_variable *v = rt_variable_find(rt, d);

    if (v)
        return v;
    v = must_calloc(1, sizeof *v);
    *v = (struct rt_variable){.next = rt->variables,
                              .shadow = d,
                              .managed = d->is_managed ? &d->managed : NULL,
                              .name = d->name,
                              .image = &m->image};
    rt->variables = v;
    return v;
}

enum cuda_error driver_module_variable(struct rt *rt, struct cuda_module *m,
                                       const char *name, void **out, size_t *bytes)
{
    unsigned i = 0;

    if (!handle_is(&rt->handles, m, RT_MODULE))
        return cudaErrorInvalidResourceHandle;
    if (!name)
        return cudaErrorInvalidValue;
    while (i < m->variable_count && strcmp(m->variables[i].name, name) != 0)
        i++;
    if (i == m->variable_count)
        return cudaErrorSymbolNotFound;
    struct rt_variable *v = variable_of(rt, m, &m->variables[i]);
    enum cuda_error error = rt_variable_load(rt, v);

    if (error || (out && (error = rt_variable_give(rt, v))))
        return error;
    if (bytes)
        *bytes = v->place.bytes;
    if (out)
        *out = (void *)(uintptr_t)v->place.address[0];
    return cudaSuccess;
}

struct cuda_module *driver_module_of(struct rt *rt, const struct cuda_kernel *k)
{
    struct cuda_module *m = rt->modules;

    while (m && &m->image != k->image)
        m = m->next;
    return m;
}
