// SPDX-License-Identifier: Apache-2.0
// Shared parts of random programs.
#include <cuda_runtime.h>
#include <cuda_fp16.h>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <utility>

#define CHECK(call)                                                                        \
    do {                                                                                   \
        cudaError_t error_ = (call);                                                       \
        if (error_ != cudaSuccess) {                                                       \
            printf("line %d: %s\n", __LINE__, cudaGetErrorString(error_));                 \
            exit(2);                                                                       \
        }                                                                                  \
    } while (0)
#define BOTH __host__ __device__

struct record {
    int a;
    short b;
    unsigned char c, e; /* no padding bytes */
    float d;
};

BOTH inline int get(int v) { return v; }
BOTH inline int get(unsigned v) { return (int)v; }
BOTH inline int get(short v) { return v; }
BOTH inline int get(unsigned char v) { return v; }
BOTH inline int get(long long v) { return (int)v; }
BOTH inline int get(float v) { return (int)v; }
BOTH inline int get(double v) { return (int)v; }
BOTH inline int get(__half v) { return (int)__half2float(v); }
BOTH inline int get(float4 v) { return (int)v.x + 3 * (int)v.y + 5 * (int)v.z + 7 * (int)v.w; }
BOTH inline int get(int2 v) { return v.x + (int)(3u * (unsigned)v.y); }
BOTH inline int get(const record &v) // copies may split an element
{
    return (int)((unsigned)v.a + v.b + v.c + v.e + (v.d > -1e6f && v.d < 1e6f ? (int)v.d : 7));
}

template <typename T> struct as {
    BOTH static T put(unsigned v) { return (T)v; }
};
template <> struct as<float> {
    BOTH static float put(unsigned v) { return (float)(v & 0xfffff); }
};
template <> struct as<double> {
    BOTH static double put(unsigned v) { return (double)(v & 0xffffff); }
};
template <> struct as<__half> {
    BOTH static __half put(unsigned v) { return __float2half((float)(v & 0x3ff)); }
};
template <> struct as<float4> {
    BOTH static float4 put(unsigned v)
    {
        return make_float4((float)(v & 255), (float)(v >> 8 & 255), (float)(v >> 16 & 255),
                           (float)(v >> 24));
    }
};
template <> struct as<int2> {
    BOTH static int2 put(unsigned v) { return make_int2((int)(v & 0xffff), (int)(v >> 16)); }
};
template <> struct as<record> {
    BOTH static record put(unsigned v)
    {
        record r;

        r.a = (int)v;
        r.b = (short)(v & 0x7fff);
        r.c = (unsigned char)v;
        r.e = (unsigned char)(v >> 9);
        r.d = (float)(v & 0xffff);
        return r;
    }
};
template <typename T> BOTH inline T put(unsigned v) { return as<T>::put(v); }

template <typename T> BOTH inline int sum_of(const T *p, int n)
{
    unsigned s = 0;

    for (int i = 0; i < n; i++)
        s = s * 3 + (unsigned)get(p[i]);
    return (int)s;
}
BOTH __noinline__ unsigned mixed(unsigned a, unsigned b)
{
    return (a ^ b >> 3) * 2654435761u;
}
template <typename T> BOTH __noinline__ int fetched(const T *p, int i) { return get(p[i]); }

// Maximum and minimum by compare-and-swap, as programs write them for types without such an
// atomic.
__device__ inline void greatest(float *at, float v)
{
    int was = __float_as_int(*at), now;

    while (v > __int_as_float(was)) {
        now = atomicCAS((int *)at, was, __float_as_int(v));
        if (now == was)
            return;
        was = now;
    }
}
__device__ inline void least(float *at, float v)
{
    int *word = (int *)at, was = *word, now;

    do {
        now = was;
        was = atomicCAS(word, now, __float_as_int(fminf(v, __int_as_float(now))));
    } while (was != now);
}
__device__ inline void greatest_bits(float *at, float v) // no value is negative
{
    atomicMax((int *)at, __float_as_int(v));
}

static bool checks; // each launch is compared with the host
static unsigned state;

static inline unsigned next_random()
{
    state = state * 1664525u + 1013904223u;
    return state >> 8;
}
static inline unsigned checksum(const void *data, size_t bytes)
{
    unsigned hash = 2166136261u;

    for (size_t i = 0; i < bytes; i++)
        hash = (hash ^ ((const unsigned char *)data)[i]) * 16777619u;
    return hash;
}
template <typename T, long count> static void *place_of(T (&variable)[count])
{
    void *place;

    CHECK(cudaGetSymbolAddress(&place, variable));
    return place;
}
template <typename T> static T *fresh(long count, void *place)
{
    T *host = (T *)calloc(count, sizeof(T)), *device = (T *)place;

    for (long i = 0; i < count; i++)
        host[i] = put<T>(next_random());
    if (!place)
        CHECK(cudaMalloc(&device, count * sizeof(T)));
    CHECK(cudaMemcpy(device, host, count * sizeof(T), cudaMemcpyHostToDevice));
    free(host);
    return device;
}
static void *copied(const void *device, size_t bytes)
{
    void *host = malloc(bytes);

    CHECK(cudaMemcpy(host, device, bytes, cudaMemcpyDeviceToHost));
    return host;
}
static void tell(const char *what, const void *device, size_t bytes)
{
    void *host = copied(device, bytes);

    printf("%s %08x\n", what, checksum(host, bytes));
    free(host);
}
static void compare(const char *what, const void *device, void *host, size_t bytes)
{
    char *got = (char *)copied(device, bytes);

    for (size_t i = 0; i < bytes; i++)
        if (got[i] != ((char *)host)[i]) {
            printf("%s: byte %zu of %zu is not what the host has\n", what, i, bytes);
            exit(3);
        }
    free(got);
}

// The numbers below `count` in random order.
static const int *ranks(long count)
{
    int *host = (int *)malloc(count * sizeof(int)), *device;

    for (long i = 0; i < count; i++) {
        long j = next_random() % (i + 1);

        host[i] = host[j];
        host[j] = (int)i;
    }
    CHECK(cudaMalloc(&device, count * sizeof(int)));
    CHECK(cudaMemcpy(device, host, count * sizeof(int), cudaMemcpyHostToDevice));
    free(host);
    return device;
}
// Start of each of `count` rows, and the end of the last one, which is at most `all`.
static const int *rows(long count, long all)
{
    int *host = (int *)malloc((count + 1) * sizeof(int)), *device;

    host[0] = 0;
    for (long i = 0; i < count; i++)
        host[i + 1] = host[i] + (int)(next_random() % (all / count + 1));
    CHECK(cudaMalloc(&device, (count + 1) * sizeof(int)));
    CHECK(cudaMemcpy(device, host, (count + 1) * sizeof(int), cudaMemcpyHostToDevice));
    free(host);
    return device;
}
static cudaTextureObject_t texture_of(const cudaResourceDesc &resource, bool is_linear)
{
    cudaTextureDesc how = {};
    cudaTextureObject_t texture;

    how.addressMode[0] = how.addressMode[1] = cudaAddressModeClamp;
    how.filterMode = is_linear ? cudaFilterModeLinear : cudaFilterModePoint;
    CHECK(cudaCreateTextureObject(&texture, &resource, &how, NULL));
    return texture;
}
static cudaTextureObject_t line_texture(long count)
{
    cudaResourceDesc r = {};

    r.resType = cudaResourceTypeLinear;
    r.res.linear.devPtr = (void *)ranks(count);
    r.res.linear.desc = cudaCreateChannelDesc<unsigned>();
    r.res.linear.sizeInBytes = count * sizeof(int);
    return texture_of(r, false);
}

static cudaArray_t all_pictures[8];
static int picture_count;

static void picture_changes(cudaArray_t a, size_t first)
{
    cudaExtent size;
    float row[1024];

    CHECK(cudaArrayGetInfo(NULL, &size, NULL, a));
    for (size_t x = 0; x < size.width; x++)
        row[x] = (float)(next_random() & 0xffff);
    for (size_t y = first; y < size.height; y += 3)
        CHECK(cudaMemcpy2DToArray(a, 0, y, row, sizeof row, size.width * sizeof *row, 1,
                                  cudaMemcpyHostToDevice));
}
static cudaTextureObject_t picture(long width, long height, bool is_linear)
{
    cudaChannelFormatDesc format = cudaCreateChannelDesc<float>();
    cudaResourceDesc r = {};

    CHECK(cudaMallocArray(&r.res.array.array, &format, width, height));
    r.resType = cudaResourceTypeArray;
    for (size_t first = 0; first < 3; first++)
        picture_changes(r.res.array.array, first);
    all_pictures[picture_count++] = r.res.array.array;
    return texture_of(r, is_linear);
}
static void pictures_change(int it)
{
    for (int i = 0; it % 3 == 1 && i < picture_count; i++)
        picture_changes(all_pictures[i], it % 2);
}

// The arguments in memory; an identical copy is reused.
template <typename S> static const S *in_memory(const S &s)
{
    static S *place, last;

    if (place && memcmp(&last, &s, sizeof s) == 0)
        return place;
    if (!place)
        CHECK(cudaMalloc(&place, sizeof s));
    memcpy(&last, &s, sizeof s);
    CHECK(cudaMemcpy(place, &last, sizeof s, cudaMemcpyHostToDevice));
    return place;
}
