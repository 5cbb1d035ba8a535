/* SPDX-License-Identifier: Apache-2.0 */
/* Modules and launches: PTX, executed a few CTAs at a time, so that kernels of several
   streams and devices run beside each other and may wait for each other. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/memory.h"
#include "device/fake_cuda.h"

enum { RESIDENT = 32, BUDGET = 4096, SMS = 4 };

struct fake_launch {
    struct execute_launch launch;
    struct execute_host host;
    struct execute_grid *grid;
    struct execute_pool *pool;
    struct execute_cta *cta[RESIDENT];
    unsigned device;
    uint32_t next;  /* CTA to start */
    uint32_t alive; /* of those that stand in cta */
    uint64_t turns;
    unsigned char *parameters;
    size_t parameter_bytes;
};

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

/* All accesses are made by this one thread: no fence has anything to do. */
static enum execute_verdict pass_fence(void *context, struct execute_warp *w, uint32_t mask,
                                       enum execute_order order, enum execute_scope scope,
                                       uint32_t line)
{
    (void)context, (void)w, (void)mask, (void)order, (void)scope, (void)line;
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

static struct execute_cta *start_cta(struct fake_launch *l)
{
    const uint32_t *n = l->launch.grid, i = l->next++;
    const uint32_t id[3] = {i % n[0], i / n[0] % n[1], i / n[0] / n[1]};

    return execute_cta_create(l->grid, l->pool, id, i % SMS);
}

bool fake_launch_go_on(struct fake_launch *l)
{
    uint32_t total = l->launch.grid[0] * l->launch.grid[1] * l->launch.grid[2];

    l->launch.host = &l->host; /* it has come to its place by now */
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

        fake_cuda()->work_ns += l->cta[i]->issued; /* an instruction, a nanosecond */
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
    return !l->alive && l->next == total;
}

static struct fake_launch *make(const struct execute_launch *launch, unsigned device,
                                const void *parameters, size_t bytes)
{
    struct fake_launch *l = must_calloc(1, sizeof *l);

    l->launch = *launch;
    l->device = device;
    l->host = (struct execute_host){.access = access_memory,
                                    .fence = pass_fence,
                                    .clock = read_clock,
                                    .globaltimer = read_clock,
                                    .print = print};
    l->parameters = must_calloc(1, bytes + 16);
    l->parameter_bytes = bytes;
    if (parameters)
        memcpy(l->parameters, parameters, bytes);
    l->launch.parameters = l->parameters;
    return l;
}

struct fake_launch *fake_launch_again(const struct fake_launch *l)
{
    return make(&l->launch, l->device, l->parameters, l->parameter_bytes);
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
    free(l->parameters);
    free(l);
}

/* Where the log's address and size stand among the options, as the keeper asks for it. */
static cu_result refuse(const struct proact_error *err, unsigned count,
                        const cu_jit_option *options, void **values)
{
    char *log = NULL;
    size_t bytes = 0;

    for (unsigned i = 0; i < count; i++) {
        if (options[i] == CU_JIT_ERROR_LOG)
            log = values[i];
        if (options[i] == CU_JIT_ERROR_LOG_BYTES)
            bytes = (uintptr_t)values[i];
    }
    if (log && bytes)
        snprintf(log, bytes, "%s", err->text);
    return CU_INVALID_PTX;
}

cu_result cuModuleLoadDataEx(cu_module *out, const void *image, unsigned count,
                             cu_jit_option *options, void **values)
{
    cu_result result = fake_enter(__func__);
    struct proact_error err = {""};

    if (result)
        return result;
    struct CUmod_st *m = must_calloc(1, sizeof *m);

    m->device = fake_device();
    if (ptx_parse("ptx", image, strlen(image), &m->ptx, &err) ||
        execute_program_create(m->ptx, &m->program, &err)) {
        ptx_destroy(m->ptx);
        free(m);
        return refuse(&err, count, options, values);
    }
    m->variables = fake_add(m->device, execute_program_bytes(m->program) + 16);
    if (!m->variables)
        return CU_OUT_OF_MEMORY;
    execute_program_image(m->program, (uintptr_t)m->variables->address,
                          m->variables->address);
    fake_cuda()->left++;
    *out = m;
    return 0;
}

cu_result cuModuleUnload(cu_module module)
{
    cu_result result = fake_enter(__func__);

    while (module->functions) {
        struct CUfunc_st *f = module->functions;

        module->functions = f->next;
        free(f);
    }
    fake_drop(module->variables);
    execute_program_destroy(module->program);
    ptx_destroy(module->ptx);
    free(module);
    fake_cuda()->left--;
    return result;
}

cu_result cuModuleGetFunction(cu_function *out, cu_module module, const char *name)
{
    const struct execute_kernel *kernel = execute_kernel_find(module->program, name);
    cu_result result = fake_enter(__func__);

    if (result)
        return result;
    if (!kernel)
        return CU_NOT_FOUND;
    struct CUfunc_st *f = must_calloc(1, sizeof *f);

    *f = (struct CUfunc_st){.module = module, .kernel = kernel, .next = module->functions};
    module->functions = f;
    *out = f;
    return 0;
}

cu_result cuModuleGetGlobal_v2(cu_address *out, size_t *bytes, cu_module module,
                               const char *name)
{
    cu_result result = fake_enter(__func__);
    size_t offset;

    if (result)
        return result;
    if (!execute_variable(module->program, name, &offset, bytes))
        return CU_NOT_FOUND;
    *out = (uintptr_t)module->variables->address + offset;
    return 0;
}

cu_result cuModuleGetFunctionCount(unsigned *out, cu_module module)
{
    (void)module;
    *out = 0; /* nothing here is loaded late */
    return fake_enter(__func__);
}

cu_result cuModuleEnumerateFunctions(cu_function *out, unsigned count, cu_module module)
{
    (void)out, (void)count, (void)module;
    return fake_enter(__func__);
}

cu_result cuFuncLoad(cu_function function)
{
    (void)function;
    return fake_enter(__func__);
}

cu_result cuFuncGetAttribute(int *out, cu_function_attribute what, cu_function function)
{
    struct execute_kernel_info info = execute_kernel_info(function->kernel);
    cu_result result = fake_enter(__func__);

    if (result)
        return result;
    if (what != CU_STATIC_SHARED_BYTES)
        return CU_INVALID_VALUE;
    *out = (int)info.shared_bytes;
    return 0;
}

cu_result cuFuncSetAttribute(cu_function function, cu_function_attribute what, int value)
{
    (void)function, (void)what, (void)value;
    return fake_enter(__func__);
}

/* All parameters as one: where they end is what the keeper asks for. */
cu_result cuFuncGetParamInfo(cu_function function, size_t index, size_t *offset,
                             size_t *bytes)
{
    struct execute_kernel_info info = execute_kernel_info(function->kernel);
    cu_result result = fake_enter(__func__);

    if (result || index || !info.parameter_bytes)
        return result ? result : CU_INVALID_VALUE;
    *offset = 0;
    *bytes = info.parameter_bytes;
    return 0;
}

/* NVIDIA's parameters. NOLINTNEXTLINE(readability-function-size) */
cu_result cuLaunchKernel(cu_function f, unsigned grid_x, unsigned grid_y, unsigned grid_z,
                         unsigned block_x, unsigned block_y, unsigned block_z,
                         unsigned shared_bytes, cu_stream stream, void **parameters,
                         void **extra)
{
    struct execute_kernel_info info = execute_kernel_info(f->kernel);
    const void *buffer = extra ? extra[1] : NULL;
    cu_result result = fake_enter(__func__);
    const struct execute_launch launch = {
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
        block_x * block_y * block_z > info.max_threads)
        return CU_INVALID_VALUE;
    fake_queue(stream, (struct fake_op){.kind = FAKE_LAUNCH,
                                        .launch = make(&launch, stream->device, buffer,
                                                       info.parameter_bytes)});
    return 0;
}

/* All CTAs at once: as many as stand beside each other here. */
cu_result cuLaunchKernelEx(const struct cu_launch_config *c, cu_function f,
                           void **parameters, void **extra)
{
    cu_result result = fake_count(__func__);
    bool is_cooperative = c->attribute_count == 1 &&
                          c->attributes[0].id == CU_LAUNCH_COOPERATIVE &&
                          c->attributes[0].value.cooperative;

    if (result || (c->attribute_count && !is_cooperative))
        return result ? result : CU_INVALID_VALUE;
    if (is_cooperative && c->grid_x * c->grid_y * c->grid_z > RESIDENT)
        return CU_COOPERATIVE_TOO_LARGE;
    return cuLaunchKernel(f, c->grid_x, c->grid_y, c->grid_z, c->block_x, c->block_y,
                          c->block_z, c->shared_bytes, c->stream, parameters, extra);
}
