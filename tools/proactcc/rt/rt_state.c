/* SPDX-License-Identifier: Apache-2.0 */
/* The one state that a program's runtime has: CUDA's calls hand down none, so that this is
   the only file of proact with variables of its own. And what goes wrong. */
#include <pthread.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include <proact/guest.h>

#include "rt.h"

static struct rt the_runtime;
static pthread_mutex_t the_lock;
static pthread_once_t the_lock_is_made = PTHREAD_ONCE_INIT;
static _Thread_local enum cuda_error last_error;
static _Thread_local bool has_context;

/* A callback of the program may call us. */
static void make_lock(void)
{
    pthread_mutexattr_t recursive;

    pthread_mutexattr_init(&recursive);
    pthread_mutexattr_settype(&recursive, PTHREAD_MUTEX_RECURSIVE);
    pthread_mutex_init(&the_lock, &recursive);
    pthread_mutexattr_destroy(&recursive);
}

struct rt *rt_enter_as_guest(void)
{
    pthread_once(&the_lock_is_made, make_lock);
    pthread_mutex_lock(&the_lock);
    if (!has_context && the_runtime.session) {
        proact_guest_thread(the_runtime.session);
        has_context = true;
    }
    return &the_runtime;
}

enum cuda_error rt_leave_as_guest(enum cuda_error error)
{
    if (error && error != cudaErrorNotReady)
        last_error = error;
    pthread_mutex_unlock(&the_lock);
    return error;
}

enum cuda_error rt_last_error(bool forget)
{
    enum cuda_error error = the_runtime.broken ? the_runtime.broken : last_error;

    if (forget)
        last_error = cudaSuccess;
    return error;
}

void rt_say(const char *format, ...)
{
    va_list args;

    va_start(args, format);
    fputs("proact: ", stderr);
    vfprintf(stderr, format, args);
    fputc('\n', stderr);
    va_end(args);
}

enum cuda_error rt_break(struct rt *rt, enum cuda_error error, const char *sentence)
{
    if (!rt->broken)
        rt_say("%s", sentence);
    if (!rt->broken)
        rt->broken = error;
    return rt->broken;
}

/* By the sentences on a kernel's faults, the emulator's and the driver's. */
static enum cuda_error fault_of(const struct proact_error *err)
{
    if (strstr(err->text, "' failed") || strstr(err->text, "_ASSERT"))
        return cudaErrorAssert;
    if (strstr(err->text, "misaligned") || strstr(err->text, "_MISALIGNED_ADDRESS"))
        return cudaErrorMisalignedAddress;
    if (strstr(err->text, "allocat") || strstr(err->text, "_ILLEGAL_ADDRESS"))
        return cudaErrorIllegalAddress;
    return cudaErrorLaunchFailure;
}

enum cuda_error rt_error(struct rt *rt, enum proact_status status,
                         const struct proact_error *err)
{
    if (rt->recording && status) /* that cannot be recorded, and is said if it is called */
        return cudaErrorStreamCaptureUnsupported;
    switch (status) {
    case PROACT_OK:
        return cudaSuccess;
    case PROACT_EINVAL:
        return cudaErrorInvalidValue;
    case PROACT_ENOSPACE:
        return cudaErrorMemoryAllocation;
    case PROACT_ENODEV:
        return rt_break(rt, cudaErrorNoDevice, err->text);
    case PROACT_EREFUSED:
        return rt_break(rt, cudaErrorNotSupported, err->text);
    case PROACT_EFAULT:
        return rt_break(rt, fault_of(err), err->text);
    case PROACT_ETIMEOUT:
        return rt_break(rt, cudaErrorLaunchTimeout, err->text);
    case PROACT_EDRIVER:
        break;
    }
    return rt_break(rt, cudaErrorUnknown, err->text);
}
