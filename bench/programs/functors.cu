/* SPDX-License-Identifier: Apache-2.0 */
/* Diffusion with a source and insulated faces on N^3 points, in the style of Kokkos: views
   and functors, loops over flattened indices, and a reduction every 100 steps. Plain CUDA
   for one GPU, for nvcc and proactcc. Prints the mean and a checksum of the last step.
   Usage: functors [N [STEPS]] */
#include <cstdio>
#include <cstdlib>
#include <vector>

#include "check.cuh"

enum { THREADS = 256, LARGEST = 1024, SUM_EVERY = 100 };

struct View {
    double *data;
    int nx, ny, nz;
    __host__ __device__ int size() const
    {
        return nx * ny * nz;
    }
    __device__ double &operator()(int x, int y, int z) const
    {
        return data[((size_t)z * ny + y) * nx + x];
    }
};

static View make_view(int n)
{
    View v = {nullptr, n, n, n};

    CHECK(cudaMalloc(&v.data, v.size() * sizeof(double)));
    return v;
}

template <class Functor> __global__ void run_for(int range, Functor f)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;

    if (i < range)
        f(i);
}

template <class Functor> void parallel_for(int range, const Functor &f)
{
    run_for<<<(range + THREADS - 1) / THREADS, THREADS>>>(range, f);
    CHECK(cudaGetLastError());
}

template <class Functor, class T> __global__ void run_reduce(int range, Functor f, T *sums)
{
    __shared__ T part[THREADS];
    int i = blockIdx.x * blockDim.x + threadIdx.x;

    part[threadIdx.x] = i < range ? f(i) : T(0);
    __syncthreads();
    for (int half = THREADS / 2; half > 0; half /= 2) {
        if (threadIdx.x < half)
            part[threadIdx.x] += part[threadIdx.x + half];
        __syncthreads();
    }
    if (threadIdx.x == 0)
        sums[blockIdx.x] = part[0];
}

/* The host adds the sums of the CTAs, always in the same order. */
template <class T, class Functor> T parallel_reduce(int range, const Functor &f)
{
    int ctas = (range + THREADS - 1) / THREADS;
    std::vector<T> sums(ctas);
    T *on_device, total = 0;

    CHECK(cudaMalloc(&on_device, ctas * sizeof(T)));
    run_reduce<<<ctas, THREADS>>>(range, f, on_device);
    CHECK(cudaGetLastError());
    CHECK(cudaMemcpy(sums.data(), on_device, ctas * sizeof(T), cudaMemcpyDeviceToHost));
    CHECK(cudaFree(on_device));
    for (T sum : sums)
        total += sum;
    return total;
}

struct Start {
    View u;
    __device__ void operator()(int i) const
    {
        int x = i % u.nx, y = i / u.nx % u.ny, z = i / (u.nx * u.ny);

        u(x, y, z) = (x * 3 + y * 5 + z * 7) % 16 / 16.0;
    }
};

/* Interior points only: the range leaves out the faces. */
struct Laplacian {
    View u, change;
    __device__ void operator()(int i) const
    {
        int wide = u.nx - 2, high = u.ny - 2;
        int x = i % wide + 1, y = i / wide % high + 1, z = i / (wide * high) + 1;

        change(x, y, z) = u(x - 1, y, z) + u(x + 1, y, z) + u(x, y - 1, z) +
                          u(x, y + 1, z) + u(x, y, z - 1) + u(x, y, z + 1) - 6 * u(x, y, z);
    }
};

struct Update {
    View u, change;
    double rate, decay;
    __device__ void operator()(int i) const
    {
        u.data[i] = decay * u.data[i] + rate * change.data[i];
    }
};

/* Points of two opposite faces receive the values of their inner neighbours. */
template <int AXIS> struct Boundary {
    View u;
    __device__ void operator()(int i) const
    {
        int a = i % u.nx, b = i / u.nx, last = u.nx - 1;

        if (AXIS == 0) {
            u(0, a, b) = u(1, a, b);
            u(last, a, b) = u(last - 1, a, b);
        } else if (AXIS == 1) {
            u(a, 0, b) = u(a, 1, b);
            u(a, last, b) = u(a, last - 1, b);
        } else {
            u(a, b, 0) = u(a, b, 1);
            u(a, b, last) = u(a, b, last - 1);
        }
    }
};

struct Total {
    View u;
    __device__ double operator()(int i) const
    {
        return u.data[i];
    }
};

struct Checksum {
    View u;
    __device__ unsigned long long operator()(int i) const
    {
        unsigned long long bits = __double_as_longlong(u.data[i]);

        return ((bits ^ i * 0x9e3779b97f4a7c15ull) * 0xff51afd7ed558ccdull) >> 8;
    }
};

static double run(View u, View change, int n, int steps)
{
    int inner = (n - 2) * (n - 2) * (n - 2);
    double total = 0;

    parallel_for(u.size(), Start{u});
    for (int s = 1; s <= steps; s++) {
        parallel_for(inner, Laplacian{u, change});
        parallel_for(u.size(), Update{u, change, 0.125, 0.9999});
        parallel_for(n * n, Boundary<0>{u});
        parallel_for(n * n, Boundary<1>{u});
        parallel_for(n * n, Boundary<2>{u});
        if (s % SUM_EVERY == 0 || s == steps)
            total = parallel_reduce<double>(u.size(), Total{u});
    }
    return total / u.size();
}

int main(int argc, char **argv)
{
    int n = argc > 1 ? atoi(argv[1]) : 384, steps = argc > 2 ? atoi(argv[2]) : 500;

    if (argc > 3 || n < 3 || n > LARGEST || steps < 0) {
        fprintf(stderr, "usage: functors [N [STEPS]], N from 3 to %d\n", LARGEST);
        return 2;
    }
    View u = make_view(n), change = make_view(n);

    CHECK(cudaMemset(change.data, 0, change.size() * sizeof(double)));
    double mean = run(u, change, n, steps);

    printf("functors: %d^3 points, %d steps, mean %.15g, checksum %016llx\n", n, steps,
           mean, parallel_reduce<unsigned long long>(u.size(), Checksum{u}));
    CHECK(cudaFree(u.data));
    CHECK(cudaFree(change.data));
    return 0;
}
