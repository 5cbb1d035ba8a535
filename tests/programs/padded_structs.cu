// SPDX-License-Identifier: Apache-2.0
// Structs with padding in their last word. Stale bytes in the padding make the word look
// like an address.
#include "programs.h"
#include <stdint.h>

enum { N = 20000, THREADS = 128, WINDOW = 1 << 16 };

struct small_number { // 6 bytes of padding after n
    int *x;
    short n;
};
struct number { // 4 bytes of padding
    int *x;
    int n;
};

template <typename S> __global__ void fill(S s)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;

    if (i < N)
        s.x[i] = s.n + i;
}

// The last word looks like an address in the 128 KB from `beside` on.
template <typename S> static bool is_filled(int *x, const char *beside)
{
    static int host[N];
    uint64_t word = ((uint64_t)(beside + WINDOW - 1) & ~(uint64_t)(WINDOW - 1)) + 1234;
    S s;
    void *args[] = {&s};
    bool all = true;

    memcpy(&s, &x, sizeof x);
    memcpy((char *)&s + sizeof x, &word, sizeof word);
    for (int round = 0; round < 3; round++)
        CHECK(cudaLaunchKernel((const void *)fill<S>, dim3(blocks_for(N, THREADS)),
                               dim3(THREADS), args, 0, 0));
    CHECK(cudaMemcpy(host, x, sizeof host, cudaMemcpyDeviceToHost));
    for (int i = 0; i < N; i++)
        all = all && host[i] == s.n + i;
    return all;
}

int main()
{
    char *device, *host = (char *)aligned_alloc(WINDOW, 2 * WINDOW);
    int *x;
    bool all;

    CHECK(cudaMalloc(&x, N * sizeof *x));
    CHECK(cudaMalloc(&device, 2 * WINDOW));
    CHECK(cudaMemset(device, 0, 2 * WINDOW));
    memset(host, 0, 2 * WINDOW);
    CHECK(cudaHostRegister(host, 2 * WINDOW, cudaHostRegisterMapped));
    all = is_filled<small_number>(x, device);
    all = is_filled<small_number>(x, host) && all;
    all = is_filled<number>(x, device) && all;
    all = is_filled<number>(x, host) && all;
    CHECK(cudaHostUnregister(host));
    free(host);
    return verdict("padded_structs", all);
}
