/* SPDX-License-Identifier: Apache-2.0 */
/* Rare kinds of textures: layered lines and cubes, levels and gradients without mipmaps,
   half floats, sRGB, texture queries, and array copies across rows. */
#include "textures.cuh"
#include <cuda_fp16.h>

__global__ void lines(float *out, cudaTextureObject_t t, int width)
{
    int x = threadIdx.x, layer = blockIdx.x;

    out[layer * width + x] = tex1DLayered<float>(t, x + 0.5f, layer) + layer;
}

static void lines_in_layers()
{
    enum { W = 40, L = 9 };
    static float in[L][W], out[L][W];
    cudaChannelFormatDesc channel = cudaCreateChannelDesc<float>();
    cudaArray_t array;
    cudaMemcpy3DParms copy = {};
    float *result;

    fill(&in[0][0], L * W);
    MUST(cudaMalloc(&result, sizeof out));
    MUST(cudaMalloc3DArray(&array, &channel, make_cudaExtent(W, 0, L), cudaArrayLayered));
    copy.srcPtr = make_cudaPitchedPtr(in, sizeof in[0], W, 1);
    copy.dstArray = array;
    copy.extent = make_cudaExtent(W, 1, L);
    copy.kind = cudaMemcpyHostToDevice;
    MUST(cudaMemcpy3D(&copy));
    cudaTextureObject_t t = texture_of(array, cudaTextureDesc());

    lines<<<L, W>>>(result, t, W);
    MUST(cudaMemcpy(out, result, sizeof out, cudaMemcpyDeviceToHost));
    for (int l = 0; l < L; l++)
        for (int x = 0; x < W; x++)
            HOLDS(out[l][x] == in[l][x] + l);
    MUST(cudaDestroyTextureObject(t));
    MUST(cudaFreeArray(array));
    MUST(cudaFree(result));
}

/* Face 4 looks along z, with rows from top to bottom. */
__global__ void faces(float *out, cudaTextureObject_t t, int width)
{
    int x = threadIdx.x, y = blockIdx.x, layer = blockIdx.y;
    float u = (x + 0.5f) / width * 2 - 1, v = (y + 0.5f) / width * 2 - 1;

    out[(layer * width + y) * width + x] = texCubemapLayered<float>(t, u, -v, 1, layer);
}

static void cubes_in_layers()
{
    enum { W = 16, L = 3 };
    static float in[L][6][W][W], out[L][W][W];
    cudaChannelFormatDesc channel = cudaCreateChannelDesc<float>();
    cudaArray_t array;
    cudaMemcpy3DParms copy = {};
    cudaTextureDesc how = {};
    float *result;

    fill(&in[0][0][0][0], L * 6 * W * W);
    MUST(cudaMalloc(&result, sizeof out));
    MUST(cudaMalloc3DArray(&array, &channel, make_cudaExtent(W, W, 6 * L),
                           cudaArrayCubemap | cudaArrayLayered));
    copy.srcPtr = make_cudaPitchedPtr(in, W * sizeof(float), W, W);
    copy.dstArray = array;
    copy.extent = make_cudaExtent(W, W, 6 * L);
    copy.kind = cudaMemcpyHostToDevice;
    MUST(cudaMemcpy3D(&copy));
    how.normalizedCoords = 1;
    cudaTextureObject_t t = texture_of(array, how);

    faces<<<dim3(W, L), W>>>(result, t, W);
    MUST(cudaMemcpy(out, result, sizeof out, cudaMemcpyDeviceToHost));
    for (int l = 0; l < L; l++)
        HOLDS(!memcmp(out[l], in[l][4], sizeof out[l]));
    MUST(cudaDestroyTextureObject(t));
    MUST(cudaFreeArray(array));
    MUST(cudaFree(result));
}

/* There is a single level, whatever level is requested. */
__global__ void levels(float *out, cudaTextureObject_t t, int width, float level)
{
    int x = threadIdx.x, y = blockIdx.x;
    float2 along = make_float2(level, 0), down = make_float2(0, level);

    out[2 * (y * width + x)] = tex2DLod<float>(t, x + 0.5f, y + 0.5f, level);
    out[2 * (y * width + x) + 1] = tex2DGrad<float>(t, x + 0.5f, y + 0.5f, along, down);
}

__device__ static unsigned query_size(cudaTextureObject_t t, bool of_height)
{
    unsigned is;

    if (of_height)
        asm("txq.height.b32 %0, [%1];" : "=r"(is) : "l"(t));
    else
        asm("txq.width.b32 %0, [%1];" : "=r"(is) : "l"(t));
    return is;
}

__global__ void sizes(unsigned *out, cudaTextureObject_t t, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;

    if (i < n)
        out[i] = query_size(t, i & 1) * 1000 + i;
}

static void levels_and_sizes()
{
    enum { W = 24, H = 10 };
    static float in[H][W], out[H][W][2];
    unsigned size[256], *d_size;
    cudaArray_t array = fill_2d(&in[0][0], W, H);
    cudaTextureObject_t t = texture_of(array, cudaTextureDesc());
    float *result;

    MUST(cudaMalloc(&result, sizeof out));
    MUST(cudaMalloc(&d_size, sizeof size));
    levels<<<H, W>>>(result, t, W, 0);
    MUST(cudaMemcpy(out, result, sizeof out, cudaMemcpyDeviceToHost));
    for (int y = 0; y < H; y++)
        for (int x = 0; x < W; x++)
            HOLDS(out[y][x][0] == in[y][x] && out[y][x][1] == in[y][x]);
    sizes<<<8, 32>>>(d_size, t, 256);
    MUST(cudaMemcpy(size, d_size, sizeof size, cudaMemcpyDeviceToHost));
    for (unsigned n = 0; n < 256; n++)
        HOLDS(size[n] == (n & 1 ? H : W) * 1000 + n);
    MUST(cudaDestroyTextureObject(t));
    MUST(cudaFreeArray(array));
    MUST(cudaFree(result));
    MUST(cudaFree(d_size));
}

__global__ void read_plane(float *out, cudaTextureObject_t t, int width)
{
    int x = threadIdx.x, y = blockIdx.x;

    out[y * width + x] = tex2D<float>(t, x + 0.5f, y + 0.5f) * 2;
}

static void halves()
{
    enum { W = 33, H = 7 };
    static __half in[H][W];
    static float out[H][W];
    cudaChannelFormatDesc channel =
        cudaCreateChannelDesc(16, 0, 0, 0, cudaChannelFormatKindFloat);
    cudaArray_t array;
    float *result;

    for (int n = 0; n < W * H; n++)
        in[n / W][n % W] = __float2half((n - 100) * 0.125f);
    MUST(cudaMalloc(&result, sizeof out));
    MUST(cudaMallocArray(&array, &channel, W, H));
    MUST(cudaMemcpy2DToArray(array, 0, 0, in, sizeof in[0], sizeof in[0], H,
                             cudaMemcpyHostToDevice));
    cudaTextureObject_t t = texture_of(array, cudaTextureDesc());

    read_plane<<<H, W>>>(result, t, W);
    MUST(cudaMemcpy(out, result, sizeof out, cudaMemcpyDeviceToHost));
    for (int n = 0; n < W * H; n++)
        HOLDS(out[n / W][n % W] == (n - 100) * 0.25f);
    MUST(cudaDestroyTextureObject(t));
    MUST(cudaFreeArray(array));
    MUST(cudaFree(result));
}

__global__ void read_color(float4 *out, cudaTextureObject_t t, int width)
{
    int x = threadIdx.x, y = blockIdx.x;

    out[y * width + x] = tex2D<float4>(t, x + 0.5f, y + 0.5f);
}

/* As an 8-bit number: the last digits of an H100 differ from the formula. */
static bool is_srgb(double linear, int of)
{
    double c = linear <= 0.0031308 ? linear * 12.92 : 1.055 * pow(linear, 1 / 2.4) - 0.055;

    return fabs(255 * c - of) < 0.6;
}

static void colors()
{
    enum { W = 32, H = 8 };
    static uchar4 in[H][W];
    static float4 out[H][W];
    cudaChannelFormatDesc channel = cudaCreateChannelDesc<uchar4>();
    cudaArray_t array;
    cudaTextureDesc how = {};
    float4 *result;

    for (int n = 0; n < W * H; n++)
        in[n / W][n % W] = make_uchar4(n, 255 - n, n * 7 % 256, n);
    MUST(cudaMalloc(&result, sizeof out));
    MUST(cudaMallocArray(&array, &channel, W, H));
    MUST(cudaMemcpy2DToArray(array, 0, 0, in, sizeof in[0], sizeof in[0], H,
                             cudaMemcpyHostToDevice));
    how.readMode = cudaReadModeNormalizedFloat;
    how.sRGB = 1;
    cudaTextureObject_t t = texture_of(array, how);

    read_color<<<H, W>>>(result, t, W);
    MUST(cudaMemcpy(out, result, sizeof out, cudaMemcpyDeviceToHost));
    for (int n = 0; n < W * H; n++) {
        const float4 is = out[n / W][n % W];
        const uchar4 was = in[n / W][n % W];

        HOLDS(is_srgb(is.x, was.x));
        HOLDS(is_srgb(is.y, was.y));
        HOLDS(is_srgb(is.z, was.z));
        /* not the alpha channel */
        HOLDS(near(is.w, was.w / 255.0));
    }
    printf("sRGB %.5f %.5f %.5f\n", out[0][9].x, out[2][0].x, out[6][8].x);
    MUST(cudaDestroyTextureObject(t));
    MUST(cudaFreeArray(array));
    MUST(cudaFree(result));
}

/* A deprecated call of old programs. */
#pragma GCC diagnostic ignored "-Wdeprecated-declarations"

/* From the middle of a row to the same column of another row, across several rows. */
static void across_rows()
{
    enum { W = 20, H = 9, FROM = 27, TO = 47, COUNT = 95 };
    static float in[H][W], was[H][W], out[H][W];
    cudaArray_t from = fill_2d(&in[0][0], W, H), to = fill_2d(&was[0][0], W, H);

    for (int n = 0; n < W * H; n++)
        (&was[0][0])[n] = (float)-n;
    MUST(cudaMemcpy2DToArray(to, 0, 0, was, sizeof was[0], sizeof was[0], H,
                             cudaMemcpyHostToDevice));
    MUST(cudaMemcpyArrayToArray(to, TO % W * 4, TO / W, from, FROM % W * 4, FROM / W,
                                COUNT * 4, cudaMemcpyDeviceToDevice));
    MUST(cudaMemcpy2DFromArray(out, sizeof out[0], to, 0, 0, sizeof out[0], H,
                               cudaMemcpyDeviceToHost));
    for (int n = 0; n < W * H; n++) {
        const bool is_copied = n >= TO && n < TO + COUNT;

        HOLDS((&out[0][0])[n] ==
              (is_copied ? (&in[0][0])[n - TO + FROM] : (&was[0][0])[n]));
    }
    MUST(cudaFreeArray(from));
    MUST(cudaFreeArray(to));
}

int main()
{
    lines_in_layers();
    cubes_in_layers();
    levels_and_sizes();
    halves();
    colors();
    across_rows();
    printf("texture kinds: as the guide says\n");
    return 0;
}
