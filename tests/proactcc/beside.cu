/* SPDX-License-Identifier: Apache-2.0 */
/* Out-of-object pointers: ends of arrays, windows whose first index is not 0, pointers into
   another array or outside all of them, and packed structs. Some pointers are only
   compared. */
#include "check.cuh"
#include <algorithm>
#include <vector>

enum { N = 4096, THREADS = 128, CTAS = N / THREADS, MANY = 40064 };

__global__ void count_to(int *first, int *last, int value)
{
    int *at = first + blockIdx.x * blockDim.x + threadIdx.x;

    if (at < last)
        *at = value;
}

__global__ void add(int *a, int n, int value)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;

    if (i < n)
        a[i] += value;
}

/* Reads the elements low to low + N - 1. */
__global__ void copy_window(int *out, const int *window, int low)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;

    out[i] = window[low + i];
}

__global__ void copy_chosen(int *out, const int *window, const int *chosen)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;

    out[i] = window[chosen[i]];
}

__global__ void set_window(int *window, int low, int value)
{
    for (int i = threadIdx.x; i < N; i += blockDim.x)
        window[low + i] = value;
}

/* Reads one row per plane, `pitch` elements apart. */
__global__ void copy_rows(int *out, const int *rows, long pitch)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;

    out[blockIdx.y * N + i] = rows[blockIdx.y * pitch + i];
}

__global__ void set_rows(int *rows, long pitch, int value)
{
    rows[blockIdx.y * pitch + blockIdx.x * blockDim.x + threadIdx.x] = value;
}

__global__ void set_far(int *from, long distance, int value)
{
    from[distance + blockIdx.x * blockDim.x + threadIdx.x] = value;
}

/* The product of a remainder and a parameter has no known bounds. */
__global__ void copy_turns(int *out, const int *from, long distance)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;

    out[blockIdx.y * N + i] = from[(int)blockIdx.y % 3 * distance + i];
}

/* Every second thread reads another device's data, selected by the kernel. */
__global__ void copy_either(int *out, const int *from, long distance)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;

    out[i] = from[i % 2 ? i : distance + N - 1 - i];
}

/* A single thread leaves its array. */
__global__ void copy_lone(int *out, const int *from, long distance, int lone)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;

    out[i] = from[i * 37 % 40063 == lone ? distance + N - 1 - i / 10 : i % N];
}

/* Only a later iteration leaves the array. */
__global__ void add_rows(int *out, const int *from, long distance, int rows)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x, sum = 0;

#pragma unroll 1
    for (int row = 0; row < rows; row++)
        sum += from[row * distance + i];
    out[i] = sum;
}

/* The trip count depends on the thread; the second iteration leaves the array. */
__global__ void add_chosen(int *out, const int *from, long distance, int even, int odd)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x, row = 0, sum = 0;
    const int rows = i % 2 ? odd : even;

#pragma unroll 1
    do
        sum += from[i + row * (distance + N - 1 - 2 * i)];
    while (++row < rows);
    out[i] = sum;
}

/* The plane index leaves the array; the selection of the element does not. */
__global__ void copy_planes(int *out, const int *from, long distance)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;

    out[blockIdx.y * N + i] = from[blockIdx.y * distance + (i % 2 ? i : N - 1 - i)];
}

/* Only two CTA planes access memory, and the second one leaves the array. */
__global__ void copy_some(int *out, const int *from, long distance, unsigned first)
{
    const unsigned by = blockIdx.y - first;

    if (blockIdx.y >= first && blockIdx.y < first + 2)
        out[by * N + blockIdx.x * blockDim.x + threadIdx.x] =
            from[by * distance + blockIdx.x * blockDim.x + threadIdx.x];
}

__constant__ long distance;

__global__ void copy_far(int *out, const int *a)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;

    out[i] = a[distance + i];
}

struct __attribute__((packed)) view {
    char step;
    int *data;
    short count;
};

__global__ void step_on(view v)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;

    if (i < v.count)
        v.data[i] += v.step;
}

__constant__ int *favourite;

__global__ void compare(int *out, int *const *pointers, const int *with)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;

    out[i] = (pointers[i % 2] == with) + 2 * (favourite == with);
}

__device__ int table[N];

__global__ void set_table(int value)
{
    for (int i = 0; i < N; i++)
        table[i] = value;
}

static bool all_are(const int *array, int value)
{
    std::vector<int> content(N);

    MUST(cudaMemcpy(content.data(), array, N * sizeof(int), cudaMemcpyDeviceToHost));
    return std::count(content.begin(), content.end(), value) == N;
}

/* Distributes the current data: afterwards each device has only its own partition. */
static void renew(int *of, int value)
{
    MUST(cudaMemset(of, 0, N * sizeof(int)));
    for (int i = 0; i < 4; i++)
        add<<<CTAS, THREADS>>>(of, N, i ? 0 : value);
}

static void ends(int *a, int *b)
{
    count_to<<<CTAS, THREADS>>>(a, a + N, 5);
    HOLDS(all_are(a, 5));
    renew(b, 6);
    copy_window<<<CTAS, THREADS>>>(a, b + N, -N);
    HOLDS(all_are(a, 6));
    renew(b, 7);
    copy_window<<<CTAS, THREADS>>>(a, b - 1, 1);
    HOLDS(all_are(a, 7));
}

/* Also with a pointer that is closer to `a` than to the array that it refers to. */
static void chosen(int *a, int *b, int *out)
{
    std::vector<int> from(N);
    int *index;

    MUST(cudaMalloc(&index, N * sizeof(int)));
    for (int low : {1, (int)(b - a) - N - 200}) {
        for (int i = 0; i < N; i++)
            from[i] = low + N - 1 - i;
        MUST(cudaMemcpy(index, from.data(), N * sizeof(int), cudaMemcpyHostToDevice));
        renew(b, 8);
        copy_chosen<<<CTAS, THREADS>>>(out, b - low, index);
        HOLDS(all_are(out, 8));
    }
    MUST(cudaFree(index));
}

/* For some of these distances the window starts in the other array. */
static void windows(int *a, int *b, int *out)
{
    for (int low : {100, 1500, 4000, 6000, 100000, -1500, -5000, -100000}) {
        for (int *of : {a, b}) {
            renew(a, 1);
            renew(b, 1);
            add<<<CTAS, THREADS>>>(of, N, 1);
            copy_window<<<CTAS, THREADS>>>(out, of - low, low);
            HOLDS(all_are(out, 2));
            renew(a, 3);
            renew(b, 3);
            set_window<<<1, THREADS>>>(of - low, low, 4);
            copy_window<<<CTAS, THREADS>>>(out, of, 0);
            HOLDS(all_are(out, 4));
        }
    }
}

/* One pointer, from which an offset leads to its own array, to the other one, and back:
   each launch needs its own analysis. */
static void same_address(int *a, int *b, int *out)
{
    const int *window = a + N / 2;
    const int there = (int)(b - window);

    for (int round = 0; round < 3; round++) {
        renew(a, 2 * round + 1);
        renew(b, 2 * round + 2);
        copy_window<<<CTAS, THREADS>>>(out, window, -N / 2);
        HOLDS(all_are(out, 2 * round + 1));
        copy_window<<<CTAS, THREADS>>>(out, window, there);
        HOLDS(all_are(out, 2 * round + 2));
    }
}

/* An offset leads from one array's first byte to another array, for some or all
   elements. */
static void beyond(int *a, int *b, int *out)
{
    const long there = b - a;

    for (int round = 0; round < 3; round++) {
        const int value = 10 * round;

        renew(a, value + 1);
        renew(b, value + 1);
        copy_rows<<<dim3(CTAS, 2), THREADS>>>(out, a, there);
        HOLDS(all_are(out, value + 1) && all_are(out + N, value + 1));
        set_rows<<<dim3(CTAS, 2), THREADS>>>(a, there, value + 2);
        add<<<CTAS, THREADS>>>(b, N, 1);
        HOLDS(all_are(a, value + 2) && all_are(b, value + 3));
        set_far<<<CTAS, THREADS>>>(a, there, value + 4);
        set_far<<<CTAS, THREADS>>>(b, -there, value + 5);
        add<<<CTAS, THREADS>>>(a, N, 1);
        HOLDS(all_are(a, value + 6) && all_are(b, value + 4));
        MUST(cudaMemcpyToSymbol(distance, &there, sizeof there));
        copy_far<<<CTAS, THREADS>>>(out, a);
        HOLDS(all_are(out, value + 4));
        add<<<CTAS, THREADS>>>(b, N, 3);
        copy_turns<<<dim3(CTAS, 2), THREADS>>>(out, a, there);
        HOLDS(all_are(out, value + 6) && all_are(out + N, value + 7));
        add<<<CTAS, THREADS>>>(b, N, 1);
        add_rows<<<CTAS, THREADS>>>(out, a, there, 2);
        HOLDS(all_are(out, 2 * value + 14));
        add<<<CTAS, THREADS>>>(b, N, 1);
        for (unsigned first : {0u, 4u, 9u}) {
            renew(out, 0);
            renew(out + N, 0);
            copy_some<<<dim3(CTAS, 16), THREADS>>>(out, a, there, first);
            HOLDS(all_are(out, value + 6) && all_are(out + N, value + 9));
        }
    }
}

/* The analysis may not sample the threads that leave their array. They read data of other
   devices. */
static void choices()
{
    std::vector<int> got(MANY);
    int *a, *b, *out, value = 0;

    MUST(cudaMalloc(&a, N * sizeof(int)));
    MUST(cudaMalloc(&b, N * sizeof(int)));
    MUST(cudaMalloc(&out, MANY * sizeof(int)));
    MUST(cudaMemset(a, 0, N * sizeof(int)));
    MUST(cudaMemset(b, 0, N * sizeof(int)));
    for (int round = 0; round < 3; round++) {
        for (int n = 0; n < 4; n++, value++)
            add<<<CTAS, THREADS>>>(b, N, 1);
        copy_either<<<CTAS, THREADS>>>(out, a, b - a);
        MUST(cudaMemcpy(got.data(), out, N * sizeof(int), cudaMemcpyDeviceToHost));
        HOLDS(std::count(got.begin(), got.begin() + N, value) == N / 2);
        copy_lone<<<MANY / THREADS, THREADS>>>(out, a, b - a, 30000 + round);
        MUST(cudaMemcpy(got.data(), out, MANY * sizeof(int), cudaMemcpyDeviceToHost));
        HOLDS(std::count(got.begin(), got.end(), value) == 1);
    }
    MUST(cudaFree(a));
    MUST(cudaFree(b));
    MUST(cudaFree(out));
}

/* An index or an iteration times a distance. The sampled threads stay inside, or none is
   sampled. */
static void chosen_rows()
{
    std::vector<int> got(2 * N);
    int *a, *b, *out, value = 0;

    MUST(cudaMalloc(&a, N * sizeof(int)));
    MUST(cudaMalloc(&b, N * sizeof(int)));
    MUST(cudaMalloc(&out, 2 * N * sizeof(int)));
    MUST(cudaMemset(a, 0, N * sizeof(int)));
    MUST(cudaMemset(b, 0, N * sizeof(int)));
    for (int round = 0; round < 6; round++) {
        const bool is_odd = round % 2;

        for (int n = 0; n < 4; n++, value++)
            add<<<CTAS, THREADS>>>(b, N, 1);
        HOLDS(all_are(b, value));
        if (round % 3 == 2)
            copy_planes<<<dim3(CTAS, 2), THREADS>>>(out, a, b - a);
        else
            add_chosen<<<CTAS, THREADS>>>(out, a, b - a, is_odd ? 1 : 2, is_odd ? 2 : 1);
        MUST(cudaMemcpy(got.data(), out, 2 * N * sizeof(int), cudaMemcpyDeviceToHost));
        HOLDS(round % 3 == 2 ? std::count(got.begin() + N, got.end(), value) == N
                             : std::count(got.begin(), got.begin() + N, value) == N / 2);
    }
    MUST(cudaFree(a));
    MUST(cudaFree(b));
    MUST(cudaFree(out));
}

static void packed()
{
    int *a;

    MUST(cudaMalloc(&a, N * sizeof(int)));
    renew(a, 1);
    step_on<<<CTAS, THREADS>>>({3, a, N});
    step_on<<<CTAS, THREADS>>>({4, a, N});
    HOLDS(all_are(a, 8));
    MUST(cudaFree(a));
}

static void compared(int *a, int *b)
{
    int *pointers[2] = {b, b}, **copy;

    MUST(cudaMalloc(&copy, sizeof pointers));
    MUST(cudaMemcpy(copy, pointers, sizeof pointers, cudaMemcpyHostToDevice));
    compare<<<CTAS, THREADS>>>(a, copy, b);
    HOLDS(all_are(a, 1));
    MUST(cudaMemcpyToSymbol(favourite, &a, sizeof a));
    compare<<<CTAS, THREADS>>>(a, copy, a);
    HOLDS(all_are(a, 2));
    MUST(cudaFree(copy));
}

static void variables(int *a)
{
    int *address;

    MUST(cudaGetSymbolAddress((void **)&address, table));
    for (int value : {3, 4, 5}) {
        set_table<<<1, 1>>>(value);
        copy_window<<<CTAS, THREADS>>>(a, address, 0);
        HOLDS(all_are(a, value));
    }
}

int main()
{
    int *a, *hole, *b, *c;

    setenv("PROACT_SPLIT", "always", 1);
    MUST(cudaMalloc(&a, N * sizeof(int)));
    MUST(cudaMalloc(&hole, 4 * N * sizeof(int)));
    MUST(cudaMalloc(&b, N * sizeof(int)));
    MUST(cudaMalloc(&c, 2 * N * sizeof(int)));
    MUST(cudaFree(hole));
    ends(a, b);
    chosen(a, b, c);
    windows(a, b, c);
    same_address(a, b, c);
    beyond(a, b, c);
    choices();
    chosen_rows();
    packed();
    compared(a, b);
    variables(a);
    MUST(cudaFree(a));
    MUST(cudaFree(b));
    MUST(cudaFree(c));
    puts("beside: right");
}
