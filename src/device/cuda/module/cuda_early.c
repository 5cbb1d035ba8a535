/* SPDX-License-Identifier: Apache-2.0 */
/* Early preparation of resources that the driver would create at the first kernel that
   needs them, after all running kernels end. If a running agent waits for that very kernel,
   both would block forever. The resources are therefore created when kernels are loaded:
   local memory beyond the initial stack size, and the buffers of printf and assert. */
#include <string.h>

#include "base/memory.h"
#include "device/cuda/cuda_set.h"

/* Kernel that calls nothing at run time: the driver checks which functions a kernel could
   call. It is PTX, so it does not depend on a compiler that is newer than the driver. */
static const char caller[] =
    ".version 7.0\n"
    ".target sm_52\n"
    ".address_size 64\n"
    ".extern .func (.param .b32 r) vprintf (.param .b64 text, .param .b64 list);\n"
    ".extern .func __assertfail (.param .b64 what, .param .b64 file, .param .b32 line,\n"
    " .param .b64 where, .param .b64 bytes);\n"
    ".visible .entry caller(.param .u64 calls)\n"
    "{\n"
    " .reg .pred %p;\n"
    " .reg .b32 %r;\n"
    " .reg .b64 %rd;\n"
    " ld.param.u64 %rd, [calls];\n"
    " setp.eq.u64 %p, %rd, 0;\n"
    " @%p bra END;\n"
    " { .param .b64 a; .param .b64 b; .param .b32 c;\n"
    "  st.param.b64 [a], %rd; st.param.b64 [b], %rd;\n"
    "  call.uni (c), vprintf, (a, b); ld.param.b32 %r, [c]; }\n"
    " { .param .b64 a; .param .b64 b; .param .b32 c; .param .b64 d; .param .b64 e;\n"
    "  st.param.b64 [a], %rd; st.param.b64 [b], %rd; st.param.b32 [c], %r;\n"
    "  st.param.b64 [d], %rd; st.param.b64 [e], %rd;\n"
    "  call.uni __assertfail, (a, b, c, d, e); }\n"
    "END:\n"
    " ret;\n"
    "}\n";

static cu_result run(const struct driver *v, cu_function f, cu_stream stream)
{
    uint64_t calls = 0;
    size_t bytes = sizeof calls;
    void *extra[] = {CU_LAUNCH_BUFFER, &calls, CU_LAUNCH_BUFFER_BYTES, &bytes,
                     CU_LAUNCH_END};
    cu_result result = v->launch(f, 1, 1, 1, 1, 1, 1, 0, stream, NULL, extra);

    return result ? result : v->stream_synchronize(stream);
}

static cu_result call(struct device_set *set, unsigned device)
{
    const struct driver *v = &set->driver;
    cu_module module;
    cu_function f;
    cu_result result = v->module_load(&module, caller, 0, NULL, NULL);

    if (result)
        return result;
    result = v->module_function(&f, module, "caller");
    if (!result)
        result = run(v, f, set->devices[device].rescue);
    v->module_unload(module);
    return result;
}

enum proact_status cuda_early_calls(struct device_set *set, unsigned device,
                                    const char *ptx, struct proact_error *err)
{
    struct cuda_device *d = &set->devices[device];
    enum proact_status status;

    if (d->has_calls || (!strstr(ptx, "vprintf") && !strstr(ptx, "__assertfail")))
        return PROACT_OK;
    if ((status = cuda_synchronize(set, err)) || (status = cuda_enter(set, device, err)))
        return status;
    status = cuda_leave(set, device, call(set, device), "cuLaunchKernel", err);
    d->has_calls = !status;
    return status;
}

/* Raises the stack size within cuda_enter(). It never lowers it, since the program's own
   runtime may have raised it. */
cu_result cuda_early_local(const struct driver *v, cu_function f)
{
    int bytes;
    size_t has;
    cu_result result = v->function_attribute(&bytes, CU_LOCAL_BYTES, f);

    if (!result)
        result = v->limit_get(&has, CU_STACK_BYTES);
    if (result || bytes <= 0 || (size_t)bytes <= has)
        return result;
    return v->limit_set(CU_STACK_BYTES, (size_t)bytes);
}
