/* SPDX-License-Identifier: Apache-2.0 */
/* Kernel launches. The arguments form the parameter buffer; each word in it that lies in
   memory of the program becomes a relocation. */
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "rt/abi/cuda_calls.h"
#include "rt/abi/graph_calls.h"
#include "rt/graph/rt_graph.h"
#include "rt/launch/rt_cluster.h"

enum { CONFIGURATIONS_MAX = 16, PARAMETERS_MAX = 32764, PLACES_MAX = PARAMETERS_MAX / 8 };
enum {
    FEW = 32,
    FEW_BYTES = 512
}; /* sizes of most launches, which use the stack instead
      of an allocation */

/* A stack, because an argument of a launch may itself contain a launch. */
static _Thread_local struct configuration {
    struct cuda_dim3 grid, block;
    size_t shared_bytes;
    struct cuda_stream *stream;
} configurations[CONFIGURATIONS_MAX];
static _Thread_local unsigned configuration_count;

unsigned __cudaPushCallConfiguration(struct cuda_dim3 grid, struct cuda_dim3 block,
                                     size_t shared_bytes, struct cuda_stream *stream)
{
    if (configuration_count == CONFIGURATIONS_MAX)
        return 1;
    configurations[configuration_count++] =
        (struct configuration){grid, block, shared_bytes, stream};
    return 0;
}

enum cuda_error __cudaPopCallConfiguration(struct cuda_dim3 *grid, struct cuda_dim3 *block,
                                           size_t *shared_bytes, void *stream)
{
    const struct configuration *c;

    if (!configuration_count)
        return rt_leave(rt_enter(), cudaErrorMissingConfiguration);
    c = &configurations[--configuration_count];
    *grid = c->grid;
    *block = c->block;
    *shared_bytes = c->shared_bytes;
    memcpy(stream, &c->stream, sizeof c->stream);
    return cudaSuccess;
}

/* A packed structure may contain unaligned words. */
static uint32_t step_of(const struct proact_parameter *at)
{
    return at->align && at->align < 8 && at->bytes > 8 ? at->align : 8;
}

/* Relocations of one parameter: every aligned word that the kernel may use as a pointer,
   and that lies in or near memory of the program. */
static enum cuda_error launch_find_relocations(struct rt *rt, const bool *addresses,
                                               const unsigned char *bytes,
                                               const struct proact_parameter *at,
                                               struct proact_relocation *relocations,
                                               size_t *count)
{
    const uint32_t step = step_of(at);
    enum cuda_error error = cudaSuccess;

    for (uint32_t i = (at->offset + step - 1) & ~(step - 1), next;
         i + 8 <= at->offset + at->bytes && !error && *count < PLACES_MAX; i = next) {
        uint64_t word;

        memcpy(&word, bytes + i, sizeof word);
        struct rt_range *range =
            addresses[i] ? rt_range_of(rt, (const void *)(uintptr_t)word) : NULL;

        if (!range && addresses[i] && step == 8)
            range = range_near(&rt->ranges, word);

        next = i + (range ? 8 : step);
        if (!range)
            continue;
        range->is_shown = true;
        /* A shadow is updated at each launch, which a replay does not do. */
        if (range->is_shadow)
            error =
                rt->recording ? cudaErrorStreamCaptureUnsupported : rt_shadow_in(rt, range);
        if (range->array)
            relocations[(*count)++] =
                (struct proact_relocation){i, range->array, word - range->first};
    }
    return error;
}

static bool is_split(const struct rt *rt, const char *why_whole)
{
    return !why_whole && rt->split_over != 1 && proact_device_count(rt->session) > 1;
}

/* Report data: the split of the last launch, or the reason of a single-device launch. */
static void note_split(struct rt *rt, struct cuda_kernel *k, bool is_cooperative)
{
    const char *why =
        is_cooperative ? "it is launched cooperatively" : proact_kernel_refusal(k->kernel);

    if (rt->split_over == 1)
        return;
    k->split_launches += is_split(rt, why);
    if (is_split(rt, why))
        k->split_axis = proact_kernel_split_axis(k->kernel);
    if (!why || (k->why_whole && strcmp(why, k->why_whole) == 0))
        return;
    free(k->why_whole);
    k->why_whole = must_strdup(why);
}

/* CUDA's error for a launch that cannot run. */
static enum cuda_error misfit(const struct rt *rt, const struct cuda_kernel *k,
                              const struct proact_grid *grid, bool is_cooperative)
{
    uint64_t threads = (uint64_t)grid->threads[0] * grid->threads[1] * grid->threads[2];
    struct proact_kernel_resources build;

    if (is_cooperative)
        return cudaErrorCooperativeLaunchTooLarge;
    if (rt_in_clusters(k, grid))
        return cudaErrorInvalidClusterSize;
    if (!k->info.max_threads &&
        threads <= proact_device_describe(rt->session).threads_per_cta &&
        !proact_kernel_resources_get(k->kernel, &build, NULL) &&
        threads > build.max_threads)
        return cudaErrorLaunchOutOfResources; /* registers */
    return cudaErrorInvalidValue;
}

static enum cuda_error launch_block(struct rt *rt, struct cuda_kernel *k,
                                    struct proact_grid *grid,
                                    const struct proact_parameter_buffer *block)
{
    const bool is_cooperative = grid->is_cooperative;
    struct proact_error err; /* not zeroed: that would take longer than the rest of a
                                launch */

    grid->device_count = rt->split_over;
    enum proact_status status = proact_launch_buffer(k->kernel, grid, block, &err);

    if (status == PROACT_EINVAL)
        return misfit(rt, k, grid, is_cooperative);
    if (status)
        return rt_error(rt, status, &err);
    if (rt->recording) {
        rt_graph_recorded(rt, k,
                          rt->reports && is_split(rt, proact_kernel_refusal(k->kernel)));
        return cudaSuccess;
    }
    k->launches++;
    if (rt->reports)
        note_split(rt, k, is_cooperative);
    rt_report_launched(rt, k, proact_last_launch_device(rt->session));
    return rt_queued(rt, 0);
}

/* A stored launch. Its arguments are copied when the program makes the call. */
struct rt_kept_launch {
    struct cuda_kernel *kernel;
    struct proact_grid grid;
    unsigned char parameters[];
};

enum cuda_error rt_run_launch(struct rt *rt, const void *data)
{
    const struct rt_kept_launch *l = data;
    const struct proact_kernel_info *info = &l->kernel->info;
    const size_t most = info->parameter_bytes / 8 + 1;
    struct proact_relocation few[FEW],
        *many = most > FEW ? must_calloc(most, sizeof *many) : NULL,
        *relocations = many ? many : few;
    struct proact_grid grid = l->grid;
    enum cuda_error error = cudaSuccess;
    size_t count = 0;

    for (unsigned i = 0; i < info->parameter_count && !error; i++)
        error = launch_find_relocations(rt, info->may_hold_pointer, l->parameters,
                                        &info->parameters[i], relocations, &count);
    if (!error)
        error = launch_block(rt, l->kernel, &grid,
                             &(struct proact_parameter_buffer){
                                 l->parameters, info->parameter_bytes, relocations, count});
    free(many);
    return error;
}

/* A check of the launch; the grid receives the kernel's cluster size. */
static enum cuda_error settle(struct rt *rt, struct cuda_kernel *k,
                              struct proact_grid *grid)
{
    enum cuda_error error;

    if ((error = rt_kernel_load(rt, k)))
        return error;
    for (int i = 0; i < 3; i++)
        if (!grid->ctas[i] || !grid->threads[i])
            return cudaErrorInvalidValue; /* CUDA 13: not ...InvalidConfiguration */
    if (grid->dynamic_shared_bytes > rt_kernel_dynamic_most(k) ||
        (size_t)grid->dynamic_shared_bytes + k->info.static_shared_bytes >
            proact_device_describe(rt->session).shared_bytes_per_cta)
        return cudaErrorInvalidValue;
    return rt_cluster_settle(k, grid);
}

static size_t kept_bytes(const struct cuda_kernel *k)
{
    return sizeof(struct rt_kept_launch) + k->info.parameter_bytes;
}

static void keep(struct cuda_kernel *k, const struct proact_grid *grid, void **args,
                 struct rt_kept_launch *out)
{
    memset(out, 0, kept_bytes(k)); /* padding is zero, because stored launches are compared
                                      as bytes */
    out->kernel = k;
    out->grid = *grid;
    for (unsigned i = 0; i < k->info.parameter_count; i++) {
        const struct proact_parameter *at = &k->info.parameters[i];

        memcpy(out->parameters + at->offset, args[i], at->bytes);
    }
}

enum cuda_error rt_launch_keep(struct rt *rt, struct cuda_kernel *k,
                               const struct proact_grid *grid, void **args,
                               struct rt_kept_launch **out, size_t *bytes)
{
    struct proact_grid settled = *grid;
    enum cuda_error error = settle(rt, k, &settled);

    if (error)
        return error;
    *bytes = kept_bytes(k);
    *out = must_calloc(1, *bytes);
    keep(k, &settled, args, *out);
    return cudaSuccess;
}

struct proact_grid *rt_launch_grid(const struct graph_op *op, struct cuda_kernel **k)
{
    struct rt_kept_launch *l = op->run == rt_run_launch ? op->data : NULL;

    if (!l)
        return NULL;
    *k = l->kernel;
    return &l->grid;
}

void rt_launch_show(struct graph_op *op, struct cuda_kernel_node *out)
{
    struct rt_kept_launch *l = op->data;
    const struct proact_kernel_info *info = &l->kernel->info;
    const uint32_t *grid = l->grid.ctas, *block = l->grid.threads;

    if (!op->args)
        op->args = must_calloc(info->parameter_count + 1u, sizeof(void *));
    for (unsigned i = 0; i < info->parameter_count; i++)
        op->args[i] = l->parameters + info->parameters[i].offset;
    *out = (struct cuda_kernel_node){.stub = l->kernel->stub,
                                     .grid = {grid[0], grid[1], grid[2]},
                                     .block = {block[0], block[1], block[2]},
                                     .shared_bytes = l->grid.dynamic_shared_bytes,
                                     .args = op->args};
}

/* The parameters of most kernels fit on the stack. */
enum cuda_error rt_launch(struct rt *rt, struct cuda_kernel *k,
                          const struct proact_grid *grid, struct cuda_stream *stream,
                          void **args)
{
    _Alignas(struct rt_kept_launch) unsigned char few[FEW_BYTES];
    struct proact_grid settled = *grid;
    enum cuda_error error = settle(rt, k, &settled);

    if (error)
        return error;
    const size_t bytes = kept_bytes(k);
    struct rt_kept_launch *many = bytes > sizeof few ? must_calloc(1, bytes) : NULL,
                          *kept = many ? many : (struct rt_kept_launch *)few;

    keep(k, &settled, args, kept);
    error = rt_in_stream(rt, stream, rt_run_launch, kept, bytes);
    free(many);
    return error;
}

struct wanted {
    struct cuda_dim3 grid, block;
    size_t shared_bytes;
    struct cuda_stream *stream;
    bool is_cooperative;
};

/* `k` NULL: `stub` is no kernel. */
static enum cuda_error launch(struct rt *rt, struct cuda_kernel *k, const void *stub,
                              const struct wanted *w, void **args)
{
    const struct proact_grid grid = {.ctas = {w->grid.x, w->grid.y, w->grid.z},
                                     .threads = {w->block.x, w->block.y, w->block.z},
                                     .dynamic_shared_bytes = (uint32_t)w->shared_bytes,
                                     .is_cooperative = w->is_cooperative};

    if (!k)
        return rt_kernel_unknown(stub);
    return w->shared_bytes > UINT32_MAX ? cudaErrorInvalidValue
                                        : rt_launch(rt, k, &grid, w->stream, args);
}

enum cuda_error cudaLaunchKernel(const void *stub, struct cuda_dim3 grid,
                                 struct cuda_dim3 block, void **args, size_t shared_bytes,
                                 struct cuda_stream *stream)
{
    struct rt *rt = rt_enter();
    const struct wanted w = {grid, block, shared_bytes, stream, false};

    return rt_leave(rt, launch(rt, rt_kernel_find(rt, stub), stub, &w, args));
}

/* Launch with a handle that the stub obtained from __cudaGetKernel(). */
enum cuda_error __cudaLaunchKernel(struct cuda_kernel *kernel, struct cuda_dim3 grid,
                                   struct cuda_dim3 block, void **args, size_t shared_bytes,
                                   struct cuda_stream *stream)
{
    struct rt *rt = rt_enter();
    const struct wanted w = {grid, block, shared_bytes, stream, false};

    return rt_leave(rt, launch(rt, kernel, NULL, &w, args));
}

enum cuda_error cudaLaunchCooperativeKernel(const void *stub, struct cuda_dim3 grid,
                                            struct cuda_dim3 block, void **args,
                                            size_t shared_bytes, struct cuda_stream *stream)
{
    struct rt *rt = rt_enter();
    const struct wanted w = {grid, block, shared_bytes, stream, true};

    return rt_leave(rt, launch(rt, rt_kernel_find(rt, stub), stub, &w, args));
}

enum cuda_error cudaLaunchKernelExC(const struct cuda_launch_config *config,
                                    const void *stub, void **args)
{
    struct rt *rt = rt_enter();
    struct proact_grid grid = {.ctas = {0}};
    enum cuda_error error = rt_config_read(config, "cudaLaunchKernelExC", &grid);
    struct cuda_kernel *k = rt_kernel_find(rt, stub);

    if (!error)
        error = k ? rt_launch(rt, k, &grid, config->stream, args) : rt_kernel_unknown(stub);
    return rt_leave(rt, error);
}

enum cuda_error __cudaGetKernel(struct cuda_kernel **out, const void *stub)
{
    struct rt *rt = rt_enter();

    *out = rt_kernel_find(rt, stub);
    return rt_leave(rt, *out ? cudaSuccess : cudaErrorInvalidDeviceFunction);
}

enum cuda_error cudaGetKernel(struct cuda_kernel **out, const void *stub)
{
    return __cudaGetKernel(out, stub);
}

enum cuda_error cudaGetFuncBySymbol(struct cuda_kernel **out, const void *stub)
{
    return __cudaGetKernel(out, stub);
}
