/* SPDX-License-Identifier: Apache-2.0 */
/* Entry and exit of runtime calls, and the end of the program. */
#include "rt/rt.h"

/* Tested by rt_stubs.c in programs that another linker command produced. */
extern const char proactrt_is_here;
__attribute__((visibility("default"))) const char proactrt_is_here = 1;

struct rt *rt_enter(void)
{
    struct rt *rt = rt_enter_interop();

    if (rt->interop.is_pending || rt->interop.untracked)
        rt_interop_end(rt);
    return rt;
}

enum cuda_error rt_leave(struct rt *rt, enum cuda_error error)
{
    if (rt->interop.untracked)
        rt_interop_begin(rt);
    return rt_leave_interop(error);
}

enum cuda_error rt_refuse(const char *call)
{
    struct rt *rt = rt_enter();

    rt_print("%s() is not supported", call);
    return rt_leave(rt, cudaErrorNotSupported);
}

/* Warnings at the end: lazy opening failed, so the program ran on one device; a profile
   could not be used. */
static void rt_print_failure(struct rt *rt)
{
    bool failed;
    const char *lazy_devices = proact_lazy_devices_report(rt->session, &failed);

    if (failed)
        rt_print("%s", lazy_devices);
    rt_report_profile(rt);
}

void rt_end(void)
{
    struct rt *rt = rt_enter();
    struct proact_error err = {""};

    if (rt->session && !rt->broken && proact_wait(rt->session, &err))
        rt_break(rt, cudaErrorLaunchFailure, err.text);
    if (rt->session)
        proact_profile_save(rt->session);
    if (rt->session && rt->reports)
        rt_report(rt);
    else if (rt->session)
        rt_print_failure(rt);
    proact_close(rt->session);
    rt->session = NULL;
    rt->broken = cudaErrorCudartUnloading;
    rt_leave(rt, cudaSuccess);
}
