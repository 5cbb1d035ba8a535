/* SPDX-License-Identifier: Apache-2.0 */
/* Modules that a program loads explicitly: twice, with options, from a file, linked, or as
   a library; error texts; textures, graphs, and functions looked up by name. */
#include "driver.cuh"
#include <cstdio>
#include <cstring>
#include <unistd.h>

enum { N = 6000, THREADS = 128, CTAS = (N + THREADS - 1) / THREADS };

static const char half_text[] = R"(
.version 7.8
.target sm_80
.address_size 64
.extern .func (.param .f32 result) changed(.param .f32 value);
.visible .const .align 4 .u32 unused;
.visible .entry change(.param .u64 x, .param .u32 n)
{
    .reg .pred %p<2>;
    .reg .f32 %f<3>;
    .reg .b32 %r<6>;
    .reg .b64 %rd<5>;
    ld.param.u64 %rd1, [x];
    ld.param.u32 %r1, [n];
    mov.u32 %r2, %ctaid.x;
    mov.u32 %r3, %ntid.x;
    mov.u32 %r4, %tid.x;
    mad.lo.s32 %r5, %r2, %r3, %r4;
    setp.ge.s32 %p1, %r5, %r1;
    @%p1 bra END;
    cvta.to.global.u64 %rd2, %rd1;
    mul.wide.s32 %rd3, %r5, 4;
    add.s64 %rd4, %rd2, %rd3;
    ld.global.f32 %f1, [%rd4];
    {
    .param .f32 given;
    .param .f32 back;
    st.param.f32 [given], %f1;
    call (back), changed, (given);
    ld.param.f32 %f2, [back];
    }
    st.global.f32 [%rd4], %f2;
END:
    ret;
}
)";
static const char other_half_text[] = R"(
.version 7.8
.target sm_80
.address_size 64
.visible .func (.param .f32 result) changed(.param .f32 value)
{
    .reg .f32 %f<3>;
    ld.param.f32 %f1, [value];
    add.f32 %f2, %f1, 0f3F800000;
    st.param.f32 [result], %f2;
    ret;
}
)";
/* out[i] = texel i of the texture */
static const char fetch_text[] = R"(
.version 7.8
.target sm_80
.address_size 64
.visible .entry fetch(.param .u64 out, .param .u64 texture)
{
    .reg .f32 %f<5>;
    .reg .b32 %r<5>;
    .reg .b64 %rd<6>;
    ld.param.u64 %rd1, [out];
    ld.param.u64 %rd2, [texture];
    mov.u32 %r1, %ctaid.x;
    mov.u32 %r2, %ntid.x;
    mov.u32 %r3, %tid.x;
    mad.lo.s32 %r4, %r1, %r2, %r3;
    cvt.rn.f32.s32 %f0, %r4;
    add.f32 %f0, %f0, 0f3f000000;
    tex.1d.v4.f32.f32 {%f1, %f2, %f3, %f4}, [%rd2, {%f0}];
    cvta.to.global.u64 %rd3, %rd1;
    mul.wide.s32 %rd4, %r4, 4;
    add.s64 %rd5, %rd3, %rd4;
    st.global.f32 [%rd5], %f1;
    ret;
}
)";

static float host[N];
static CUdeviceptr x;

static void scale_by(CUfunction scale, float factor)
{
    int n = N;
    void *args[] = {&x, &x, &factor, &n};

    DO(cuLaunchKernel(scale, CTAS, 1, 1, THREADS, 1, 1, 0, NULL, args, NULL));
}

static unsigned count_of(CUmodule module)
{
    CUdeviceptr done;
    unsigned count;

    DO(cuModuleGetGlobal(&done, NULL, module, "done"));
    DO(cuMemcpyDtoH(&count, done, sizeof count));
    return count;
}

/* Each loaded module has variables of its own with their initial values. */
static void load_twice()
{
    CUmodule one, other;
    CUfunction of_one, of_other, none;

    DO(cuModuleLoadData(&one, scale_text));
    DO(cuModuleLoadData(&other, scale_text));
    DO(cuModuleGetFunction(&of_one, one, "scale"));
    DO(cuModuleGetFunction(&of_other, other, "scale"));
    HOLDS(one != other && of_one != of_other);
    scale_by(of_one, 1);
    scale_by(of_one, 1);
    scale_by(of_other, 1);
    HOLDS(count_of(one) == 2 * N && count_of(other) == N);
    DO(cuModuleUnload(one));
    HOLDS(cuModuleGetFunction(&none, one, "scale") == CUDA_ERROR_INVALID_HANDLE);
    HOLDS(cuLaunchKernel(of_one, 1, 1, 1, 1, 1, 1, 0, NULL, NULL, NULL) ==
          CUDA_ERROR_INVALID_HANDLE);
    DO(cuModuleLoadData(&one, scale_text));
    HOLDS(count_of(one) == 0);
    DO(cuModuleUnload(one));
    DO(cuModuleUnload(other));
}

static void print_faults()
{
    char log[500] = "?";
    CUjit_option options[] = {CU_JIT_ERROR_LOG_BUFFER, CU_JIT_ERROR_LOG_BUFFER_SIZE_BYTES,
                              CU_JIT_MAX_REGISTERS};
    void *values[] = {log, (void *)sizeof log, (void *)32};
    CUmodule module;
    CUfunction function;
    CUdeviceptr variable;

    HOLDS(cuModuleLoadDataEx(&module,
                             ".version 7.8\n.target sm_80\n.address_size 64\n"
                             ".visible .entry f() { mov.u32 %r1 %r2; }",
                             3, options, values) == CUDA_ERROR_INVALID_PTX);
    HOLDS(strstr(log, ":4:") && (size_t)values[1] > 10);
    values[1] = (void *)sizeof log;
    /* A module that the device refuses leaves no object. */
    HOLDS(cuModuleLoadDataEx(&module, half_text, 3, options, values) != CUDA_SUCCESS);
    HOLDS(strstr(log, "changed"));
    values[1] = (void *)sizeof log;
    HOLDS(cuModuleLoadDataEx(&module, "\177ELF", 3, options, values) ==
          CUDA_ERROR_NO_BINARY_FOR_GPU);
    HOLDS(strstr(log, "cubin"));
    values[1] = (void *)sizeof log;
    HOLDS(cuModuleLoadDataEx(&module, "\1\2", 3, options, values) ==
          CUDA_ERROR_INVALID_IMAGE);
    HOLDS(cuModuleLoad(&module, "/nowhere.ptx") == CUDA_ERROR_FILE_NOT_FOUND);
    DO(cuModuleLoadDataEx(&module, scale_text, 0, NULL, NULL));
    HOLDS(cuModuleGetFunction(&function, module, "scales") == CUDA_ERROR_NOT_FOUND);
    HOLDS(cuModuleGetGlobal(&variable, NULL, module, "scale") == CUDA_ERROR_NOT_FOUND);
    DO(cuModuleUnload(module));
    MUST(cudaGetLastError());
}

static void load_file()
{
    char path[] = "/tmp/driver_modules.XXXXXX";
    int file = mkstemp(path);
    CUmodule module;
    CUfunction scale;

    HOLDS(file >= 0 && write(file, scale_text, sizeof scale_text - 1) > 0);
    close(file);
    DO(cuModuleLoad(&module, path));
    remove(path);
    DO(cuModuleGetFunction(&scale, module, "scale"));
    scale_by(scale, 2);
    HOLDS(count_of(module) == N);
}

static void link_two()
{
    CUlinkState link;
    CUmodule module;
    CUfunction change;
    void *cubin;
    size_t bytes;
    int n = N;
    void *args[] = {&x, &n};

    DO(cuLinkCreate(0, NULL, NULL, &link));
    DO(cuLinkAddData(link, CU_JIT_INPUT_PTX, (void *)half_text, sizeof half_text, "half", 0,
                     NULL, NULL));
    DO(cuLinkAddData(link, CU_JIT_INPUT_PTX, (void *)other_half_text,
                     sizeof other_half_text, "other", 0, NULL, NULL));
    DO(cuLinkComplete(link, &cubin, &bytes));
    DO(cuModuleLoadData(&module, cubin));
    DO(cuLinkDestroy(link));
    DO(cuModuleGetFunction(&change, module, "change"));
    DO(cuLaunchKernel(change, CTAS, 1, 1, THREADS, 1, 1, 0, NULL, args, NULL));
}

static void load_library()
{
    CUlibrary library;
    CUkernel kernel, listed;
    CUfunction function;
    CUmodule module;
    unsigned count = 0;
    const char *name = "";
    float factor = 0.5f;
    int n = N;
    void *args[] = {&x, &x, &factor, &n};
    CUlaunchConfig config = {CTAS, 1, 1, THREADS, 1, 1, 0, NULL, NULL, 0};

    DO(cuLibraryLoadData(&library, scale_text, NULL, NULL, 0, NULL, NULL, 0));
    DO(cuLibraryGetKernelCount(&count, library));
    HOLDS(count == 1);
    DO(cuLibraryEnumerateKernels(&listed, 1, library));
    DO(cuLibraryGetKernel(&kernel, library, "scale"));
    HOLDS(listed == kernel);
    DO(cuKernelGetFunction(&function, kernel));
    DO(cuFuncGetName(&name, function));
    HOLDS(strcmp(name, "scale") == 0);
    DO(cuLaunchKernelEx(&config, (CUfunction)kernel, args, NULL));
    MUST(cudaLaunchKernel(kernel, CTAS, THREADS, args, 0, 0));
    DO(cuLibraryGetModule(&module, library));
    HOLDS(count_of(module) == 2 * N);
    DO(cuLibraryUnload(library));
}

/* The same with the runtime's functions. */
static void load_library_by_runtime()
{
    cudaLibrary_t library;
    cudaKernel_t kernel, listed;
    float factor = 1;
    int n = N;
    unsigned count = 0;
    void *args[] = {&x, &x, &factor, &n}, *done;
    size_t bytes = 0;

    MUST(cudaLibraryLoadData(&library, scale_text, NULL, NULL, 0, NULL, NULL, 0));
    MUST(cudaLibraryGetKernelCount(&count, library));
    HOLDS(count == 1);
    MUST(cudaLibraryEnumerateKernels(&listed, 1, library));
    MUST(cudaLibraryGetKernel(&kernel, library, "scale"));
    HOLDS(listed == kernel);
    MUST(cudaLaunchKernel(kernel, CTAS, THREADS, args, 0, 0));
    MUST(cudaLibraryGetGlobal(&done, &bytes, library, "done"));
    MUST(cudaMemcpy(&count, done, bytes, cudaMemcpyDeviceToHost));
    HOLDS(count == N);
    HOLDS(cudaLibraryGetKernel(&kernel, library, "none") == cudaErrorSymbolNotFound);
    MUST(cudaLibraryUnload(library));
    HOLDS(cudaLaunchKernel(listed, CTAS, THREADS, args, 0, 0) ==
          cudaErrorInvalidResourceHandle);
    HOLDS(cudaGetLastError() == cudaErrorInvalidResourceHandle);
}

static void read_texture()
{
    CUDA_ARRAY_DESCRIPTOR shape = {N, 0, CU_AD_FORMAT_FLOAT, 1}, info;
    CUDA_RESOURCE_DESC resource = {};
    CUDA_TEXTURE_DESC how = {};
    CUDA_MEMCPY3D part = {};
    static float some[N];
    CUarray array;
    CUtexObject texture;
    CUmodule module;
    CUfunction fetch;
    CUdeviceptr out;

    DO(cuArrayCreate(&array, &shape));
    DO(cuArrayGetDescriptor(&info, array));
    HOLDS(info.Width == N && info.Format == CU_AD_FORMAT_FLOAT && info.NumChannels == 1);
    DO(cuMemcpyDtoA(array, 0, x, N * sizeof(float)));
    part.srcMemoryType = CU_MEMORYTYPE_ARRAY;
    part.srcArray = array;
    part.srcXInBytes = 400;
    part.dstMemoryType = CU_MEMORYTYPE_HOST;
    part.dstHost = some;
    part.dstXInBytes = 8;
    part.WidthInBytes = 40;
    part.Height = part.Depth = 1;
    DO(cuMemcpy3D(&part));
    DO(cuMemcpyDtoH(host, x, sizeof host));
    HOLDS(some[1] == 0 && some[2] == host[100] && some[11] == host[109] && some[12] == 0);
    part.WidthInBytes = 42; /* not a multiple of the element size */
    HOLDS(cuMemcpy3D(&part) == CUDA_ERROR_INVALID_VALUE);
    resource.resType = CU_RESOURCE_TYPE_ARRAY;
    resource.res.array.hArray = array;
    DO(cuTexObjectCreate(&texture, &resource, &how, NULL));
    DO(cuModuleLoadData(&module, fetch_text));
    DO(cuModuleGetFunction(&fetch, module, "fetch"));
    DO(cuMemAlloc(&out, N * sizeof(float)));
    void *args[] = {&out, &texture};

    DO(cuLaunchKernel(fetch, N / 100, 1, 1, 100, 1, 1, 0, NULL, args, NULL));
    DO(cuMemcpyDtoD(x, out, N * sizeof(float)));
    DO(cuTexObjectDestroy(texture));
    DO(cuArrayDestroy(array));
    DO(cuMemFree(out));
}

/* Graphs by stream capture and by explicit nodes. */
static void launch_graphs()
{
    CUmodule module;
    CUfunction scale;
    CUstream stream;
    CUgraph captured, made;
    CUgraphExec exec;
    CUgraphNode node;
    CUDA_KERNEL_NODE_PARAMS kernel = {};
    float factor = 1;
    int n = N;
    void *args[] = {&x, &x, &factor, &n};

    DO(cuModuleLoadData(&module, scale_text));
    DO(cuModuleGetFunction(&scale, module, "scale"));
    DO(cuStreamCreate(&stream, CU_STREAM_NON_BLOCKING));
    DO(cuStreamBeginCapture(stream, CU_STREAM_CAPTURE_MODE_GLOBAL));
    DO(cuLaunchKernel(scale, CTAS, 1, 1, THREADS, 1, 1, 0, stream, args, NULL));
    DO(cuStreamEndCapture(stream, &captured));
    DO(cuGraphInstantiate(&exec, captured, 0));
    DO(cuGraphLaunch(exec, stream));
    DO(cuStreamSynchronize(stream));
    DO(cuGraphExecDestroy(exec));
    DO(cuGraphCreate(&made, 0));
    kernel.func = scale;
    kernel.gridDimX = CTAS;
    kernel.gridDimY = kernel.gridDimZ = kernel.blockDimY = kernel.blockDimZ = 1;
    kernel.blockDimX = THREADS;
    kernel.kernelParams = args;
    DO(cuGraphAddKernelNode(&node, made, NULL, 0, &kernel));
    DO(cuGraphInstantiate(&exec, made, 0));
    DO(cuGraphLaunch(exec, stream));
    DO(cuStreamSynchronize(stream));
    HOLDS(count_of(module) == 2 * N);
    DO(cuStreamDestroy(stream));
}

static void find_by_name()
{
    CUresult (*allocate)(CUdeviceptr *, size_t), (*of_old)(unsigned *, unsigned);
    CUresult (*give_back)(CUdeviceptr);
    void *none;
    cudaDriverEntryPointQueryResult how;
    CUdriverProcAddressQueryResult result;
    CUdeviceptr p = 0;

    MUST(cudaGetDriverEntryPointByVersion("cuMemAlloc", (void **)&allocate, 12000,
                                          cudaEnableDefault, &how));
    HOLDS(how == cudaDriverEntryPointSuccess);
    DO(cuGetProcAddress("cuMemFree", (void **)&give_back, CUDA_VERSION,
                        CU_GET_PROC_ADDRESS_DEFAULT, &result));
    DO(allocate(&p, 100));
    DO(give_back(p));
    DO(cuGetProcAddress("cuMemAlloc", (void **)&of_old, 2000, CU_GET_PROC_ADDRESS_DEFAULT,
                        &result));
    HOLDS((void *)of_old != (void *)allocate);
    MUST(cudaGetDriverEntryPointByVersion("cuNothing", &none, 12000, cudaEnableDefault,
                                          &how));
    HOLDS(!none && how == cudaDriverEntryPointSymbolNotFound);
    HOLDS(cuGetProcAddress("cuMemPoolCreate", &none, 9000, 0, &result) ==
          CUDA_ERROR_NOT_FOUND);
    HOLDS(result == CU_GET_PROC_ADDRESS_VERSION_NOT_SUFFICIENT);
}

int main()
{
    CUcontext context;

    DO(cuInit(0));
    DO(cuDevicePrimaryCtxRetain(&context, 0));
    DO(cuCtxSetCurrent(context));
    for (int i = 0; i < N; i++)
        host[i] = (float)i;
    DO(cuMemAlloc(&x, sizeof host));
    DO(cuMemcpyHtoD(x, host, sizeof host));
    load_twice();
    print_faults();
    load_file();
    link_two();
    load_library();
    load_library_by_runtime();
    read_texture();
    launch_graphs();
    find_by_name();
    DO(cuMemcpyDtoH(host, x, sizeof host));
    /* ((i + 9) * 2 + 3 + 1) / 4 + 3 / 2 + 3 + 3 + 6 */
    for (int i = 0; i < N; i++)
        HOLDS(host[i] == ((i + 9) * 2 + 4) * 0.25f + 13.5f);
    MUST(cudaDeviceReset());
    DO(cuDevicePrimaryCtxRelease(0));
    printf("driver_modules: %g\n", host[N - 1]);
    return 0;
}
