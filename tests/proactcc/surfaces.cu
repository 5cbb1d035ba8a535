/* SPDX-License-Identifier: Apache-2.0 */
/* Surfaces, and arrays with layers, faces and three dimensions. */
#include "textures.cuh"

__global__ void paint(cudaSurfaceObject_t s, int width, int height, int value)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x,
        y = blockIdx.y * blockDim.y + threadIdx.y;

    if (x < width && y < height)
        surf2Dwrite(value + 3 * x + 1000 * y, s, x * 4, y);
}

__global__ void blur(cudaSurfaceObject_t to, cudaSurfaceObject_t from,
                     cudaTextureObject_t t)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y, left, beside;

    surf2Dread(&left, from, (x - 1) * 4, y, cudaBoundaryModeZero);
    surf2Dread(&beside, from, (x + 1) * 4, y, cudaBoundaryModeClamp);
    surf2Dwrite(left + tex2D<int>(t, x, y) + beside, to, x * 4, y, cudaBoundaryModeZero);
}

/* A kernel writes through a surface, and another one reads through a texture. */
static void painted()
{
    enum { W = 50, H = 9 };
    static int out[H][W];
    cudaChannelFormatDesc channel = cudaCreateChannelDesc<int>();
    cudaArray_t from, to;

    MUST(cudaMallocArray(&from, &channel, W, H, cudaArraySurfaceLoadStore));
    MUST(cudaMallocArray(&to, &channel, W, H, cudaArraySurfaceLoadStore));
    cudaSurfaceObject_t s = surface_of(from), result = surface_of(to);
    cudaTextureObject_t t = texture_of(from, cudaTextureDesc());

    paint<<<dim3(4, 3), dim3(16, 4)>>>(s, W, H, 5);
    blur<<<dim3(2, H), 32>>>(result, s, t); /* 14 threads of a row are outside */
    MUST(cudaMemcpy2DFromArray(out, sizeof out[0], to, 0, 0, sizeof out[0], H,
                               cudaMemcpyDeviceToHost));
    for (int y = 0; y < H; y++)
        for (int x = 0; x < W; x++) {
            int at = 5 + 3 * x + 1000 * y, beside = x + 1 < W ? at + 3 : at;

            HOLDS(out[y][x] == (x ? at - 3 : 0) + at + beside);
        }
    MUST(cudaMemcpy2DArrayToArray(to, 8, 2, from, 0, 1, 12 * 4, 3));
    MUST(cudaMemcpy2DFromArray(out, sizeof out[0], to, 8, 2, 12 * 4, 3,
                               cudaMemcpyDeviceToHost));
    HOLDS(out[1][4] == 5 + 3 * 4 + 2000);
    HOLDS(cudaMemcpy2DFromArray(out, sizeof out[0], to, 8, 2, sizeof out[0], 3,
                                cudaMemcpyDeviceToHost) == cudaErrorInvalidValue);
    MUST(cudaDestroySurfaceObject(s));
    MUST(cudaDestroySurfaceObject(result));
    MUST(cudaDestroyTextureObject(t));
    MUST(cudaFreeArray(from));
    MUST(cudaFreeArray(to));
}

__global__ void read_layers(float *out, cudaTextureObject_t t, int width, int height)
{
    int x = threadIdx.x, y = blockIdx.x, layer = blockIdx.y;

    out[(layer * height + y) * width + x] =
        tex2DLayered<float>(t, (x + 0.5f) / width, (y + 0.5f) / height, layer) - layer;
}

__global__ void read_volume(float *out, cudaTextureObject_t t, int width, int height)
{
    int x = threadIdx.x, y = blockIdx.x, z = blockIdx.y;

    out[(z * height + y) * width + x] = tex3D<float>(t, x + 0.5f, y + 0.5f, z + 1.0f);
}

/* Copies from host or device memory to a complete array. */
static void fill_box(cudaArray_t array, void *from, int width, cudaExtent extent,
                     cudaMemcpyKind kind)
{
    cudaMemcpy3DParms copy = {};

    copy.srcPtr = make_cudaPitchedPtr(from, width * sizeof(float), width, extent.height);
    copy.dstArray = array;
    copy.extent = extent;
    copy.kind = kind;
    MUST(cudaMemcpy3D(&copy));
}

static void layers_and_volume()
{
    enum { W = 32, H = 12, D = 5 };
    static float in[D][H][W], out[D][H][W];
    cudaChannelFormatDesc channel = cudaCreateChannelDesc<float>();
    cudaArray_t array;
    cudaTextureDesc how = {};
    cudaExtent extent = make_cudaExtent(W, H, D), info;
    float *result, *source;
    unsigned flags;

    fill(&in[0][0][0], W * H * D);
    MUST(cudaMalloc(&result, sizeof out));
    MUST(cudaMalloc(&source, sizeof in));
    MUST(cudaMemcpy(source, in, sizeof in, cudaMemcpyHostToDevice));
    MUST(cudaMalloc3DArray(&array, &channel, extent, cudaArrayLayered));
    fill_box(array, in, W, extent, cudaMemcpyHostToDevice);
    how.normalizedCoords = 1;
    how.filterMode = cudaFilterModeLinear;
    cudaTextureObject_t t = texture_of(array, how);

    read_layers<<<dim3(H, D), W>>>(result, t, W, H);
    MUST(cudaMemcpy(out, result, sizeof out, cudaMemcpyDeviceToHost));
    for (int z = 0; z < D; z++)
        for (int y = 0; y < H; y++)
            for (int x = 0; x < W; x++)
                HOLDS(near(out[z][y][x], in[z][y][x] - z));
    MUST(cudaArrayGetInfo(nullptr, &info, &flags, array));
    HOLDS(info.width == W && info.depth == D && flags == cudaArrayLayered);
    MUST(cudaDestroyTextureObject(t));
    MUST(cudaFreeArray(array));

    MUST(cudaMalloc3DArray(&array, &channel, extent));
    fill_box(array, source, W, extent, cudaMemcpyDeviceToDevice);
    how.normalizedCoords = 0;
    how.addressMode[2] = cudaAddressModeClamp;
    t = texture_of(array, how);
    read_volume<<<dim3(H, D), W>>>(result, t, W, H);
    MUST(cudaMemcpy(out, result, sizeof out, cudaMemcpyDeviceToHost));
    for (int z = 0; z < D; z++)
        for (int y = 0; y < H; y++)
            for (int x = 0; x < W; x++)
                HOLDS(near(out[z][y][x],
                           (in[z][y][x] + in[z + 1 < D ? z + 1 : z][y][x]) / 2));
    MUST(cudaDestroyTextureObject(t));
    MUST(cudaFreeArray(array));
    MUST(cudaFree(result));
    MUST(cudaFree(source));
}

/* A direction to the center of texel (x, y) of a face. */
__global__ void look(float *out, cudaTextureObject_t t, int width)
{
    int x = threadIdx.x, y = blockIdx.x, face = blockIdx.y;
    float u = (x + 0.5f) / width * 2 - 1, v = (y + 0.5f) / width * 2 - 1, cx, cy, cz;

    switch (face) {
    case 0:
        cx = 1;
        cy = -v;
        cz = -u;
        break;
    case 1:
        cx = -1;
        cy = -v;
        cz = u;
        break;
    case 2:
        cx = u;
        cy = 1;
        cz = v;
        break;
    case 3:
        cx = u;
        cy = -1;
        cz = -v;
        break;
    case 4:
        cx = u;
        cy = -v;
        cz = 1;
        break;
    default:
        cx = -u;
        cy = -v;
        cz = -1;
        break;
    }
    out[(face * width + y) * width + x] = -texCubemap<float>(t, cx, cy, cz);
}

static void cube()
{
    enum { W = 32 };
    static float in[6][W][W], out[6][W][W];
    cudaChannelFormatDesc channel = cudaCreateChannelDesc<float>();
    cudaArray_t array;
    cudaTextureDesc how = {};
    float *result;

    fill(&in[0][0][0], 6 * W * W);
    MUST(cudaMalloc(&result, sizeof out));
    MUST(cudaMalloc3DArray(&array, &channel, make_cudaExtent(W, W, 6), cudaArrayCubemap));
    fill_box(array, in, W, make_cudaExtent(W, W, 6), cudaMemcpyHostToDevice);
    how.normalizedCoords = 1;
    cudaTextureObject_t t = texture_of(array, how);

    look<<<dim3(W, 6), W>>>(result, t, W);
    MUST(cudaMemcpy(out, result, sizeof out, cudaMemcpyDeviceToHost));
    for (int f = 0; f < 6; f++)
        for (int y = 0; y < W; y++)
            for (int x = 0; x < W; x++)
                HOLDS(out[f][y][x] == -in[f][y][x]);
    MUST(cudaDestroyTextureObject(t));
    MUST(cudaFreeArray(array));
    MUST(cudaFree(result));
}

__global__ void step(float *out, cudaTextureObject_t t, int n)
{
    int i = threadIdx.x;

    if (i < n)
        out[i] = tex1D<float>(t, i + 0.5f) * 2;
}

/* Two deprecated calls of old programs. */
#pragma GCC diagnostic ignored "-Wdeprecated-declarations"

/* A graph with copies to and from an array, launched repeatedly. */
static void replayed()
{
    enum { N = 64, ROUNDS = 5 };
    cudaChannelFormatDesc channel = cudaCreateChannelDesc<float>();
    cudaArray_t array;
    cudaStream_t s;
    cudaGraph_t graph;
    cudaGraphExec_t exec;
    float in[N], out[N], *result;

    fill(in, N);
    MUST(cudaStreamCreate(&s));
    MUST(cudaMalloc(&result, sizeof in));
    MUST(cudaMallocArray(&array, &channel, N));
    MUST(cudaMemcpyToArray(array, 0, 0, in, sizeof in, cudaMemcpyHostToDevice));
    cudaTextureObject_t t = texture_of(array, cudaTextureDesc());

    MUST(cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal));
    step<<<1, N, 0, s>>>(result, t, N);
    MUST(cudaMemcpy2DToArrayAsync(array, 0, 0, result, sizeof in, sizeof in, 1,
                                  cudaMemcpyDeviceToDevice, s));
    MUST(cudaStreamEndCapture(s, &graph));
    MUST(cudaGraphInstantiate(&exec, graph, 0));
    for (int round = 0; round < ROUNDS; round++)
        MUST(cudaGraphLaunch(exec, s));
    MUST(cudaStreamSynchronize(s));
    MUST(cudaMemcpyFromArray(out, array, 0, 0, sizeof out, cudaMemcpyDeviceToHost));
    for (int i = 0; i < N; i++)
        HOLDS(out[i] == in[i] * (1 << ROUNDS));
    MUST(cudaGraphExecDestroy(exec));
    MUST(cudaGraphDestroy(graph));
    MUST(cudaDestroyTextureObject(t));
    MUST(cudaFreeArray(array));
    MUST(cudaFree(result));
    MUST(cudaStreamDestroy(s));
}

int main()
{
    painted();
    layers_and_volume();
    cube();
    replayed();
    printf("surfaces: as written\n");
    return 0;
}
