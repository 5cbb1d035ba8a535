/* SPDX-License-Identifier: Apache-2.0 */
/* Kernels that NVRTC compiles at run time. */
#include "../driver.cuh"
#include <nvrtc.h>
#include <vector>

#define RTC(call)                                                                          \
    do {                                                                                   \
        nvrtcResult result_ = (call);                                                      \
        if (result_ != NVRTC_SUCCESS) {                                                    \
            printf("line %d: %s: %s\n", __LINE__, #call, nvrtcGetErrorString(result_));    \
            exit(1);                                                                       \
        }                                                                                  \
    } while (0)

enum { WIDTH = 256, HEIGHT = 192, CELLS = WIDTH * HEIGHT };

static const char source[] = R"(
__constant__ float weight[2];

template <typename T> __global__ void smooth(const T *in, T *out, int width, int height)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x;
    int y = blockIdx.y * blockDim.y + threadIdx.y, i = y * width + x;

    if (x > 0 && x < width - 1 && y > 0 && y < height - 1)
        out[i] = weight[0] * in[i] + weight[1] * (in[i - width] + in[i + width]);
}
)";

static CUmodule compile(CUfunction *smooth)
{
    const char *options[] = {"--gpu-architecture=compute_80"}, *name;
    nvrtcProgram program;
    size_t bytes;
    CUmodule module;

    RTC(nvrtcCreateProgram(&program, source, "smooth.cu", 0, NULL, NULL));
    RTC(nvrtcAddNameExpression(program, "smooth<float>"));
    RTC(nvrtcCompileProgram(program, 1, options));
    RTC(nvrtcGetLoweredName(program, "smooth<float>", &name));
    RTC(nvrtcGetPTXSize(program, &bytes));
    std::vector<char> text(bytes);

    RTC(nvrtcGetPTX(program, text.data()));
    DO(cuModuleLoadData(&module, text.data()));
    DO(cuModuleGetFunction(smooth, module, name));
    RTC(nvrtcDestroyProgram(&program));
    return module;
}

int main()
{
    static float host[CELLS];
    const float weight[2] = {0.5f, 0.25f};
    int width = WIDTH, height = HEIGHT;
    CUcontext context;
    CUfunction smooth;
    CUdeviceptr in, out, to;
    double sum = 0;

    DO(cuInit(0));
    DO(cuCtxCreate(&context, NULL, 0, 0));
    CUmodule module = compile(&smooth);

    DO(cuModuleGetGlobal(&to, NULL, module, "weight"));
    DO(cuMemcpyHtoD(to, weight, sizeof weight));
    for (int i = 0; i < CELLS; i++)
        host[i] = (float)(i * 7 % 1000);
    DO(cuMemAlloc(&in, sizeof host));
    DO(cuMemAlloc(&out, sizeof host));
    DO(cuMemcpyHtoD(in, host, sizeof host));
    DO(cuMemcpyDtoD(out, in, sizeof host));
    void *there[] = {&in, &out, &width, &height}, *back[] = {&out, &in, &width, &height};

    for (int i = 0; i < 4; i++)
        DO(cuLaunchKernel(smooth, WIDTH / 32, HEIGHT / 8, 1, 32, 8, 1, 0, NULL,
                          i % 2 ? back : there, NULL));
    DO(cuMemcpyDtoH(host, in, sizeof host));
    for (int i = 0; i < CELLS; i++)
        sum += host[i] * (i % 13 + 1);
    printf("%.17g\n", sum);
    return 0;
}
