/* SPDX-License-Identifier: Apache-2.0 */
/* Kernels that read textures, launched several times with a change between launches. Each
   line names the changed object and prints a sum over all bits of the results, which is
   equal on any number of devices (split_textures.sh). */
#include "textures.cuh"
#include <cstdint>

enum { W = 96, H = 64, D = 6, N = W * H };

static uint64_t sum;

/* A checksum of device memory that depends on the order of words. */
static void take(const float *from, int count)
{
    static float out[N * D];

    MUST(cudaMemcpy(out, from, count * sizeof(float), cudaMemcpyDeviceToHost));
    for (int n = 0; n < count; n++) {
        uint32_t word;

        memcpy(&word, &out[n], sizeof word);
        sum = (sum ^ word) * 0x9e3779b97f4a7c15;
        sum ^= sum >> 29;
    }
}

static void print_line(const char *what)
{
    printf("%-28s %016llx\n", what, (unsigned long long)sum);
    sum = 0;
}

static float *memory(int count)
{
    float *m;

    MUST(cudaMalloc(&m, count * sizeof(float)));
    MUST(cudaMemset(m, 0, count * sizeof(float)));
    return m;
}

static cudaTextureObject_t line_of(float *from, int count)
{
    cudaResourceDesc what = {};
    cudaTextureDesc how = {};
    cudaTextureObject_t t;

    what.resType = cudaResourceTypeLinear;
    what.res.linear.devPtr = from;
    what.res.linear.desc = cudaCreateChannelDesc<float>();
    what.res.linear.sizeInBytes = count * sizeof(float);
    MUST(cudaCreateTextureObject(&t, &what, &how, nullptr));
    return t;
}

static cudaTextureDesc smooth()
{
    cudaTextureDesc how = {};

    how.normalizedCoords = 1;
    how.filterMode = cudaFilterModeLinear;
    return how;
}

static float *host_numbers(int count, int seed)
{
    static float in[N * D];

    for (int n = 0; n < count; n++)
        in[n] = (float)((n + seed) % 211 * ((n + seed) % 211) * 73 % 997) / 16;
    return in;
}

__global__ void grow(float *x, int n, float by)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;

    if (i < n)
        x[i] = x[i] * by + 1;
}

__global__ void fetch_line(float *out, cudaTextureObject_t t, int n, int far)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;

    if (i < n)
        out[i] = tex1Dfetch<float>(t, (i * 31 + far) % n) + tex1Dfetch<float>(t, i);
}

/* Linear memory, written by a split kernel, by the host, and by a copy. */
static void line()
{
    float *x = memory(N), *y = memory(N), *out = memory(N);

    MUST(cudaMemcpy(x, host_numbers(N, 1), N * 4, cudaMemcpyHostToDevice));
    cudaTextureObject_t t = line_of(x, N), half = line_of(x + 128, N / 2);

    for (int round = 0; round < 5; round++) {
        grow<<<N / 128, 128>>>(x, N, 1.25f);
        fetch_line<<<N / 128, 128>>>(out, t, N, 1000 * round);
        take(out, N);
        MUST(cudaMemcpy(x + 7, host_numbers(N, round), 2048, cudaMemcpyHostToDevice));
        fetch_line<<<N / 128, 128>>>(out, half, N / 2, round);
        take(out, N);
        grow<<<N / 128, 128>>>(y, N, 3);
        MUST(cudaMemcpy(x + N / 2, y, 4096, cudaMemcpyDeviceToDevice));
        fetch_line<<<N / 128, 128>>>(out, t, N, round);
        take(out, N);
    }
    MUST(cudaDestroyTextureObject(t));
    MUST(cudaDestroyTextureObject(half));
    MUST(cudaFree(x));
    MUST(cudaFree(y));
    MUST(cudaFree(out));
    print_line("line");
}

__global__ void turn(float *out, cudaTextureObject_t t, float angle)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x,
        y = blockIdx.y * blockDim.y + threadIdx.y;
    float u = x / (float)W - 0.5f, v = y / (float)H - 0.5f;

    out[y * W + x] = tex2D<float>(t, u - v * angle + 0.5f, v + u * angle + 0.5f);
}

static const dim3 tiles(W / 16, H / 16), tile(16, 16);

static void pitched()
{
    float *rows, *out = memory(N);
    size_t pitch;
    cudaResourceDesc what = {};
    cudaTextureDesc how = smooth();
    cudaTextureObject_t t;

    MUST(cudaMallocPitch(&rows, &pitch, W * 4, H));
    what.resType = cudaResourceTypePitch2D;
    what.res.pitch2D.devPtr = rows;
    what.res.pitch2D.desc = cudaCreateChannelDesc<float>();
    what.res.pitch2D.width = W;
    what.res.pitch2D.height = H;
    what.res.pitch2D.pitchInBytes = pitch;
    how.addressMode[0] = how.addressMode[1] = cudaAddressModeMirror;
    MUST(cudaCreateTextureObject(&t, &what, &how, nullptr));
    for (int round = 0; round < 3; round++) {
        MUST(cudaMemcpy2D(rows, pitch, host_numbers(N, round), W * 4, W * 4, H,
                          cudaMemcpyHostToDevice));
        turn<<<tiles, tile>>>(out, t, 0.3f);
        take(out, N);
    }
    MUST(cudaDestroyTextureObject(t));
    MUST(cudaFree(rows));
    MUST(cudaFree(out));
    print_line("rows with a pitch");
}

__global__ void paint(cudaSurfaceObject_t s, float by)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x,
        y = blockIdx.y * blockDim.y + threadIdx.y;

    surf2Dwrite(x * by + y, s, x * 4, y);
}

/* Each device's copy of an array is current when it is read, whatever wrote the array. */
static void plane()
{
    cudaChannelFormatDesc channel = cudaCreateChannelDesc<float>();
    cudaArray_t array, other;
    float *out = memory(N);

    MUST(cudaMallocArray(&array, &channel, W, H, cudaArraySurfaceLoadStore));
    MUST(cudaMallocArray(&other, &channel, W, H));
    cudaSurfaceObject_t s = surface_of(array);
    cudaTextureObject_t t = texture_of(array, smooth()), o = texture_of(other, smooth());

    for (int round = 0; round < 4; round++) {
        MUST(cudaMemcpy2DToArray(array, 0, 0, host_numbers(N, round), W * 4, W * 4, H,
                                 cudaMemcpyHostToDevice));
        MUST(cudaMemcpy2DToArray(other, 0, 0, host_numbers(N, 50 + round), W * 4, W * 4, H,
                                 cudaMemcpyHostToDevice));
        turn<<<tiles, tile>>>(out, t, 0.5f);
        take(out, N);
        turn<<<tiles, tile>>>(out, t, 0.7f);
        take(out, N);
        paint<<<tiles, tile>>>(s, 1.5f + round);
        turn<<<tiles, tile>>>(out, t, 0.9f);
        take(out, N);
        MUST(cudaMemcpy2DArrayToArray(array, 16, 3, other, 4, 9, 200, 30));
        turn<<<tiles, tile>>>(out, t, 0.2f);
        take(out, N);
        turn<<<tiles, tile>>>(out, o, 0.2f);
        take(out, N);
        MUST(cudaMemcpy2DToArray(array, 0, 1, out, W * 4, W * 4, H / 2,
                                 cudaMemcpyDeviceToDevice));
        turn<<<tiles, tile>>>(out, t, 0.1f);
        take(out, N);
    }
    MUST(cudaDestroySurfaceObject(s));
    MUST(cudaDestroyTextureObject(t));
    MUST(cudaDestroyTextureObject(o));
    MUST(cudaFreeArray(array));
    MUST(cudaFreeArray(other));
    MUST(cudaFree(out));
    print_line("plane");
}

__global__ void cut(float *out, cudaTextureObject_t t, float by)
{
    int x = threadIdx.x, y = blockIdx.x, z = blockIdx.y;

    out[(z * H + y) * W + x] =
        tex3D<float>(t, x / (float)W, (y + by) / H, (z + by * 0.3f) / D);
}

__global__ void leaf(float *out, cudaTextureObject_t t, float by)
{
    int x = threadIdx.x, y = blockIdx.x, z = blockIdx.y;

    out[(z * H + y) * W + x] =
        tex2DLayered<float>(t, x / (float)W, (y + by) / H, D - 1 - z);
}

static void deep(bool has_layers)
{
    cudaChannelFormatDesc channel = cudaCreateChannelDesc<float>();
    cudaArray_t array;
    cudaMemcpy3DParms copy = {};
    float *out = memory(N * D);

    MUST(cudaMalloc3DArray(&array, &channel, make_cudaExtent(W, H, D),
                           has_layers ? cudaArrayLayered : 0));
    cudaTextureObject_t t = texture_of(array, smooth());

    for (int round = 0; round < 2; round++) {
        copy.srcPtr = make_cudaPitchedPtr(host_numbers(N * D, round), W * 4, W, H);
        copy.dstArray = array;
        copy.extent = make_cudaExtent(W, H, D);
        copy.kind = cudaMemcpyHostToDevice;
        MUST(cudaMemcpy3D(&copy));
        if (has_layers)
            leaf<<<dim3(H, D), W>>>(out, t, 0.25f);
        else
            cut<<<dim3(H, D), W>>>(out, t, 0.25f);
        take(out, N * D);
    }
    MUST(cudaDestroyTextureObject(t));
    MUST(cudaFreeArray(array));
    MUST(cudaFree(out));
    print_line(has_layers ? "layers" : "volume");
}

struct scene {
    float *out;
    const float *also;
    cudaTextureObject_t line, plane, none;
    int n;
};

/* Two textures; the memory of one is also read through a pointer. */
__global__ void mix(scene s, float by)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;

    if (i >= s.n)
        return;
    float f = tex1Dfetch<float>(s.line, s.n - 1 - i) + s.also[i / 2] +
              tex2D<float>(s.plane, i % W / (float)W, i / W / (float)H);

    if (by > 10)
        f += tex1Dfetch<float>(s.none, i);
    s.out[i] = f * by;
}

/* Selects one of two textures, and alternates between them. */
__global__ void choose(float *out, cudaTextureObject_t a, cudaTextureObject_t b, int rounds)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    float f = tex1Dfetch<float>(i & 1 ? a : b, i);

    for (int n = 0; n < rounds; n++) {
        cudaTextureObject_t t = a;

        f += tex1Dfetch<float>(a, i + n);
        a = b;
        b = t;
    }
    out[i] = f;
}

/* Texture values decide stores and further reads. */
__global__ void decide(float *out, cudaTextureObject_t t, const float *table, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    float f = tex1Dfetch<float>(t, i);

    if (f > 20)
        out[i] = table[(int)f * 37 % n];
}

static void several()
{
    cudaChannelFormatDesc channel = cudaCreateChannelDesc<float>();
    float *x = memory(N), *y = memory(N), *out = memory(N);
    cudaArray_t array;

    MUST(cudaMallocArray(&array, &channel, W, H));
    MUST(cudaMemcpy2DToArray(array, 0, 0, host_numbers(N, 5), W * 4, W * 4, H,
                             cudaMemcpyHostToDevice));
    MUST(cudaMemcpy(x, host_numbers(N, 6), N * 4, cudaMemcpyHostToDevice));
    cudaTextureObject_t a = line_of(x, N), b = line_of(y, N / 2),
                        t = texture_of(array, smooth());

    for (int round = 0; round < 3; round++) {
        grow<<<N / 128, 128>>>(x, N, 0.75f);
        grow<<<N / 128, 128>>>(y, N, 1.75f);
        mix<<<N / 128, 128>>>(scene{out, x, a, t, 0, N}, 1.5f);
        take(out, N);
        choose<<<N / 128, 128>>>(out, a, b, round + 2);
        take(out, N);
        decide<<<N / 128, 128>>>(out, a, y, N);
        take(out, N);
    }
    MUST(cudaDestroyTextureObject(a));
    MUST(cudaDestroyTextureObject(b));
    MUST(cudaDestroyTextureObject(t));
    MUST(cudaFreeArray(array));
    MUST(cudaFree(x));
    MUST(cudaFree(y));
    MUST(cudaFree(out));
    print_line("several");
}

/* Objects, arrays and memory are recreated; the driver may reuse handles and addresses. */
static void remade()
{
    cudaChannelFormatDesc channel = cudaCreateChannelDesc<float>();
    float *out = memory(N);

    for (int round = 0; round < 6; round++) {
        cudaArray_t array;
        float *x = memory(N + 1024 * (round % 3)), *between = memory(5000 * round + 100);

        MUST(cudaMallocArray(&array, &channel, W, H));
        MUST(cudaMemcpy2DToArray(array, 0, 0, host_numbers(N, round), W * 4, W * 4, H,
                                 cudaMemcpyHostToDevice));
        MUST(cudaMemcpy(x, host_numbers(N, 9 + round), N * 4, cudaMemcpyHostToDevice));
        cudaTextureObject_t t = texture_of(array, smooth()), l = line_of(x, N);

        turn<<<tiles, tile>>>(out, t, 0.4f);
        take(out, N);
        fetch_line<<<N / 128, 128>>>(out, l, N, 3);
        take(out, N);
        MUST(cudaDestroyTextureObject(t));
        t = texture_of(array, cudaTextureDesc());
        turn<<<tiles, tile>>>(out, t, 50.0f);
        take(out, N);
        MUST(cudaFree(x)); /* the next allocation may reuse the address of the texture */
        x = memory(N);
        MUST(cudaMemcpy(x, host_numbers(N, 19 + round), N * 4, cudaMemcpyHostToDevice));
        MUST(cudaDestroyTextureObject(l));
        l = line_of(x, N);
        fetch_line<<<N / 128, 128>>>(out, l, N, 4);
        take(out, N);
        MUST(cudaDestroyTextureObject(t));
        MUST(cudaDestroyTextureObject(l));
        MUST(cudaFreeArray(array));
        MUST(cudaFree(x));
        MUST(cudaFree(between));
    }
    MUST(cudaFree(out));
    print_line("made again");
}

/* Without waits: a copy is renewed after all reads of its previous content. */
static void back_to_back()
{
    cudaChannelFormatDesc channel = cudaCreateChannelDesc<float>();
    cudaArray_t array;
    float *out = memory(N), *in = memory(2 * N);

    MUST(cudaMemcpy(in, host_numbers(2 * N, 1), 2 * N * 4, cudaMemcpyHostToDevice));
    MUST(cudaMallocArray(&array, &channel, W, H));
    cudaTextureObject_t t = texture_of(array, smooth());

    for (int round = 0; round < 12; round++) {
        MUST(cudaMemcpy2DToArray(array, 0, 0, in + 100 * round, W * 4, W * 4, H,
                                 cudaMemcpyDeviceToDevice));
        turn<<<tiles, tile>>>(out, t, 0.3f);
    }
    take(out, N);
    MUST(cudaDestroyTextureObject(t));
    MUST(cudaFreeArray(array));
    MUST(cudaFree(in));
    MUST(cudaFree(out));
    print_line("back to back");
}

/* Operations of a graph are executed call by call. */
static void graph()
{
    cudaChannelFormatDesc channel = cudaCreateChannelDesc<float>();
    cudaArray_t array;
    cudaStream_t s;
    cudaGraph_t g;
    cudaGraphExec_t exec;
    float *out = memory(N);

    MUST(cudaStreamCreate(&s));
    MUST(cudaMallocArray(&array, &channel, W, H));
    MUST(cudaMemcpy(out, host_numbers(N, 1), N * 4, cudaMemcpyHostToDevice));
    cudaTextureObject_t t = texture_of(array, smooth());

    MUST(cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal));
    MUST(cudaMemcpy2DToArrayAsync(array, 0, 0, out, W * 4, W * 4, H,
                                  cudaMemcpyDeviceToDevice, s));
    turn<<<tiles, tile, 0, s>>>(out, t, 0.3f);
    MUST(cudaStreamEndCapture(s, &g));
    MUST(cudaGraphInstantiate(&exec, g, 0));
    for (int round = 0; round < 6; round++)
        MUST(cudaGraphLaunch(exec, s));
    MUST(cudaStreamSynchronize(s));
    take(out, N);
    MUST(cudaGraphExecDestroy(exec));
    MUST(cudaGraphDestroy(g));
    MUST(cudaDestroyTextureObject(t));
    MUST(cudaFreeArray(array));
    MUST(cudaFree(out));
    MUST(cudaStreamDestroy(s));
    print_line("a graph");
}

/* Streams, and memory that the host changes directly. */
static void asynchronous()
{
    cudaChannelFormatDesc channel = cudaCreateChannelDesc<float>();
    cudaStream_t s[2];
    cudaArray_t array[2];
    cudaTextureObject_t t[2];
    float *out[2], *in[2], *managed;

    for (int n = 0; n < 2; n++) {
        MUST(cudaStreamCreate(&s[n]));
        MUST(cudaMallocArray(&array[n], &channel, W, H));
        MUST(cudaMallocHost(&in[n], N * 4));
        t[n] = texture_of(array[n], smooth());
        out[n] = memory(N);
    }
    for (int round = 0; round < 4; round++)
        for (int n = 0; n < 2; n++) {
            MUST(cudaStreamSynchronize(s[n]));
            memcpy(in[n], host_numbers(N, 10 * round + n), N * 4);
            MUST(cudaMemcpy2DToArrayAsync(array[n], 0, 0, in[n], W * 4, W * 4, H,
                                          cudaMemcpyHostToDevice, s[n]));
            turn<<<tiles, tile, 0, s[n]>>>(out[n], t[n], 0.6f);
            take(out[n], N);
        }
    MUST(cudaMallocManaged(&managed, N * 4));
    memcpy(managed, host_numbers(N, 3), N * 4);
    cudaTextureObject_t l = line_of(managed, N);

    for (int round = 0; round < 3; round++) {
        fetch_line<<<N / 128, 128>>>(out[0], l, N, round);
        take(out[0], N);
        managed[N / 2 + round] += 5;
    }
    MUST(cudaDestroyTextureObject(l));
    MUST(cudaFree(managed));
    for (int n = 0; n < 2; n++) {
        MUST(cudaStreamDestroy(s[n]));
        MUST(cudaDestroyTextureObject(t[n]));
        MUST(cudaFreeArray(array[n]));
        MUST(cudaFree(out[n]));
        MUST(cudaFreeHost(in[n]));
    }
    print_line("streams, and managed memory");
}

int main()
{
    line();
    pitched();
    plane();
    deep(false);
    deep(true);
    several();
    remade();
    back_to_back();
    graph();
    asynchronous();
    return 0;
}
