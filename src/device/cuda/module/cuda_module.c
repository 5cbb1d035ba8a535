/* SPDX-License-Identifier: Apache-2.0 */
/* Modules and launches. All kernels of a module are loaded with it: the driver would load a
   kernel at its first use, after all streams that wait. */
#include <stdlib.h>
#include <string.h>

#include "base/fail.h"
#include "base/memory.h"
#include "device/cuda/cuda_batch.h"
#include "device/cuda/graph/cuda_repeat.h"
#include "device/cuda/graph/cuda_tape.h"
#include "device/cuda/module/cuda_compile.h"

enum { LOG_BYTES = 2048 };

/* Truncates the log to its first line. */
static void first_line(char *log)
{
    char *end = strpbrk(log, "\r\n");

    if (end)
        *end = '\0';
}

/* Loads all kernels. Drivers before 12.4 do not have the calls; they need
   CUDA_MODULE_LOADING=EAGER. */
static cu_result load_all(const struct driver *v, cu_module module)
{
    unsigned count = 0;
    cu_result result;

    if (!v->module_function_count || !v->module_functions || !v->function_load)
        return 0;
    if ((result = v->module_function_count(&count, module)) || !count)
        return result;
    cu_function *functions = must_calloc(count, sizeof *functions);

    result = v->module_functions(functions, count, module);
    for (unsigned i = 0; i < count && !result; i++)
        result = v->function_load(functions[i]);
    free(functions);
    return result;
}

/* Waits for streams that wait for words before a load: the driver would wait for them
   without a limit and without a message. */
static enum proact_status await_words(struct device_set *set, struct proact_error *err)
{
    return set->wait_count ? cuda_synchronize(set, err) : PROACT_OK;
}

static void add_module(struct device_set *set, unsigned device, const char *name,
                       cu_module module, struct device_module **out)
{
    struct device_module *m = must_calloc(1, sizeof *m);

    *m = (struct device_module){.set = set,
                                .device = device,
                                .name = must_strdup(name),
                                .module = module,
                                .next = set->modules};
    set->modules = m;
    *out = m;
}

/* Loads a module. `text` is its PTX; `image` is what the driver loads, the text or a
   cubin. */
static enum proact_status load(struct device_set *set, unsigned device, const char *name,
                               const char *text, const void *image,
                               struct device_module **out, struct proact_error *err)
{
    char log[LOG_BYTES] = "";
    cu_jit_option options[] = {CU_JIT_ERROR_LOG, CU_JIT_ERROR_LOG_BYTES};
    void *values[] = {log, (void *)(uintptr_t)sizeof log};
    enum proact_status status;
    cu_module module;

    if ((status = await_words(set, err)) ||
        (status = cuda_early_calls(set, device, text, err)) ||
        (status = cuda_enter(set, device, err)))
        return status;
    bool waits = false;
    const size_t bytes = strlen(text);
    const void *binary =
        image == text ? cuda_compiled_binary(set, text, bytes, &waits) : NULL;
    bool links = image == text && !binary && cuda_must_link(text);
    char *waiting = NULL;

    if (image == text && !binary && !links) {
        waiting =
            cuda_overlap_text(&set->driver, set->devices[device].capability, text, false);
        waits = waiting != NULL;
    }
    cu_result result = links ? cuda_link(&set->driver, text, 2, options, values, &module)
                             : set->driver.module_load(&module,
                                                       binary    ? binary
                                                       : waiting ? waiting
                                                                 : image,
                                                       2, options, values);

    free(waiting);
    if (!result && (result = load_all(&set->driver, module)))
        set->driver.module_unload(module);
    if ((status = cuda_leave(set, device, result,
                             links ? "cuLinkComplete" : "cuModuleLoadDataEx", err))) {
        first_line(log);
        return fail(err, status, "%s: device %u does not accept the module: %s%s%s", name,
                    device, driver_words(&set->driver, result).text, log[0] ? ": " : "",
                    log);
    }
    if (binary)
        cuda_compiled_loaded(set, text, bytes);
    add_module(set, device, name, module, out);
    (*out)->waits = waits;
    (*out)->launches = links;
    return PROACT_OK;
}

enum proact_status cuda_module_load(struct device_set *set, unsigned device,
                                    const char *name, const char *ptx, size_t bytes,
                                    struct device_module **out, struct proact_error *err)
{
    char *text = must_strndup(ptx, bytes);
    enum proact_status status = load(set, device, name, text, text, out, err);

    free(text);
    return status;
}

enum proact_status cuda_module_load_binary(struct device_set *set, unsigned device,
                                           const char *name, const char *ptx, size_t bytes,
                                           const void *binary, struct device_module **out,
                                           struct proact_error *err)
{
    char *text = must_strndup(ptx, bytes);
    enum proact_status status = load(set, device, name, text, binary, out, err);

    free(text);
    return status;
}

void cuda_module_unload(struct device_module *m)
{
    struct device_module **link;

    if (!m)
        return;
    struct device_set *set = m->set;

    cuda_synchronize(set, NULL);
    set->unloads++;
    for (link = &set->modules; *link != m;)
        link = &(*link)->next;
    *link = m->next;
    cuda_context_push(&set->driver, set->devices[m->device].context);
    if (!set->is_stuck)
        set->driver.module_unload(m->module);
    cuda_context_pop(&set->driver);
    while (m->functions) {
        struct device_function *f = m->functions;

        m->functions = f->next;
        free(f->name);
        free(f);
    }
    free(m->name);
    free(m);
}

/* Size of the parameters: the end of the last one. */
static size_t parameter_bytes(const struct driver *v, cu_function f)
{
    size_t end = 0, offset, bytes;

    if (!v->function_parameter)
        return SIZE_MAX;
    for (size_t i = 0; !v->function_parameter(f, i, &offset, &bytes); i++)
        end = offset + bytes;
    return end;
}

static cu_result read_function(struct device_set *set, unsigned device,
                               struct device_function *f)
{
    const struct driver *v = &set->driver;
    const cu_device d = set->devices[device].device;
    cu_result result =
        v->function_attribute(&f->static_shared_bytes, CU_STATIC_SHARED_BYTES, f->function);

    f->parameter_bytes = parameter_bytes(v, f->function);
    if (!result)
        result = cuda_early_local(v, f->function);
    if (!result)
        result = v->device_attribute(&f->shared_limit, CU_SHARED_PER_BLOCK, d);
    if (!result)
        result = v->function_attribute(&f->thread_limit, CU_FUNCTION_THREADS, f->function);
    if (!result && f->shared_limit > f->static_shared_bytes)
        result = v->function_set(f->function, CU_DYNAMIC_SHARED_MAX,
                                 f->shared_limit - f->static_shared_bytes);
    return result;
}

enum proact_status cuda_function(struct device_module *m, const char *name,
                                 struct device_function **out, struct proact_error *err)
{
    struct device_set *set = m->set;
    enum proact_status status;

    for (struct device_function *f = m->functions; f; f = f->next)
        if (!strcmp(f->name, name)) {
            *out = f;
            return PROACT_OK;
        }
    struct device_function *f = must_calloc(1, sizeof *f);

    f->module = m;
    f->waits = m->waits;
    f->launches = m->launches;
    if (!(status = cuda_enter(set, m->device, err))) {
        cu_result result = set->driver.module_function(&f->function, m->module, name);

        if (!result)
            result = read_function(set, m->device, f);
        status = cuda_leave(set, m->device, result, "cuModuleGetFunction", err);
    }
    if (status) {
        free(f);
        return status == PROACT_EINVAL
                   ? fail(err, status, "%s has no kernel '%s'", m->name, name)
                   : status;
    }
    f->name = must_strdup(name);
    f->next = m->functions;
    m->functions = f;
    *out = f;
    return PROACT_OK;
}

enum proact_status cuda_variable(struct device_module *m, const char *name,
                                 device_addr *out, size_t *bytes, struct proact_error *err)
{
    enum proact_status status = cuda_enter(m->set, m->device, err);
    cu_address address;
    size_t size;

    if (status)
        return status;
    cu_result result = m->set->driver.module_variable(&address, &size, m->module, name);

    if ((status = cuda_leave(m->set, m->device, result, "cuModuleGetGlobal", err)))
        return status == PROACT_EINVAL
                   ? fail(err, status, "%s has no variable '%s'", m->name, name)
                   : status;
    *out = address;
    *bytes = size;
    return PROACT_OK;
}

static enum proact_status check_launch(const struct device_function *f,
                                       const struct device_launch *l,
                                       struct proact_error *err)
{
    uint64_t threads = (uint64_t)l->block[0] * l->block[1] * l->block[2];

    if (l->unit)
        return fail(err, PROACT_EINVAL, "kernel '%s': this machine has no transfer unit",
                    f->name);
    if (!l->grid[0] || !l->grid[1] || !l->grid[2])
        return fail(err, PROACT_EINVAL, "kernel '%s': a grid of %u x %u x %u CTAs", f->name,
                    l->grid[0], l->grid[1], l->grid[2]);
    if (!threads || threads > (uint64_t)f->thread_limit)
        return fail(err, PROACT_EINVAL, "kernel '%s': %llu threads a CTA, 1 to %d possible",
                    f->name, (unsigned long long)threads, f->thread_limit);
    if (f->parameter_bytes != SIZE_MAX && l->parameter_bytes != f->parameter_bytes)
        return fail(err, PROACT_EINVAL,
                    "kernel '%s': %zu bytes of parameters given, it takes %zu", f->name,
                    l->parameter_bytes, f->parameter_bytes);
    if ((uint64_t)l->shared_bytes + (uint64_t)f->static_shared_bytes >
        (uint64_t)f->shared_limit)
        return fail(err, PROACT_EINVAL,
                    "kernel '%s': %u bytes of shared memory requested, %d possible",
                    f->name, l->shared_bytes, f->shared_limit - f->static_shared_bytes);
    return PROACT_OK;
}

static enum proact_status check_cluster(const struct device_function *f,
                                        const struct device_launch *l,
                                        struct proact_error *err)
{
    const uint32_t *c = l->cluster;
    uint64_t ctas = (uint64_t)c[0] * c[1] * c[2];

    if (!c[0] && !c[1] && !c[2])
        return PROACT_OK;
    if (!ctas || ctas > DEVICE_CLUSTER_MAX)
        return fail(err, PROACT_EINVAL,
                    "kernel '%s': clusters of %u x %u x %u CTAs requested, 1 to %d CTAs "
                    "possible",
                    f->name, c[0], c[1], c[2], DEVICE_CLUSTER_MAX);
    if (l->grid[0] % c[0] || l->grid[1] % c[1] || l->grid[2] % c[2])
        return fail(err, PROACT_EINVAL,
                    "kernel '%s': a grid of %u x %u x %u CTAs is no multiple of its "
                    "clusters, %u x %u x %u",
                    f->name, l->grid[0], l->grid[1], l->grid[2], c[0], c[1], c[2]);
    return PROACT_OK;
}

static void remember(struct cuda_device *d, const char *name)
{
    for (unsigned i = 0; i < CUDA_LABELS && i < d->label_count; i++)
        if (d->labels[i] == name || !strcmp(d->labels[i], name))
            return;
    d->labels[d->label_count++ % CUDA_LABELS] = name;
}

/* Launches or defers a kernel, within its trace interval. */
static cu_result launch_in_view(struct device_stream *s, struct device_function *f,
                                const struct device_launch *l)
{
    struct device_set *set = s->set;
    const struct cuda_span what = {
        .span = {.kind = DEVICE_SPAN_KERNEL, .name = l->label ? l->label : f->name},
        .peer = set->count};
    size_t span = cuda_span_begin(s, &what);
    cu_result result = 0;

    cuda_nvtx_begin(set, what.span.name);
    if (cuda_batches(s))
        cuda_batch_launch(s, f, l);
    else
        result = cuda_launch_now(s, f, l);
    cuda_nvtx_end(set);
    cuda_span_end(s, span);
    return result;
}

enum proact_status cuda_launch(struct device_stream *s, struct device_function *f,
                               const struct device_launch *l, struct proact_error *err)
{
    struct device_set *set = s->set;
    enum proact_status status = check_launch(f, l, err);

    if (!status)
        status = check_cluster(f, l, err);

    if (!status && (l->is_cooperative || l->cluster[0]) && !set->driver.launch_with)
        return fail(err, PROACT_EREFUSED,
                    "kernel '%s': the CUDA driver does not support %s launches: CUDA "
                    "11.8 or later is required",
                    f->name, l->is_cooperative ? "cooperative" : "cluster");
    if (!status && set->is_taping) {
        cuda_tape(&(struct cuda_taped_op){
            .kind = TAPED_LAUNCH, .stream = s, .function = f, .launch = *l});
        return PROACT_OK;
    }
    if (status)
        return status;
    s->is_open_ended = true;
    remember(&set->devices[s->device], f->name);
    if (cuda_batches(s)) {
        launch_in_view(s, f, l);
        return PROACT_OK;
    }
    if (cuda_repeats(s) && !f->launches) {
        cuda_repeat_launch(s, f, l);
        return PROACT_OK;
    }
    if ((status = cuda_use(s, err)))
        return status;
    cu_result result = launch_in_view(s, f, l);

    cuda_context_pop(&set->driver);
    return cuda_launch_result(s, f, l, result, err);
}
