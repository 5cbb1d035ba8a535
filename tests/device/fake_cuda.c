/* SPDX-License-Identifier: Apache-2.0 */
/* Fake driver: settings, lost devices, devices and contexts. */
#include "device/fake_cuda.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

/* A process has one driver, so this is the only global state. */
struct fake_cuda *fake_cuda(void)
{
    static struct fake_cuda state;

    return &state;
}

struct fake_thread *fake_thread(void)
{
    static _Thread_local struct fake_thread thread;

    return &thread;
}

static pthread_mutex_t *fake_lock(void)
{
    static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

    return &lock;
}

struct fake_turn fake_turn_begin(void)
{
    if (!fake_thread()->turns++)
        pthread_mutex_lock(fake_lock());
    return (struct fake_turn){0};
}

void fake_turn_end(struct fake_turn *turn)
{
    (void)turn;
    if (!--fake_thread()->turns)
        pthread_mutex_unlock(fake_lock());
}

unsigned fake_cuda_left(void)
{
    return fake_cuda()->left + fake_thread()->depth - fake_thread()->kept;
}

unsigned fake_cuda_calls(const char *call)
{
    const struct fake_cuda *f = fake_cuda();

    for (int i = 0; i < FAKE_CALLS_MAX && f->calls[i].name; i++)
        if (!strcmp(f->calls[i].name, call))
            return f->calls[i].calls;
    return 0;
}

unsigned fake_cuda_early(void)
{
    return fake_cuda()->early;
}

void fake_cuda_reset(void)
{
    bool ends = fake_cuda()->ends;

    fake_defaults_clear();
    memset(fake_cuda(), 0, sizeof(struct fake_cuda));
    *fake_thread() = (struct fake_thread){0};
    fake_cuda()->ends = ends;
}

static void end(void)
{
    fake_cuda()->has_ended = true;
    fake_cuda()->lost = FAKE_ENDED;
}

static unsigned setting(const char *name, unsigned standard)
{
    const char *text = getenv(name);

    return text ? (unsigned)strtoul(text, NULL, 10) : standard;
}

static bool is_lasting(cu_result result)
{
    return (result >= 700 && result < 720) || result == 46 || result == 214;
}

cu_result fake_count(const char *call)
{
    struct fake_cuda *f = fake_cuda();
    const char *wanted = getenv("FAKE_CUDA_FAIL");
    char name[64];
    unsigned i = 0, number = 0;
    int result = 0;

    if (f->has_ended)
        return FAKE_ENDED;
    while (i < FAKE_CALLS_MAX - 1 && f->calls[i].name &&
           strcmp(f->calls[i].name, call) != 0)
        i++;
    f->calls[i].name = call;
    f->calls[i].calls++;
    /* NOLINTNEXTLINE(cert-err34-c) */
    if (!wanted || sscanf(wanted, "%63[^:]:%u:%d", name, &number, &result) != 3 ||
        strcmp(name, call) != 0 || f->calls[i].calls != number)
        return 0;
    if (is_lasting(result))
        f->lost = result;
    return result;
}

/* Whether the current context is retained by any holder. */
static bool fake_is_blocked(const struct fake_thread *t)
{
    const struct CUctx_st *context = t->current[t->depth - 1];

    return context && context->holders;
}

cu_result fake_enter(const char *call)
{
    const struct fake_cuda *f = fake_cuda();
    cu_result result = fake_count(call);

    if (f->lost)
        return f->lost;
    if (!result && (!fake_thread()->depth || !fake_is_blocked(fake_thread())))
        return FAKE_INVALID_CONTEXT;
    return result;
}

unsigned fake_device(void)
{
    const struct fake_thread *t = fake_thread();

    return t->current[t->depth - 1]->device;
}

size_t fake_device_bytes(void)
{
    return setting("FAKE_CUDA_MEMORY", 256U << 20);
}

cu_result cuInit(unsigned flags)
{
    FAKE_ALONE;
    struct fake_cuda *f = fake_cuda();
    cu_result result = fake_count(__func__);

    (void)flags;
    if (!f->ends)
        f->ends = atexit(end) == 0;
    f->count = setting("FAKE_CUDA_DEVICES", 2);
    f->queues = setting("CUDA_DEVICE_MAX_CONNECTIONS", 8);
    for (unsigned d = 0; d < FAKE_DEVICES_MAX; d++) {
        f->contexts[d].device = d;
        f->contexts[d].stack_bytes = 1024;
    }
    if (result)
        return result;
    f->is_open = true;
    return f->count ? 0 : CU_NO_DEVICE;
}

cu_result cuDriverGetVersion(int *out)
{
    FAKE_ALONE;
    *out = (int)setting("FAKE_CUDA_VERSION", 13000);
    return fake_count(__func__);
}

static const struct {
    cu_result result;
    const char *name, *text;
} words[] = {
    {0, "CUDA_SUCCESS", "no error"},
    {1, "CUDA_ERROR_INVALID_VALUE", "invalid argument"},
    {2, "CUDA_ERROR_OUT_OF_MEMORY", "out of memory"},
    {FAKE_ENDED, "CUDA_ERROR_DEINITIALIZED", "driver shutting down"},
    {34, "CUDA_ERROR_STUB_LIBRARY", "CUDA driver is a stub library"},
    {46, "CUDA_ERROR_DEVICE_UNAVAILABLE",
     "CUDA-capable device(s) is/are busy or unavailable"},
    {100, "CUDA_ERROR_NO_DEVICE", "no CUDA-capable device is detected"},
    {101, "CUDA_ERROR_INVALID_DEVICE", "invalid device ordinal"},
    {201, "CUDA_ERROR_INVALID_CONTEXT", "invalid device context"},
    {214, "CUDA_ERROR_ECC_UNCORRECTABLE", "uncorrectable ECC error encountered"},
    {217, "CUDA_ERROR_PEER_ACCESS_UNSUPPORTED",
     "peer access is not supported between these two devices"},
    {218, "CUDA_ERROR_INVALID_PTX", "a PTX JIT compilation failed"},
    {222, "CUDA_ERROR_UNSUPPORTED_PTX_VERSION",
     "the provided PTX was compiled with an unsupported toolchain."},
    {500, "CUDA_ERROR_NOT_FOUND", "named symbol not found"},
    {600, "CUDA_ERROR_NOT_READY", "device not ready"},
    {700, "CUDA_ERROR_ILLEGAL_ADDRESS", "an illegal memory access was encountered"},
    {719, "CUDA_ERROR_LAUNCH_FAILED", "unspecified launch failure"},
    {900, "CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED",
     "operation not permitted when stream is capturing"},
    {802, "CUDA_ERROR_SYSTEM_NOT_READY", "system not yet initialized"},
    {803, "CUDA_ERROR_SYSTEM_DRIVER_MISMATCH",
     "system has unsupported display driver / cuda driver combination"},
};

cu_result cuGetErrorName(cu_result result, const char **out)
{
    FAKE_ALONE;
    for (size_t i = 0; i < sizeof words / sizeof words[0]; i++)
        if (words[i].result == result)
            *out = words[i].name;
    return 0;
}

cu_result cuGetErrorString(cu_result result, const char **out)
{
    FAKE_ALONE;
    for (size_t i = 0; i < sizeof words / sizeof words[0]; i++)
        if (words[i].result == result)
            *out = words[i].text;
    return 0;
}

cu_result cuDeviceGetCount(int *out)
{
    FAKE_ALONE;
    cu_result result = fake_count(__func__);

    *out = (int)fake_cuda()->count;
    return result;
}

cu_result cuDeviceGet(cu_device *out, int ordinal)
{
    FAKE_ALONE;
    cu_result result = fake_count(__func__);

    *out = ordinal;
    return result ? result : ordinal < (int)fake_cuda()->count ? 0 : 101;
}

cu_result cuDeviceGetName(char *out, int bytes, cu_device device)
{
    FAKE_ALONE;
    const char *names = getenv("FAKE_CUDA_NAMES");
    cu_result result = fake_count(__func__);

    if (!names)
        names = "Fake GPU";
    for (int d = 0; d < device && strchr(names, ','); d++)
        names = strchr(names, ',') + 1;
    snprintf(out, (size_t)bytes, "%.*s", (int)strcspn(names, ","), names);
    return result;
}

cu_result cuDeviceTotalMem_v2(size_t *out, cu_device device)
{
    FAKE_ALONE;
    (void)device;
    *out = fake_device_bytes();
    return fake_count(__func__);
}

/* A small fictitious device. */
static int attribute(int what)
{
    static const int values[][2] = {
        {CU_THREADS_PER_BLOCK, FAKE_CTA_THREADS},
        {CU_PITCH_MAX, 0x7fffffff},
        {CU_CLOCK_KHZ, 1000000},
        {CU_SM_COUNT, FAKE_SMS},
        {CU_MEMORY_CLOCK_KHZ, 1000000},
        {CU_MEMORY_BUS_BITS, 1024},
        {CU_L2_BYTES, 4 << 20},
        {CU_THREADS_PER_SM, 2048},
        {CU_CAPABILITY_MAJOR, 9},
        {CU_SHARED_PER_SM, FAKE_SHARED_PER_SM},
        {CU_SHARED_PER_BLOCK, 49152},
        {CU_MEMORY_MAPPING, 1},
        {CU_BLOCKS_PER_SM, 32},
    };

    for (size_t i = 0; i < sizeof values / sizeof values[0]; i++)
        if (values[i][0] == what)
            return values[i][1];
    return 0;
}

cu_result cuDeviceGetAttribute(int *out, cu_device_attribute what, cu_device device)
{
    FAKE_ALONE;
    const char *list = getenv("FAKE_CUDA_ATTRIBUTES");
    cu_result result = fake_count(__func__);
    int number, value;

    *out = attribute(what);
    /* NOLINTNEXTLINE(cert-err34-c) */
    for (; list && sscanf(list, "%d=%d", &number, &value) == 2; list++) {
        if (number == what)
            *out = value;
        if (!(list = strchr(list, ',')))
            break;
    }
    return result ? result : device < (int)fake_cuda()->count ? 0 : 101;
}

cu_result cuDeviceCanAccessPeer(int *out, cu_device device, cu_device peer)
{
    FAKE_ALONE;
    const char *list = getenv("FAKE_CUDA_PEERS");
    cu_result result = fake_count(__func__);
    char pair[16];

    snprintf(pair, sizeof pair, "%d>%d", device, peer);
    *out = !list || strstr(list, pair) != NULL;
    return result;
}

cu_result cuDeviceGetP2PAttribute(int *out, cu_peer_attribute what, cu_device device,
                                  cu_device peer)
{
    FAKE_ALONE;

    *out = what == CU_PEER_ATOMICS && device != peer;
    return fake_count(__func__);
}

/* Sleeps without the lock, so that other threads continue. */
static void take_time(void)
{
    const unsigned ms = setting("FAKE_CUDA_OPEN_MS", 0);

    if (ms)
        nanosleep(&(struct timespec){ms / 1000, ms % 1000 * 1000000L}, NULL);
}

cu_result cuDevicePrimaryCtxRetain(cu_context *out, cu_device device)
{
    take_time();
    FAKE_ALONE;
    struct fake_cuda *f = fake_cuda();
    cu_result result = fake_count(__func__);

    if (result)
        return result;
    f->contexts[device].holders++;
    f->left++;
    *out = &f->contexts[device];
    return 0;
}

cu_result cuDevicePrimaryCtxRelease_v2(cu_device device)
{
    FAKE_ALONE;
    struct fake_cuda *f = fake_cuda();

    if (f->contexts[device].holders) {
        f->contexts[device].holders--;
        f->left--;
    }
    return fake_count(__func__);
}

/* A reset makes a lost device usable; its remaining objects are freed. */
cu_result cuDevicePrimaryCtxReset_v2(cu_device device)
{
    FAKE_ALONE;
    struct fake_cuda *f = fake_cuda();

    memset(f->contexts[device].reaches, 0, sizeof f->contexts[device].reaches);
    return fake_count(__func__);
}

cu_result cuCtxPushCurrent_v2(cu_context context)
{
    FAKE_ALONE;
    struct fake_thread *t = fake_thread();
    cu_result result = fake_count(__func__);

    if (t->depth == sizeof t->current / sizeof t->current[0]) {
        fputs("fake_cuda: contexts are pushed and never popped\n", stderr);
        abort();
    }
    if (!result)
        t->current[t->depth++] = context;
    return result;
}

cu_result cuCtxPopCurrent_v2(cu_context *out)
{
    FAKE_ALONE;
    struct fake_thread *t = fake_thread();

    if (!t->depth)
        return FAKE_INVALID_CONTEXT;
    *out = t->current[--t->depth];
    return fake_count(__func__);
}

cu_result cuCtxGetCurrent(cu_context *out)
{
    FAKE_ALONE;
    const struct fake_thread *t = fake_thread();

    *out = t->depth ? t->current[t->depth - 1] : NULL;
    return fake_count(__func__);
}

/* Replaces the current context. A thread that had none keeps it until it sets NULL. */
cu_result cuCtxSetCurrent(cu_context context)
{
    FAKE_ALONE;
    struct fake_thread *t = fake_thread();
    cu_result result = fake_count(__func__);

    if (result)
        return result;
    if (!t->depth)
        t->kept = context != NULL;
    else if (!--t->depth && !context)
        t->kept = 0;
    if (context)
        t->current[t->depth++] = context;
    return 0;
}

cu_result cuCtxGetStreamPriorityRange(int *lowest, int *highest)
{
    FAKE_ALONE;
    *lowest = 0;
    *highest = -5;
    return fake_enter(__func__);
}

cu_result cuCtxEnablePeerAccess(cu_context peer, unsigned flags)
{
    FAKE_ALONE;
    const struct fake_thread *t = fake_thread();
    cu_result result = fake_enter(__func__);
    struct CUctx_st *own = t->depth ? t->current[t->depth - 1] : NULL;

    (void)flags;
    if (result)
        return result;
    if (!peer || !peer->holders)
        return FAKE_INVALID_CONTEXT;
    if (own->reaches[peer->device])
        return CU_PEER_ALREADY_ENABLED;
    own->reaches[peer->device] = true;
    return 0;
}
