/* SPDX-License-Identifier: Apache-2.0 */
/* A program that uses the CUDA driver and the runtime together: contexts, memory, launches,
   streams and events. Objects of one are valid in the other. */
#include "driver.cuh"
#include <cstring>
#include <thread>

enum { N = 10000, THREADS = 128, CTAS = (N + THREADS - 1) / THREADS };

__global__ void twice(float *x, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;

    if (i < n)
        x[i] = 2 * x[i];
}

static float host[N];

static void reset()
{
    for (int i = 0; i < N; i++)
        host[i] = (float)i;
}

static void about_the_device(CUdevice device)
{
    char name[100] = "", bus[16];
    int count = 0, major = 0, minor = 0, value = 0, version = 0, other;
    size_t bytes = 0;
    CUuuid id;
    cudaDeviceProp p;

    DO(cuDeviceGetCount(&count));
    HOLDS(count == 1);
    HOLDS(cuDeviceGet(&other, 1) == CUDA_ERROR_INVALID_DEVICE);
    DO(cuDeviceGetName(name, sizeof name, device));
    DO(cuDeviceTotalMem(&bytes, device));
    DO(cuDeviceGetUuid(&id, device));
    DO(cuDeviceGetPCIBusId(bus, sizeof bus, device));
    DO(cuDeviceGetAttribute(&major, CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR, device));
    DO(cuDeviceGetAttribute(&minor, CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR, device));
    DO(cuDeviceGetAttribute(&value, CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT, device));
    DO(cuDriverGetVersion(&version));
    MUST(cudaGetDeviceProperties(&p, device));
    HOLDS(strcmp(name, p.name) == 0 && bytes == p.totalGlobalMem && major == p.major &&
          minor == p.minor && value == p.multiProcessorCount && version == CUDA_VERSION);
    HOLDS(memcmp(&id, &p.uuid, sizeof id) == 0);
}

/* A thread has a stack of contexts. */
static void about_contexts(CUdevice device, CUcontext mine)
{
    CUcontext primary, now, popped;
    CUdevice of = 7;
    unsigned flags;
    int active = 0;
    size_t stack = 0;

    DO(cuCtxGetCurrent(&now));
    HOLDS(now == mine);
    DO(cuDevicePrimaryCtxRetain(&primary, device));
    DO(cuDevicePrimaryCtxGetState(device, &flags, &active));
    HOLDS(primary && primary != mine && active);
    DO(cuCtxPushCurrent(primary));
    DO(cuCtxGetCurrent(&now));
    DO(cuCtxGetDevice(&of));
    HOLDS(now == primary && of == device);
    DO(cuCtxPopCurrent(&popped));
    HOLDS(popped == primary);
    DO(cuDevicePrimaryCtxRelease(device));
    HOLDS(cuCtxSetCurrent((CUcontext)&of) == CUDA_ERROR_INVALID_CONTEXT);
    DO(cuCtxSetCurrent(mine));
    DO(cuCtxAttach(&now, 0));
    HOLDS(now == mine);
    DO(cuCtxDetach(mine));
    DO(cuCtxGetCurrent(&now));
    HOLDS(now == mine);
    DO(cuCtxSetLimit(CU_LIMIT_STACK_SIZE, 2048));
    DO(cuCtxGetLimit(&stack, CU_LIMIT_STACK_SIZE));
    HOLDS(stack == 2048);
    DO(cuCtxSetCacheConfig(CU_FUNC_CACHE_PREFER_L1));
    DO(cuCtxSynchronize());
}

/* A new thread has no context and receives another thread's. */
static void in_another_thread(CUcontext theirs, CUdeviceptr x)
{
    CUcontext now = theirs;
    int value = 0;

    DO(cuCtxGetCurrent(&now));
    HOLDS(!now && cuMemcpyDtoH(&value, x, sizeof value) == CUDA_ERROR_INVALID_CONTEXT);
    DO(cuCtxPushCurrent(theirs));
    DO(cuMemcpyDtoH(&value, x, sizeof value));
    HOLDS(value == 0x05050505);
    DO(cuCtxPopCurrent(&now));
    HOLDS(now == theirs && cuCtxPopCurrent(&now) == CUDA_ERROR_INVALID_CONTEXT);
    /* Runtime calls find a context by themselves. */
    MUST(cudaMemset((void *)x, 1, 4));
    DO(cuMemcpyDtoH(&value, x, sizeof value));
    HOLDS(value == 0x01010101);
}

static void about_threads(CUcontext mine)
{
    CUdeviceptr x;

    DO(cuMemAlloc(&x, 4));
    DO(cuMemsetD8(x, 5, 4));
    std::thread(in_another_thread, mine, x).join();
    DO(cuMemFree(x));
}

/* Parameters as pointers, as one buffer, and with a launch attribute. */
static void about_launches(CUfunction scale, CUmodule module)
{
    CUdeviceptr in, out, shift, done;
    float factor = 3, sum = 0;
    int n = N;
    unsigned count = 0;
    size_t bytes = 0;

    DO(cuMemAlloc(&in, sizeof host));
    DO(cuMemAlloc(&out, sizeof host));
    reset();
    DO(cuMemcpyHtoD(in, host, sizeof host));
    void *args[] = {&out, &in, &factor, &n};

    DO(cuLaunchKernel(scale, CTAS, 1, 1, THREADS, 1, 1, 0, NULL, args, NULL));
    DO(cuMemcpyDtoH(host, out, sizeof host));
    HOLDS(host[0] == 3 && host[N - 1] == 3 * (N - 1) + 3);

    DO(cuModuleGetGlobal(&shift, &bytes, module, "shift"));
    HOLDS(bytes == sizeof sum);
    sum = 100;
    DO(cuMemcpyHtoD(shift, &sum, sizeof sum));
    struct {
        CUdeviceptr out, in;
        float factor;
        int n;
    } block = {in, out, 1, N};
    size_t size = sizeof block;
    void *extra[] = {CU_LAUNCH_PARAM_BUFFER_POINTER, &block, CU_LAUNCH_PARAM_BUFFER_SIZE,
                     &size, CU_LAUNCH_PARAM_END};

    DO(cuLaunchKernel(scale, CTAS, 1, 1, THREADS, 1, 1, 0, NULL, NULL, extra));
    DO(cuMemcpyDtoH(host, in, sizeof host));
    HOLDS(host[0] == 103 && host[N - 1] == 3 * (N - 1) + 103);
    size = 20;
    HOLDS(cuLaunchKernel(scale, CTAS, 1, 1, THREADS, 1, 1, 0, NULL, NULL, extra) ==
          CUDA_ERROR_INVALID_VALUE);
    HOLDS(cuLaunchKernel(scale, CTAS, 1, 1, THREADS, 1, 1, 0, NULL, NULL, NULL) ==
          CUDA_ERROR_INVALID_VALUE);
    HOLDS(cuLaunchKernel((CUfunction)&size, 1, 1, 1, 1, 1, 1, 0, NULL, args, NULL) ==
          CUDA_ERROR_INVALID_HANDLE);

    CUlaunchConfig config = {CTAS, 1, 1, THREADS, 1, 1, 0, NULL, NULL, 0};
    CUlaunchAttribute alone;

    DO(cuLaunchKernelEx(&config, scale, args, NULL));
    alone.id = CU_LAUNCH_ATTRIBUTE_COOPERATIVE;
    alone.value.cooperative = 1;
    config.attrs = &alone;
    config.numAttrs = 1;
    config.gridDimX = 2; /* all resident at the same time, also on a small device */
    DO(cuLaunchKernelEx(&config, scale, args, NULL));
    DO(cuLaunchCooperativeKernel(scale, 2, 1, 1, THREADS, 1, 1, 0, NULL, args));
    DO(cuModuleGetGlobal(&done, NULL, module, "done"));
    DO(cuMemcpyDtoH(&count, done, sizeof count));
    HOLDS(count == 3 * N + 2 * 2 * THREADS);
    DO(cuMemFree(in));
    DO(cuMemFree(out));
}

/* Objects that one of the two creates are valid in the other. */
static void about_both(CUfunction scale)
{
    CUdeviceptr ours;
    float *theirs, factor = 1, ms = -1;
    int n = N;
    cudaStream_t stream;
    CUevent from, to;
    cudaFunction_t function;
    cudaPointerAttributes about;
    unsigned type = 0;

    DO(cuMemAlloc(&ours, sizeof host));
    MUST(cudaMalloc(&theirs, sizeof host));
    MUST(cudaStreamCreate(&stream));
    DO(cuEventCreate(&from, CU_EVENT_DEFAULT));
    DO(cuEventCreate(&to, CU_EVENT_DEFAULT));
    reset();
    MUST(cudaMemcpyAsync((void *)ours, host, sizeof host, cudaMemcpyHostToDevice, stream));
    DO(cuEventRecord(from, stream));
    twice<<<CTAS, THREADS, 0, stream>>>((float *)ours, N);
    void *args[] = {&theirs, &ours, &factor, &n};

    DO(cuLaunchKernel(scale, CTAS, 1, 1, THREADS, 1, 1, 0, stream, args, NULL));
    MUST(cudaGetFuncBySymbol(&function, (const void *)twice));
    void *more[] = {&theirs, &n};

    DO(cuLaunchKernel(function, CTAS, 1, 1, THREADS, 1, 1, 0, stream, more, NULL));
    DO(cuEventRecord(to, stream));
    DO(cuMemcpyDtoHAsync(host, (CUdeviceptr)theirs, sizeof host, stream));
    DO(cuStreamSynchronize(stream));
    HOLDS(host[0] == 200 && host[N - 1] == 2 * (2 * (N - 1) + 100));
    DO(cuEventElapsedTime(&ms, from, to));
    HOLDS(ms >= 0 && cuStreamQuery(stream) == CUDA_SUCCESS);
    MUST(cudaPointerGetAttributes(&about, (void *)ours));
    HOLDS(about.type == cudaMemoryTypeDevice);
    DO(cuPointerGetAttribute(&type, CU_POINTER_ATTRIBUTE_MEMORY_TYPE, (CUdeviceptr)theirs));
    HOLDS(type == CU_MEMORYTYPE_DEVICE);
    DO(cuMemFree((CUdeviceptr)theirs));
    MUST(cudaFree((void *)ours));
    DO(cuEventDestroy(from));
    MUST(cudaEventDestroy(to));
    DO(cuStreamDestroy(stream));
    /* The runtime does not report the driver's errors. */
    HOLDS(cuMemFree(12345) == CUDA_ERROR_INVALID_VALUE);
    HOLDS(cudaGetLastError() == cudaSuccess);
}

static void called(void *context)
{
    ++*(int *)context;
}

static void about_memory()
{
    enum { WIDTH = 60, HEIGHT = 20 };
    static unsigned cells[HEIGHT][WIDTH];
    CUdeviceptr at, base;
    size_t pitch = 0, bytes = 0;
    CUDA_MEMCPY2D copy = {};
    void *pinned;
    CUdeviceptr noted;
    int calls = 0;

    DO(cuMemAllocPitch(&at, &pitch, WIDTH * 4, HEIGHT, 4));
    HOLDS(pitch >= WIDTH * 4 && pitch % 4 == 0);
    DO(cuMemsetD2D32(at, pitch, 0x01020304, WIDTH, HEIGHT));
    DO(cuMemsetD2D8(at + 4, pitch, 7, 4, HEIGHT));
    DO(cuMemsetD16(at + 8, 0x1234, 2));
    copy.srcMemoryType = CU_MEMORYTYPE_DEVICE;
    copy.srcDevice = at;
    copy.srcPitch = pitch;
    copy.dstMemoryType = CU_MEMORYTYPE_HOST;
    copy.dstHost = cells;
    copy.dstPitch = sizeof cells[0];
    copy.WidthInBytes = sizeof cells[0];
    copy.Height = HEIGHT;
    DO(cuMemcpy2D(&copy));
    copy.srcPitch = 0; /* allowed for a single row */
    HOLDS(cuMemcpy2D(&copy) == CUDA_ERROR_INVALID_VALUE);
    HOLDS(cells[0][0] == 0x01020304 && cells[19][59] == 0x01020304);
    HOLDS(cells[19][1] == 0x07070707);
    HOLDS(cells[0][2] == 0x12341234 && cells[1][2] != 0x12341234);
    HOLDS(cuMemsetD32(at + 2, 5, 1) == CUDA_ERROR_INVALID_VALUE);
    HOLDS(cuMemsetD2D32(at, 8, 5, 3, 2) == CUDA_ERROR_INVALID_VALUE);
    DO(cuMemsetD2D32(at, 0, 5, 3, 1));
    DO(cuMemGetAddressRange(&base, &bytes, at + 100));
    HOLDS(base == at && bytes == pitch * HEIGHT);
    HOLDS(cuMemGetAddressRange(&base, &bytes, 4096) == CUDA_ERROR_NOT_FOUND);
    DO(cuMemFree(at));
    /* More than the host's allocation unit. */
    DO(cuMemAlloc(&at, 3 << 20));
    DO(cuMemsetD32(at, 0xdeadbeef, (3 << 18) - 1));
    DO(cuMemcpyDtoH(cells, at + (3 << 20) - 12, 8));
    HOLDS(cells[0][0] == 0xdeadbeef && cells[0][1] == 0xdeadbeef);
    DO(cuMemHostAlloc(&pinned, 4096, CU_MEMHOSTALLOC_DEVICEMAP));
    DO(cuMemHostGetDevicePointer(&noted, pinned, 0));
    CUpointer_attribute attributes[] = {CU_POINTER_ATTRIBUTE_MEMORY_TYPE,
                                   CU_POINTER_ATTRIBUTE_RANGE_SIZE};
    unsigned type = 7;
    void *info[] = {&type, &bytes};

    DO(cuPointerGetAttributes(2, attributes, info, (CUdeviceptr)pinned));
    HOLDS(type == CU_MEMORYTYPE_HOST && bytes == 4096);
    /* Not a device pointer. */
    DO(cuPointerGetAttributes(2, attributes, info, (CUdeviceptr)cells));
    HOLDS(type == 0 && bytes == 0);
    HOLDS(cuPointerGetAttribute(&type, attributes[0], (CUdeviceptr)cells) ==
          CUDA_ERROR_INVALID_VALUE);
    DO(cuMemcpyDtoH(pinned, at, 4096));
    HOLDS(*(unsigned *)pinned == 0xdeadbeef && noted);
    DO(cuLaunchHostFunc(NULL, called, &calls));
    DO(cuCtxSynchronize());
    HOLDS(calls == 1);
    DO(cuMemFreeHost(pinned));
    DO(cuMemFree(at));
}

int main()
{
    CUdevice device = 7;
    CUcontext context, other;
    CUmodule module;
    CUfunction scale;
    CUdeviceptr none;
    int count, threads = 0;

    HOLDS(cuDeviceGetCount(&count) == CUDA_ERROR_NOT_INITIALIZED);
    DO(cuInit(0));
    HOLDS(cuMemAlloc(&none, 4) == CUDA_ERROR_INVALID_CONTEXT);
    DO(cuDeviceGet(&device, 0));
    about_the_device(device);
    DO(cuCtxCreate(&context, NULL, CU_CTX_SCHED_AUTO, device));
    about_contexts(device, context);
    about_threads(context);
    DO(cuModuleLoadData(&module, scale_text));
    DO(cuModuleGetFunction(&scale, module, "scale"));
    DO(cuFuncGetAttribute(&threads, CU_FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK, scale));
    HOLDS(threads == 1024);
    DO(cuOccupancyMaxPotentialBlockSize(&count, &threads, scale, NULL, 0, 0));
    HOLDS(count > 0 && threads > 0);
    about_launches(scale, module);
    about_both(scale);
    about_memory();
    DO(cuModuleUnload(module));
    DO(cuCtxDestroy(context));
    DO(cuCtxGetCurrent(&other));
    HOLDS(other != context);
    printf("driver: %g\n", host[N - 1]);
    return 0;
}
