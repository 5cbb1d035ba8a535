/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/* Shared declarations of a program with device code in several files. */

#include <cstdio>

/* Defined in linked_steps.cu. */
extern __device__ int step(int x);
extern __device__ int weigh(int x);
extern __device__ void put(int *x, int i, int value);
extern __device__ int block_sum(int value); /* of 128 threads; the first one receives it */
extern __constant__ int factors[4];
extern __device__ int counter;
extern __device__ int *const second; /* an address in the table of linked_shapes.cu */
extern __managed__ int shown;
struct Pair {
    int a;
    long long b;
};
extern __device__ Pair swapped(Pair p, char c, float f);
void scale(int *x, int n);

/* Defined in linked_shapes.cu. */
struct Shape {
    int side;
    __device__ explicit Shape(int side);
    __device__ virtual int area() const;
};
struct Half : Shape {
    __device__ explicit Half(int side);
    __device__ int area() const override;
};
extern __device__ int table[3];
extern __device__ int area_of(const Shape &s);

/* Defined in every file, with one instance. */
inline __device__ int calls = 0;
template <class T> __device__ __noinline__ T thrice(T x)
{
    atomicAdd(&calls, 1);
    return x * 3;
}
template <class T> __global__ void reset(T *x)
{
    x[threadIdx.x] = (T)threadIdx.x;
}
