/* SPDX-License-Identifier: Apache-2.0 */
/* Powers modulo 64-bit numbers through 128-bit products: the compiler's code for the
   remainder adds with the carry flag of a subtraction. */
#include "programs.h"
#include <vector>

__extension__ typedef unsigned __int128 wide;

__host__ __device__ static unsigned long long
power(unsigned long long base, unsigned exponent, unsigned long long modulus)
{
    unsigned long long result = 1;

    for (; exponent; exponent >>= 1) {
        if (exponent & 1)
            result = (unsigned long long)((wide)result * base % modulus);
        base = (unsigned long long)((wide)base * base % modulus);
    }
    return result;
}

__global__ void raise(const unsigned long long *base, const unsigned long long *modulus,
                      unsigned long long *out, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;

    if (i < n)
        out[i] = power(base[i], 65537 + i, modulus[i]);
}

int main(void)
{
    const int n = 2000;
    const size_t bytes = n * sizeof(unsigned long long);
    std::vector<unsigned long long> base(n), modulus(n), result(n);
    unsigned long long *d_base, *d_modulus, *d_out;
    unsigned state = 3;
    bool right = true;

    for (int i = 0; i < n; i++) {
        base[i] = (unsigned long long)next_random(&state) << 40 | next_random(&state);
        modulus[i] = ~0ull >> i % 60 | 1;
    }
    CHECK(cudaMalloc(&d_base, bytes));
    CHECK(cudaMalloc(&d_modulus, bytes));
    CHECK(cudaMalloc(&d_out, bytes));
    CHECK(cudaMemcpy(d_base, base.data(), bytes, cudaMemcpyHostToDevice));
    CHECK(cudaMemcpy(d_modulus, modulus.data(), bytes, cudaMemcpyHostToDevice));
    raise<<<blocks_for(n, 128), 128>>>(d_base, d_modulus, d_out, n);
    CHECK(cudaMemcpy(result.data(), d_out, bytes, cudaMemcpyDeviceToHost));
    for (int i = 0; i < n; i++)
        right = right && result[i] == power(base[i], 65537 + i, modulus[i]);
    printf("checksum %08x\n", checksum(result.data(), bytes));
    CHECK(cudaFree(d_base));
    CHECK(cudaFree(d_modulus));
    CHECK(cudaFree(d_out));
    return verdict("wide_powers", right);
}
