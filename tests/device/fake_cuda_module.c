/* SPDX-License-Identifier: Apache-2.0 */
/* Modules: PTX, or a linked module, which is the same text. */
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "device/fake_cuda.h"

/* Position of the log's address and size among the options, as the backend passes them. */
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

/* A fake cubin is a text after four bytes. */
static const char *text_of(const void *image)
{
    return memcmp(image, "\177ELF", 4) == 0 ? (const char *)image + 4 : image;
}

cu_result cuModuleLoadDataEx(cu_module *out, const void *image, unsigned count,
                             cu_jit_option *options, void **values)
{
    FAKE_ALONE;
    cu_result result = fake_enter(__func__);
    struct proact_error err = {""};

    if (!result)
        result = fake_await_words(); /* like hardware: nothing is loaded during a wait */
    if (result)
        return result;
    struct CUmod_st *m = must_calloc(1, sizeof *m);

    m->device = fake_device();
    if (ptx_parse("ptx", text_of(image), strlen(text_of(image)), &m->ptx, &err) ||
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
    FAKE_ALONE;
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

static bool is_control(const struct ptx_function *f, uint32_t instruction)
{
    return instruction < f->instruction_count &&
           f->instructions[instruction].opcode == PTX_GRIDDEPCONTROL;
}

cu_result cuModuleGetFunction(cu_function *out, cu_module module, const char *name)
{
    FAKE_ALONE;
    const struct execute_kernel *kernel = execute_kernel_find(module->program, name);
    cu_result result = fake_enter(__func__);

    if (result)
        return result;
    if (!kernel)
        return CU_NOT_FOUND;
    struct CUfunc_st *f = must_calloc(1, sizeof *f);

    const struct ptx_function *text = ptx_function_find(module->ptx, name);

    *f = (struct CUfunc_st){.module = module, .kernel = kernel, .next = module->functions};
    /* A kernel has one of these instructions, or both with this one first. */
    f->waits = is_control(text, 0);
    f->lets = f->waits && is_control(text, 1);
    module->functions = f;
    *out = f;
    return 0;
}

cu_result cuModuleGetGlobal_v2(cu_address *out, size_t *bytes, cu_module module,
                               const char *name)
{
    FAKE_ALONE;
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
    FAKE_ALONE;
    (void)module;
    *out = 0; /* no lazy loading here */
    return fake_enter(__func__);
}

cu_result cuModuleEnumerateFunctions(cu_function *out, unsigned count, cu_module module)
{
    FAKE_ALONE;
    (void)out, (void)count, (void)module;
    return fake_enter(__func__);
}

cu_result cuFuncLoad(cu_function function)
{
    FAKE_ALONE;
    (void)function;
    return fake_enter(__func__);
}

cu_result cuFuncGetAttribute(int *out, cu_function_attribute what, cu_function function)
{
    FAKE_ALONE;
    struct execute_kernel_info info = execute_kernel_info(function->kernel);
    cu_result result = fake_enter(__func__);

    if (result)
        return result;
    switch (what) {
    case CU_FUNCTION_THREADS:
        *out = (int)info.max_threads;
        return 0;
    case CU_STATIC_SHARED_BYTES:
        *out = (int)info.shared_bytes;
        return 0;
    case CU_CONST_BYTES:
        *out = 0;
        return 0;
    case CU_LOCAL_BYTES:
        *out = (int)info.local_bytes_per_thread;
        return 0;
    case CU_REGISTERS:
        *out = FAKE_REGISTERS;
        return 0;
    default:
        return CU_INVALID_VALUE;
    }
}

cu_result cuOccupancyMaxActiveBlocksPerMultiprocessor(int *out, cu_function function,
                                                      int threads, size_t shared_bytes)
{
    FAKE_ALONE;
    size_t shared = shared_bytes + execute_kernel_info(function->kernel).shared_bytes;
    size_t fit = shared ? FAKE_SHARED_PER_SM / shared : FAKE_CTAS_PER_SM;

    fit = threads > FAKE_CTA_THREADS ? 0 : fit;
    *out = (int)(fit < FAKE_CTAS_PER_SM ? fit : FAKE_CTAS_PER_SM);
    return fake_enter(__func__);
}

cu_result cuFuncSetAttribute(cu_function function, cu_function_attribute what, int value)
{
    FAKE_ALONE;
    if (what == CU_LARGE_CLUSTERS)
        function->has_large_clusters = value;
    return fake_enter(__func__);
}

/* All parameters as one: the backend asks for their end. */
cu_result cuFuncGetParamInfo(cu_function function, size_t index, size_t *offset,
                             size_t *bytes)
{
    FAKE_ALONE;
    struct execute_kernel_info info = execute_kernel_info(function->kernel);
    cu_result result = fake_enter(__func__);

    if (result || index || !info.parameter_bytes)
        return result ? result : CU_INVALID_VALUE;
    *offset = 0;
    *bytes = info.parameter_bytes;
    return 0;
}

struct CUlinkState_st {
    char *text;
    bool has_runtime;
};

cu_result cuLinkCreate_v2(unsigned count, cu_jit_option *options, void **values,
                          cu_link *out)
{
    FAKE_ALONE;
    cu_result result = fake_enter(__func__);

    (void)count, (void)options, (void)values;
    if (result)
        return result;
    *out = must_calloc(1, sizeof **out);
    fake_cuda()->left++;
    return 0;
}

/* NVIDIA's parameters. NOLINTNEXTLINE(readability-function-size) */
cu_result cuLinkAddData_v2(cu_link link, cu_jit_input kind, void *data, size_t bytes,
                           const char *name, unsigned count, cu_jit_option *options,
                           void **values)
{
    FAKE_ALONE;
    static const char archive[] = "!<arch>\n";
    cu_result result = fake_enter(__func__);

    (void)name, (void)count, (void)options, (void)values;
    if (result)
        return result;
    if (kind == CU_LINK_PTX && !link->text)
        link->text = must_strndup(data, bytes);
    else if (kind == CU_LINK_LIBRARY && bytes > 8 && !memcmp(data, archive, 8))
        link->has_runtime = true;
    else
        return CU_INVALID_VALUE;
    return 0;
}

/* Loads the compiler at its first use, as the driver does. */
static void fake_compile(void)
{
    void *library = dlopen("libnvidia-ptxjitcompiler.so.1", RTLD_NOW | RTLD_LOCAL);
    void *entry = library ? dlsym(library, "fake_jit_compile") : NULL;
    void (*compile)(void);

    if (!entry)
        return;
    memcpy(&compile, &entry, sizeof compile);
    compile();
}

cu_result cuLinkComplete(cu_link link, void **out, size_t *bytes)
{
    fake_compile();
    FAKE_ALONE;
    cu_result result = fake_enter(__func__);

    if (result)
        return result;
    if (!link->text || (!link->has_runtime && strstr(link->text, "__cudaCDP2")))
        return CU_INVALID_PTX;
    *out = link->text;
    *bytes = strlen(link->text);
    return 0;
}

cu_result cuLinkDestroy(cu_link link)
{
    FAKE_ALONE;
    cu_result result = fake_enter(__func__);

    free(link->text);
    free(link);
    fake_cuda()->left--;
    return result;
}

cu_result cuCtxGetLimit(size_t *out, cu_limit what)
{
    FAKE_ALONE;
    cu_result result = fake_enter(__func__);

    if (!result)
        *out = fake_cuda()->contexts[fake_device()].stack_bytes;
    return what == CU_STACK_BYTES ? result : CU_INVALID_VALUE;
}

cu_result cuCtxSetLimit(cu_limit what, size_t value)
{
    FAKE_ALONE;
    cu_result result = fake_enter(__func__);

    if (!result && what == CU_STACK_BYTES)
        fake_cuda()->contexts[fake_device()].stack_bytes = value;
    return what == CU_STACK_BYTES || what == CU_HEAP_BYTES ? result : CU_INVALID_VALUE;
}
