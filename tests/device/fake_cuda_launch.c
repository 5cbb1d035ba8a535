/* SPDX-License-Identifier: Apache-2.0 */
/* Launches. PTX is executed for a few CTAs at a time, so that kernels of several streams
   and devices run concurrently and may wait for each other. Child kernels run after all
   CTAs of their parent. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/float_mode.h"
#include "base/memory.h"
#include "device/fake_cuda.h"

enum { RESIDENT = FAKE_SMS * FAKE_CTAS_PER_SM, BUDGET = 4096, SMS = FAKE_SMS };

struct fake_launch {
    struct execute_launch launch;
    struct execute_host host;
    struct execute_grid *grid;
    struct execute_pool *pool;
    struct execute_cta *cta[RESIDENT];
    unsigned device;
    uint32_t next;  /* next CTA to start */
    uint32_t alive; /* number of running CTAs */
    uint64_t turns;
    unsigned char *parameters;
    size_t parameter_bytes;
    struct fake_memory *meeting;   /* synchronization of the CTAs of a cooperative launch */
    struct fake_memory *requested; /* parameters of a child before its launch */
    struct execute_child child;
    struct fake_launch *children, *sibling;
};

static const struct execute_texture *texture(void *context, uint64_t handle,
                                             const char **why)
{
    const struct fake_launch *l = context;

    return fake_texture(l->device, handle, why);
}

static struct fake_launch *make(const struct execute_launch *launch, unsigned device,
                                const void *parameters, size_t bytes);

static enum execute_verdict access_memory(void *context, struct execute_warp *w,
                                          const struct execute_access *a)
{
    const struct fake_launch *l = context;
    const struct fake_memory *m = NULL;

    (void)w;
    for (unsigned i = 0; i < 32; i++) {
        if (!(a->mask >> i & 1))
            continue;
        uint64_t at = a->address[i];

        if (!m || at < (uintptr_t)m->address ||
            at - (uintptr_t)m->address + a->bytes > m->bytes)
            m = fake_find(l->device, (void *)(uintptr_t)at, a->bytes);
        if (!m || at % a->align)
            return EXECUTE_FAULT;
    }
    return EXECUTE_GO;
}

static uint64_t read_clock(void *context, struct execute_warp *w)
{
    (void)context, (void)w;
    return clock_host_ns();
}

static void print(void *context, const char *text, size_t length)
{
    (void)context;
    fwrite(text, 1, length, stdout);
}

static uint64_t child_parameters(void *context, struct execute_warp *w,
                                 const struct execute_child *child)
{
    enum { PARAMETER_BYTES = 4096 };
    struct fake_launch *l = context;

    (void)w;
    if (l->requested || !(l->requested = fake_add(l->device, PARAMETER_BYTES)))
        return 0;
    l->child = *child;
    return (uintptr_t)l->requested->address;
}

static uint32_t child_launch(void *context, struct execute_warp *w, uint64_t parameters)
{
    struct fake_launch *l = context;
    struct execute_launch launch = l->launch;

    (void)w;
    if (!l->requested || parameters != (uintptr_t)l->requested->address)
        return CU_INVALID_VALUE;
    launch.kernel = l->child.kernel;
    launch.dynamic_shared_bytes = l->child.shared_bytes;
    memcpy(launch.grid, l->child.grid, sizeof launch.grid);
    memcpy(launch.block, l->child.block, sizeof launch.block);
    memset(launch.cluster, 0, sizeof launch.cluster);
    struct fake_launch *made = make(&launch, l->device, l->requested->address,
                                    execute_kernel_info(launch.kernel).parameter_bytes);

    made->sibling = l->children;
    l->children = made;
    fake_drop(l->requested);
    l->requested = NULL;
    return 0;
}

/* Runs the children one by one. Returns whether none is left. */
static bool children_go_on(struct fake_launch *l)
{
    struct fake_launch *first = l->children;

    if (!first)
        return true;
    if (fake_launch_go_on(first)) {
        l->children = first->sibling;
        fake_launch_destroy(first);
    }
    return !l->children;
}

static struct execute_cta *start_cta(struct fake_launch *l)
{
    const uint32_t *n = l->launch.grid, i = l->next++;
    uint32_t c[3], id[3];

    for (int k = 0; k < 3; k++)
        c[k] = l->launch.cluster[k] ? l->launch.cluster[k] : 1;
    uint32_t in = i % (c[0] * c[1] * c[2]), all = i / (c[0] * c[1] * c[2]);
    uint32_t across = n[0] / c[0], down = n[1] / c[1];

    id[0] = all % across * c[0] + in % c[0];
    id[1] = all / across % down * c[1] + in / c[0] % c[1];
    id[2] = all / across / down * c[2] + in / c[0] / c[1];
    return execute_cta_create(l->grid, l->pool, id, i % SMS);
}

static bool go_on(struct fake_launch *l)
{
    uint32_t total = l->launch.grid[0] * l->launch.grid[1] * l->launch.grid[2];

    l->launch.host = &l->host; /* has its final address now */
    l->host.context = l;
    if (!l->grid) {
        l->pool = execute_pool_create();
        l->grid = execute_grid_create(&l->launch);
    }
    for (unsigned i = 0; i < RESIDENT; i++) {
        if (!l->cta[i] && l->next < total)
            l->cta[i] = start_cta(l);
        if (!l->cta[i])
            continue;
        enum execute_stop stop = execute_cta_run(l->cta[i], BUDGET, ++l->turns);

        fake_cuda()->work_ns += l->cta[i]->issued; /* one nanosecond per instruction */
        l->cta[i]->issued = 0;
        if (stop == EXECUTE_TRAPPED) {
            fake_cuda()->lost = strstr(l->cta[i]->fault, "trap") ? FAKE_LAUNCH_FAILED
                                                                 : FAKE_ILLEGAL_ADDRESS;
            return false;
        }
        if (stop != EXECUTE_EXITED)
            continue;
        execute_cta_destroy(l->cta[i]);
        l->cta[i] = NULL;
    }
    l->alive = 0;
    for (unsigned i = 0; i < RESIDENT; i++)
        l->alive += l->cta[i] != NULL;
    return !l->alive && l->next == total && children_go_on(l);
}

bool fake_launch_go_on(struct fake_launch *l)
{
    struct float_mode mode;

    float_mode_begin(&mode);
    bool is_well = go_on(l);
    float_mode_end(&mode);
    return is_well;
}

static struct fake_launch *make(const struct execute_launch *launch, unsigned device,
                                const void *parameters, size_t bytes)
{
    struct fake_launch *l = must_calloc(1, sizeof *l);

    l->launch = *launch;
    l->device = device;
    /* A single thread executes everything, so fences have no effect. */
    l->host = execute_host_quiet(l);
    l->host.access = access_memory;
    l->host.clock = l->host.globaltimer = read_clock;
    l->host.print = print;
    l->host.child_parameters = child_parameters;
    l->host.child_launch = child_launch;
    l->host.texture = texture;
    l->parameters = must_calloc(1, bytes + 16);
    l->parameter_bytes = bytes;
    if (parameters)
        memcpy(l->parameters, parameters, bytes);
    l->launch.parameters = l->parameters;
    if (fake_cuda()->is_cooperative && (l->meeting = fake_add(device, 8)))
        l->launch.meeting = (uintptr_t)memset(l->meeting->address, 0, 8);
    return l;
}

struct fake_launch *fake_launch_again(const struct fake_launch *l)
{
    return make(&l->launch, l->device, l->parameters, l->parameter_bytes);
}

void fake_launch_change(struct fake_launch *l, const struct cu_kernel_node *what)
{
    memcpy(l->launch.grid, what->grid, sizeof l->launch.grid);
    memcpy(l->launch.block, what->block, sizeof l->launch.block);
    l->launch.dynamic_shared_bytes = what->shared_bytes;
    if (what->extra)
        memcpy(l->parameters, what->extra[1], l->parameter_bytes);
}

void fake_launch_destroy(struct fake_launch *l)
{
    if (!l)
        return;
    for (unsigned i = 0; i < RESIDENT; i++)
        if (l->cta[i])
            execute_cta_destroy(l->cta[i]);
    if (l->grid) {
        execute_grid_destroy(l->grid);
        execute_pool_destroy(l->pool);
    }
    while (l->children) {
        struct fake_launch *next = l->children->sibling;

        fake_launch_destroy(l->children);
        l->children = next;
    }
    if (l->requested)
        fake_drop(l->requested);
    if (l->meeting)
        fake_drop(l->meeting);
    free(l->parameters);
    free(l);
}

/* A kernel whose resources are not loaded yet starts on an idle context only. A launch next
   to a blocked kernel may therefore be a deadlock. */
static bool is_late(const struct CUfunc_st *f, const struct CUstream_st *on)
{
    struct CUctx_st *c = &fake_cuda()->contexts[on->device];
    size_t stack = execute_kernel_info(f->kernel).local_bytes_per_thread;
    const char *text = f->module->ptx->text;
    bool calls = strstr(text, "vprintf") || strstr(text, "__assertfail"), is_idle = true;

    for (const struct CUstream_st *s = fake_cuda()->streams; s; s = s->next)
        is_idle &= s->device != on->device || !s->queue.first;
    if (!is_idle)
        return stack > c->stack_bytes || (calls && !c->has_calls);
    c->has_calls |= calls;
    if (stack > c->stack_bytes)
        c->stack_bytes = stack;
    return false;
}

/* The requested clusters, or those of the kernel. */
static cu_result find_cluster(const struct CUfunc_st *f, struct execute_launch *l)
{
    enum { EVERYWHERE = 8 };
    const struct execute_kernel_info info = execute_kernel_info(f->kernel);
    const uint32_t *requested = fake_cuda()->cluster;
    uint32_t ctas = 1;

    if (requested[0] && info.cluster[0] &&
        memcmp(requested, info.cluster, sizeof info.cluster) != 0)
        return CU_INVALID_CLUSTER_SIZE;
    memcpy(l->cluster, requested[0] ? requested : info.cluster, sizeof l->cluster);
    for (int i = 0; l->cluster[0] && i < 3; i++) {
        ctas *= l->cluster[i];
        if (l->grid[i] % l->cluster[i])
            return CU_INVALID_CLUSTER_SIZE;
    }
    return ctas > (f->has_large_clusters ? EXECUTE_CLUSTER_MAX : EVERYWHERE)
               ? CU_INVALID_CLUSTER_SIZE
               : 0;
}

/* NVIDIA's parameters. NOLINTNEXTLINE(readability-function-size) */
cu_result cuLaunchKernel(cu_function f, unsigned grid_x, unsigned grid_y, unsigned grid_z,
                         unsigned block_x, unsigned block_y, unsigned block_z,
                         unsigned shared_bytes, cu_stream stream, void **parameters,
                         void **extra)
{
    FAKE_ALONE;
    struct execute_kernel_info info = execute_kernel_info(f->kernel);
    const void *buffer = extra ? extra[1] : NULL;
    cu_result result = fake_enter(__func__);
    struct execute_launch launch = {
        .kernel = f->kernel,
        .grid = {grid_x, grid_y, grid_z},
        .block = {block_x, block_y, block_z},
        .dynamic_shared_bytes = shared_bytes,
        .variables = (uintptr_t)f->module->variables->address,
        .device = stream->device,
        .sm_count = SMS,
        .grid_id = 1,
    };

    if (result)
        return result;
    if (parameters || (extra ? *(size_t *)extra[3] : 0) != info.parameter_bytes ||
        (uint64_t)block_x * block_y * block_z > info.max_threads)
        return CU_INVALID_VALUE;
    if ((result = find_cluster(f, &launch)))
        return result;
    if (is_late(f, stream))
        return FAKE_LATE;
    fake_queue(stream, (struct fake_op){.kind = FAKE_LAUNCH,
                                        .value = f->lets,
                                        .is_plain = f->waits,
                                        .launch = make(&launch, stream->device, buffer,
                                                       info.parameter_bytes)});
    return 0;
}

/* Only directly after a kernel of the same stream, in a capture, and if the kernel starts
   with the wait. */
static bool may_be_early(const struct CUfunc_st *f, const struct CUstream_st *s)
{
    const struct fake_op *last = NULL;

    for (const struct fake_op *o = s->capture ? s->capture->lane[s->lane].first : NULL; o;
         o = o->next)
        last = o->kind == FAKE_MARK ? last : o; /* a mark is not an operation */
    return f->waits && last && last->kind == FAKE_LAUNCH && last->is_plain;
}

/* A cooperative launch has at most as many CTAs as can be resident. */
cu_result cuLaunchKernelEx(const struct cu_launch_config *c, cu_function f,
                           void **parameters, void **extra)
{
    FAKE_ALONE;
    cu_result result = fake_count(__func__);
    bool is_cooperative = false;
    uint32_t cluster[3] = {0, 0, 0};

    for (unsigned i = 0; i < c->attribute_count && !result; i++) {
        const struct cu_launch_attribute *a = &c->attributes[i];

        if (a->what == CU_LAUNCH_COOPERATIVE)
            is_cooperative = a->value.cooperative;
        else if (a->what == CU_LAUNCH_CLUSTER)
            memcpy(cluster, a->value.cluster, sizeof cluster);
        else if (a->what == CU_LAUNCH_PROGRAMMATIC && may_be_early(f, c->stream))
            fake_cuda()->early++;
        else if (a->what != CU_LAUNCH_PRIORITY)
            result = CU_INVALID_VALUE;
    }
    if (result)
        return result;
    if (is_cooperative && c->grid[0] * c->grid[1] * c->grid[2] > RESIDENT)
        return CU_COOPERATIVE_TOO_LARGE;
    fake_cuda()->is_cooperative = is_cooperative;
    memcpy(fake_cuda()->cluster, cluster, sizeof cluster);
    result = cuLaunchKernel(f, c->grid[0], c->grid[1], c->grid[2], c->block[0], c->block[1],
                            c->block[2], c->shared_bytes, c->stream, parameters, extra);
    fake_cuda()->is_cooperative = false;
    memset(fake_cuda()->cluster, 0, sizeof cluster);
    return result;
}
