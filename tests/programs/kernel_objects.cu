/* SPDX-License-Identifier: Apache-2.0 */
/* Objects that kernels create with new, which live across launches: lists, and shapes with
   virtual functions; and malloc until the heap is exhausted. */
#include "programs.h"

enum { THREADS = 128, HEAP = 16 << 20, BLOCK = 4096 };

struct Node {
    int value;
    Node *next;
};

__device__ Node *lists[THREADS];

__global__ void make_lists()
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;

    lists[i] = NULL;
    for (int k = 0; k <= i % 7; k++) {
        Node *n = new Node;

        n->value = i * 10 + k;
        n->next = lists[i];
        lists[i] = n;
    }
}

__global__ void sum_lists(int *out)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x, sum = 0;

    while (Node *n = lists[i]) {
        sum = sum * 3 + n->value;
        lists[i] = n->next;
        delete n;
    }
    out[i] = sum;
}

class Shape
{
  public:
    __device__ virtual int area() const = 0;
    __device__ virtual ~Shape()
    {
    }
};

class Square : public Shape
{
    int side;

  public:
    __device__ Square(int s) : side(s)
    {
    }
    __device__ int area() const override
    {
        return side * side;
    }
};

class Frame : public Shape
{ /* contains another one */
    Shape *inner;
    int more;

  public:
    __device__ Frame(Shape *i, int m) : inner(i), more(m)
    {
    }
    __device__ ~Frame() override
    {
        delete inner;
    }
    __device__ int area() const override
    {
        return inner->area() * 2 + more;
    }
};

__device__ Shape *shapes[THREADS];

__global__ void make_shapes()
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    Shape *s = new Square(i % 9);

    for (int k = 0; k < i % 4; k++)
        s = new Frame(s, k + i);
    shapes[i] = s;
}

__global__ void measure_shapes(int *out)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;

    out[i] = shapes[i]->area();
    delete shapes[i];
}

/* Counts the blocks until malloc fails, and frees them all. */
__global__ void take_all(int *out)
{
    char *last = NULL, *next;
    int count = 0;

    while ((next = (char *)malloc(BLOCK)) != NULL) {
        *(char **)next = last;
        last = next;
        count++;
    }
    for (; last; last = next) {
        next = *(char **)last;
        free(last);
    }
    *out = count;
}

static int expected_area(int i)
{
    int area = i % 9 * (i % 9);

    for (int k = 0; k < i % 4; k++)
        area = area * 2 + k + i;
    return area;
}

int main()
{
    static int out[THREADS];
    bool right = true;
    int *device, count[2];
    size_t heap = 0;

    CHECK(cudaDeviceSetLimit(cudaLimitMallocHeapSize, HEAP));
    CHECK(cudaDeviceGetLimit(&heap, cudaLimitMallocHeapSize));
    right &= heap >= HEAP;
    CHECK(cudaMalloc(&device, sizeof out));
    for (int round = 0; round < 2; round++) {
        make_lists<<<2, THREADS / 2>>>();
        make_shapes<<<4, THREADS / 4>>>();
        sum_lists<<<4, THREADS / 4>>>(device);
        CHECK(cudaMemcpy(out, device, sizeof out, cudaMemcpyDeviceToHost));
        for (int i = 0; i < THREADS; i++) {
            int sum = 0;

            for (int k = i % 7; k >= 0; k--)
                sum = sum * 3 + i * 10 + k;
            right &= out[i] == sum;
        }
        measure_shapes<<<2, THREADS / 2>>>(device);
        CHECK(cudaMemcpy(out, device, sizeof out, cudaMemcpyDeviceToHost));
        for (int i = 0; i < THREADS; i++)
            right &= out[i] == expected_area(i);
        take_all<<<1, 1>>>(device);
        CHECK(cudaMemcpy(&count[round], device, sizeof *count, cudaMemcpyDeviceToHost));
    }
    for (int round = 0; round < 2; round++) /* the heap also needs memory for its own
                                               records */
        right &= count[round] > HEAP / BLOCK / 2 && count[round] <= HEAP / BLOCK;
    printf("objects %08x\n", checksum(out, sizeof out));
    CHECK(cudaFree(device));
    return verdict("kernel_objects", right);
}
