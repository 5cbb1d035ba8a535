/* SPDX-License-Identifier: Apache-2.0 */
/* Classes with virtual functions that other files call. */
#include "linked.cuh"

__device__ int table[3] = {11, 22, 33};

static __device__ __noinline__ int own(int x)
{
    return x * thrice(2);
}

__device__ Shape::Shape(int length) : side(length) {}

__device__ int Shape::area() const
{
    return side * side;
}

__device__ Half::Half(int length) : Shape(length) {}

__device__ int Half::area() const
{
    return own(side);
}

__device__ int area_of(const Shape &s)
{
    return s.area();
}
