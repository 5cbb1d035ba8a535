/* SPDX-License-Identifier: Apache-2.0 */
/* The global state of the runtime, and error handling. CUDA's calls have no handle
   argument, so this is the only file of proact with writable variables of its own. */
#include <pthread.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <proact/interop.h>

#include "rt/rt.h"

static struct rt the_runtime;
static pthread_mutex_t the_lock;
static pthread_once_t the_lock_is_made = PTHREAD_ONCE_INIT;
static _Thread_local enum cuda_error last_error;
static _Thread_local bool has_context;
static _Thread_local struct rt_thread the_thread;

struct rt_thread *rt_thread(void)
{
    return &the_thread;
}

/* Recursive, because a callback of the program may call the runtime. */
static void make_lock(void)
{
    pthread_mutexattr_t recursive;

    pthread_mutexattr_init(&recursive);
    pthread_mutexattr_settype(&recursive, PTHREAD_MUTEX_RECURSIVE);
    pthread_mutex_init(&the_lock, &recursive);
    pthread_mutexattr_destroy(&recursive);
}

struct rt *rt_enter_interop(void)
{
    pthread_once(&the_lock_is_made, make_lock);
    pthread_mutex_lock(&the_lock);
    if (!has_context && the_runtime.session) {
        proact_interop_attach_thread(the_runtime.session);
        has_context = true;
    }
    return &the_runtime;
}

enum cuda_error rt_leave_interop(enum cuda_error error)
{
    if (!the_thread.driver_calls) {
        if (error && error != cudaErrorNotReady)
            last_error = error;
        the_thread.is_bound |= the_runtime.session != NULL;
    }
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

void rt_print(const char *format, ...)
{
    char text[2048], *plain;
    va_list args;

    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    plain = rt_plain_names(text);
    fprintf(stderr, "proact: %s\n", plain);
    free(plain);
}

enum cuda_error rt_break(struct rt *rt, enum cuda_error error, const char *sentence)
{
    if (!rt->broken)
        rt_print("%s", sentence);
    if (!rt->broken)
        rt->broken = error;
    return rt->broken;
}

enum { REASON_BYTES = sizeof(struct proact_error) };

/* The cause of a kernel fault, without kernel names. The emulator's message has it after
   the thread, the driver's before the list of queued kernels. */
static void reason_of(const char *text, char into[REASON_BYTES])
{
    const char *thread = strstr(text, ", thread (");
    const char *from = thread ? strstr(thread, "): ") : NULL;

    snprintf(into, REASON_BYTES, "%s", from ? from : text);
    char *names = strstr(into, "; the last kernels queued there");

    if (names)
        *names = '\0';
}

static enum cuda_error fault_of(const struct proact_error *err)
{
    char reason[REASON_BYTES];

    reason_of(err->text, reason);
    if (strstr(reason, "' failed") || strstr(reason, "_ASSERT"))
        return cudaErrorAssert;
    if (strstr(reason, "misaligned") || strstr(reason, "_MISALIGNED_ADDRESS"))
        return cudaErrorMisalignedAddress;
    if (strstr(reason, "allocat") || strstr(reason, "_ILLEGAL_ADDRESS"))
        return cudaErrorIllegalAddress;
    if (strstr(reason, "does not contain the lane") ||
        strstr(reason, "_ILLEGAL_INSTRUCTION"))
        return cudaErrorIllegalInstruction;
    return cudaErrorLaunchFailure;
}

enum cuda_error rt_error(struct rt *rt, enum proact_status status,
                         const struct proact_error *err)
{
    if (rt->recording && status) /* a call that cannot be recorded; the direct call reports
                                    its error */
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
