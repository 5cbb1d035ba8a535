/* SPDX-License-Identifier: Apache-2.0 */
/* Textures of a program. Results follow the formulas of the CUDA programming guide,
   computed here on the host. */
#include "textures.cuh"

__global__ void rotate(float *out, cudaTextureObject_t t, float angle, int width,
                       int height)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x,
        y = blockIdx.y * blockDim.y + threadIdx.y;

    if (x >= width || y >= height)
        return;
    float u = x / (float)width - 0.5f, v = y / (float)height - 0.5f;
    float s = u * cosf(angle) - v * sinf(angle) + 0.5f;
    float r = v * cosf(angle) + u * sinf(angle) + 0.5f;

    out[3 * (y * width + x)] = s;
    out[3 * (y * width + x) + 1] = r;
    out[3 * (y * width + x) + 2] = tex2D<float>(t, s, r);
}

/* The kernel reports its coordinates, because the host's cosine may differ from a GPU's.
   Half way between two weights either one is valid. For values up to 12.5 the difference is
   below 0.2. */
static void rotated(cudaTextureAddressMode mode)
{
    enum { W = 60, H = 44 };
    static float in[H][W], out[H * W][3];
    int same = 0;
    cudaArray_t array = fill_2d(&in[0][0], W, H);
    cudaTextureDesc how = {};
    float *result;

    how.addressMode[0] = how.addressMode[1] = mode;
    how.borderColor[0] = 7.5f;
    how.filterMode = cudaFilterModeLinear;
    how.normalizedCoords = 1;
    cudaTextureObject_t t = texture_of(array, how);

    MUST(cudaMalloc(&result, sizeof out));
    rotate<<<dim3(4, 3), dim3(16, 16)>>>(result, t, 0.7f, W, H);
    MUST(cudaMemcpy(out, result, sizeof out, cudaMemcpyDeviceToHost));
    for (int n = 0; n < W * H; n++) {
        double wanted = linear_2d(&in[0][0], W, H, (double)out[n][0] * W,
                                  (double)out[n][1] * H, mode, 7.5);
        HOLDS(fabs(out[n][2] - wanted) < 0.2);
        same += near(out[n][2], wanted);
    }
    HOLDS(same > W * H * 9 / 10);
    MUST(cudaDestroyTextureObject(t));
    MUST(cudaFreeArray(array));
    MUST(cudaFree(result));
}

__global__ void sparse_row(float *y, const int *first, const int *column,
                           const float *value, cudaTextureObject_t x, int rows)
{
    int row = blockIdx.x * blockDim.x + threadIdx.x;
    float sum = 0;

    if (row >= rows)
        return;
    for (int n = first[row]; n < first[row + 1]; n++)
        sum += value[n] * tex1Dfetch<float>(x, column[n]);
    y[row] = sum;
}

__global__ void scale(float *x, int n, float by)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;

    if (i < n)
        x[i] = x[i] * by + 1;
}

/* A split kernel writes the vector of the texture. */
static void sparse()
{
    enum { N = 20000, EACH = 3 };
    static int first[N + 1], column[N * EACH];
    static float value[N * EACH], x[N], y[N];
    int *d_first, *d_column;
    float *d_value, *d_x, *d_y;

    for (int i = 0; i <= N; i++)
        first[i] = EACH * i;
    for (int i = 0; i < N; i++)
        x[i] = (float)(i % 50);
    for (int n = 0; n < N * EACH; n++) {
        column[n] = (n / EACH + (n % EACH - 1) * 7919 + N) % N;
        value[n] = (float)(n % 5 - 2);
    }
    MUST(cudaMalloc(&d_first, sizeof first));
    MUST(cudaMalloc(&d_column, sizeof column));
    MUST(cudaMalloc(&d_value, sizeof value));
    MUST(cudaMalloc(&d_x, sizeof x));
    MUST(cudaMalloc(&d_y, sizeof y));
    MUST(cudaMemcpy(d_first, first, sizeof first, cudaMemcpyHostToDevice));
    MUST(cudaMemcpy(d_column, column, sizeof column, cudaMemcpyHostToDevice));
    MUST(cudaMemcpy(d_value, value, sizeof value, cudaMemcpyHostToDevice));
    MUST(cudaMemcpy(d_x, x, sizeof x, cudaMemcpyHostToDevice));
    cudaResourceDesc from = {};
    cudaTextureDesc how = {};
    cudaTextureObject_t t;

    from.resType = cudaResourceTypeLinear;
    from.res.linear.devPtr = d_x;
    from.res.linear.desc = cudaCreateChannelDesc<float>();
    from.res.linear.sizeInBytes = sizeof x;
    MUST(cudaCreateTextureObject(&t, &from, &how, nullptr));
    for (int round = 0; round < 4; round++) {
        scale<<<(N + 127) / 128, 128>>>(d_x, N, 2);
        sparse_row<<<(N + 127) / 128, 128>>>(d_y, d_first, d_column, d_value, t, N);
        for (int i = 0; i < N; i++)
            x[i] = x[i] * 2 + 1;
        MUST(cudaMemcpy(y, d_y, sizeof y, cudaMemcpyDeviceToHost));
        for (int i = 0; i < N; i++) {
            float sum = 0;

            for (int n = first[i]; n < first[i + 1]; n++)
                sum += value[n] * x[column[n]];
            HOLDS(y[i] == sum);
        }
    }
    cudaResourceDesc info;

    MUST(cudaGetTextureObjectResourceDesc(&info, t));
    HOLDS(info.resType == cudaResourceTypeLinear && info.res.linear.devPtr == d_x);
    MUST(cudaDestroyTextureObject(t));
    HOLDS(cudaGetTextureObjectResourceDesc(&info, t) == cudaErrorInvalidValue);
    MUST(cudaFree(d_first));
    MUST(cudaFree(d_column));
    MUST(cudaFree(d_value));
    MUST(cudaFree(d_x));
    MUST(cudaFree(d_y));
}

__global__ void pitched(float *out, cudaTextureObject_t t, int width, int height, float by)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y;

    if (x < width && y < height)
        out[y * width + x] = tex2D<float>(t, (x + by) / width, (y + by) / height);
}

static void pitch_linear()
{
    enum { W = 70, H = 20, SHIFT = 33 };
    static float in[H][W], out[H][W];
    float *rows, *result;
    size_t pitch;

    fill(&in[0][0], W * H);
    MUST(cudaMallocPitch(&rows, &pitch, W * sizeof(float), H));
    MUST(cudaMemcpy2D(rows, pitch, in, sizeof in[0], sizeof in[0], H, cudaMemcpyDefault));
    MUST(cudaMalloc(&result, sizeof out));
    cudaResourceDesc from = {};
    cudaTextureDesc how = {};
    cudaTextureObject_t t;

    from.resType = cudaResourceTypePitch2D;
    from.res.pitch2D.devPtr = rows;
    from.res.pitch2D.desc = cudaCreateChannelDesc<float>();
    from.res.pitch2D.width = W;
    from.res.pitch2D.height = H;
    from.res.pitch2D.pitchInBytes = pitch;
    how.normalizedCoords = 1;
    how.addressMode[0] = how.addressMode[1] = cudaAddressModeWrap;
    MUST(cudaCreateTextureObject(&t, &from, &how, nullptr));
    pitched<<<dim3(3, H), 32>>>(result, t, W, H, SHIFT + 0.5f);
    MUST(cudaMemcpy(out, result, sizeof out, cudaMemcpyDeviceToHost));
    for (int y = 0; y < H; y++)
        for (int x = 0; x < W; x++)
            HOLDS(out[y][x] == in[(y + SHIFT) % H][(x + SHIFT) % W]);
    MUST(cudaDestroyTextureObject(t));
    MUST(cudaFree(rows));
    MUST(cudaFree(result));
}

__global__ void bytes(float4 *out, uchar4 *raw, float *corner, cudaTextureObject_t numbers,
                      cudaTextureObject_t elements, int width)
{
    int x = threadIdx.x, y = blockIdx.x;

    out[y * width + x] = tex2D<float4>(numbers, x + 0.5f, y + 0.5f);
    raw[y * width + x] = tex2D<uchar4>(elements, x + 0.5f, y + 0.5f);
    float4 g = tex2Dgather<float4>(numbers, x + 1.0f, y + 1.0f, 2);

    corner[4 * (y * width + x)] = g.x;
    corner[4 * (y * width + x) + 1] = g.y;
    corner[4 * (y * width + x) + 2] = g.z;
    corner[4 * (y * width + x) + 3] = g.w;
}

static void normalized_bytes()
{
    enum { W = 24, H = 6 };
    static uchar4 in[H][W], raw[H][W];
    static float4 out[H][W], corner[H][W];
    cudaChannelFormatDesc channel = cudaCreateChannelDesc<uchar4>(), info;
    cudaArray_t array;
    cudaTextureDesc how = {};
    float4 *d_out;
    uchar4 *d_raw;
    float *d_corner;

    for (int y = 0; y < H; y++)
        for (int x = 0; x < W; x++)
            in[y][x] = make_uchar4(10 * x, y, x + y, 255 - x);
    MUST(cudaMallocArray(&array, &channel, W, H, cudaArrayTextureGather));
    MUST(cudaGetChannelDesc(&info, array));
    HOLDS(info.x == 8 && info.w == 8 && info.f == cudaChannelFormatKindUnsigned);
    MUST(cudaMemcpy2DToArray(array, 0, 0, in, sizeof in[0], sizeof in[0], H,
                             cudaMemcpyHostToDevice));
    how.addressMode[0] = how.addressMode[1] = cudaAddressModeClamp;
    cudaTextureObject_t elements = texture_of(array, how);

    how.readMode = cudaReadModeNormalizedFloat;
    cudaTextureObject_t numbers = texture_of(array, how);

    MUST(cudaMalloc(&d_out, sizeof out));
    MUST(cudaMalloc(&d_raw, sizeof raw));
    MUST(cudaMalloc(&d_corner, sizeof corner));
    bytes<<<H, W>>>(d_out, d_raw, d_corner, numbers, elements, W);
    MUST(cudaMemcpy(out, d_out, sizeof out, cudaMemcpyDeviceToHost));
    MUST(cudaMemcpy(raw, d_raw, sizeof raw, cudaMemcpyDeviceToHost));
    MUST(cudaMemcpy(corner, d_corner, sizeof corner, cudaMemcpyDeviceToHost));
    HOLDS(!memcmp(raw, in, sizeof in));
    for (int y = 0; y < H; y++)
        for (int x = 0; x < W; x++) {
            int right = x + 1 < W ? x + 1 : x, below = y + 1 < H ? y + 1 : y;

            HOLDS(near(out[y][x].x, in[y][x].x / 255.0));
            HOLDS(near(out[y][x].w, in[y][x].w / 255.0));
            HOLDS(near(corner[y][x].x, in[below][x].z / 255.0));
            HOLDS(near(corner[y][x].y, in[below][right].z / 255.0));
            HOLDS(near(corner[y][x].z, in[y][right].z / 255.0));
            HOLDS(near(corner[y][x].w, in[y][x].z / 255.0));
        }
    how = {};
    how.filterMode = cudaFilterModeLinear;
    cudaResourceDesc from = {};
    cudaTextureObject_t none;

    from.res.array.array = array;
    HOLDS(cudaCreateTextureObject(&none, &from, &how, nullptr) ==
          cudaErrorInvalidFilterSetting);
    MUST(cudaDestroyTextureObject(elements));
    MUST(cudaDestroyTextureObject(numbers));
    MUST(cudaFreeArray(array));
    MUST(cudaFree(d_out));
    MUST(cudaFree(d_raw));
    MUST(cudaFree(d_corner));
}

/* Error codes for invalid requests. */
static void refused()
{
    cudaChannelFormatDesc whole = cudaCreateChannelDesc<int>(), odd = whole;
    cudaResourceDesc from = {};
    cudaTextureDesc how = {};
    cudaTextureObject_t t;
    cudaArray_t array;
    int in[64] = {0};

    HOLDS(cudaCreateTextureObject(&t, &from, &how, nullptr) ==
          cudaErrorInvalidResourceHandle);
    MUST(cudaMallocArray(&array, &whole, 8, 4));
    from.res.array.array = array;
    how.readMode = cudaReadModeNormalizedFloat;
    HOLDS(cudaCreateTextureObject(&t, &from, &how, nullptr) == cudaErrorInvalidNormSetting);
    HOLDS(cudaMemcpy2DToArray(array, 4, 0, in, 32, 32, 4, cudaMemcpyHostToDevice) ==
          cudaErrorInvalidValue);
    HOLDS(cudaMemcpy2DFromArray(in, 4, array, 0, 0, 8, 4, cudaMemcpyDeviceToHost) ==
          cudaErrorInvalidPitchValue);
    MUST(cudaFreeArray(array));
    HOLDS(cudaMallocArray(&array, &whole, 200000, 4) == cudaErrorInvalidValue);
    odd.y = 16;
    HOLDS(cudaMallocArray(&array, &odd, 8, 4) == cudaErrorInvalidChannelDescriptor);
}

int main()
{
    rotated(cudaAddressModeWrap);
    rotated(cudaAddressModeMirror);
    rotated(cudaAddressModeClamp);
    rotated(cudaAddressModeBorder);
    sparse();
    pitch_linear();
    normalized_bytes();
    refused();
    printf("textures: as the guide says\n");
    return 0;
}
