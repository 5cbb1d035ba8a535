/* SPDX-License-Identifier: Apache-2.0 */
/* Managed memory: one address for host and device, pointers inside it, and a managed
   variable. */
#include "check.cuh"

struct node {
    int value;
    node *next;
};

__managed__ int sum;
__managed__ int table[4] = {1, 2, 3, 4};

__global__ void walk(const node *n)
{
    for (sum = 0; n; n = n->next)
        sum += n->value;
    table[3] = sum;
}

__global__ void square(int *x, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;

    if (i < n)
        x[i] *= x[i];
}

__global__ void add_entry(int *x, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;

    if (i < n)
        x[i] += table[i & 3];
}

/* Kernels with many CTAs see the host's write to a managed variable. */
static void read_by_many(void)
{
    int *x, host[1000];

    MUST(cudaMalloc(&x, sizeof host));
    MUST(cudaMemset(x, 0, sizeof host));
    for (int round = 1; round < 4; round++) {
        table[2] = round;
        add_entry<<<10, 128>>>(x, 1000);
        MUST(cudaDeviceSynchronize());
    }
    MUST(cudaMemcpy(host, x, sizeof host, cudaMemcpyDeviceToHost));
    HOLDS(host[2] == 6 && host[502] == 6 && host[998] == 6 && host[997] == 6);
    MUST(cudaFree(x));
}

/* Symbol calls on managed variables have the address that the host uses. */
static void symbols(void)
{
    int h[2] = {21, 22}, *at = nullptr;
    size_t bytes = 0;
    cudaPointerAttributes is;

    MUST(cudaGetSymbolAddress((void **)&at, table));
    MUST(cudaGetSymbolSize(&bytes, table));
    HOLDS(at == table && bytes == sizeof table);
    MUST(cudaGetSymbolAddress((void **)&at, sum));
    HOLDS(at == &sum);
    MUST(cudaPointerGetAttributes(&is, at));
    HOLDS(is.type == cudaMemoryTypeManaged && is.devicePointer == at &&
          is.hostPointer == at);
    MUST(cudaMemcpyToSymbol(table, h, sizeof h, 4));
    HOLDS(table[1] == 21 && table[2] == 22);
    table[2] = 23;
    MUST(cudaMemcpyFromSymbol(h, table, sizeof h, 4));
    HOLDS(h[0] == 21 && h[1] == 23);
    HOLDS(cudaMemcpyToSymbol(table, h, sizeof h, 12) == cudaErrorInvalidValue);
    HOLDS(cudaGetSymbolAddress((void **)&at, table[1]) == cudaErrorInvalidSymbol);
    cudaGetLastError();
}

int main()
{
    node *list = nullptr;
    int *x, *plain, three = 3;

    for (int i = 1; i <= 100; i++) {
        node *n;

        MUST(cudaMallocManaged(&n, sizeof *n));
        n->value = i;
        n->next = list;
        list = n;
    }
    walk<<<1, 1>>>(list);
    MUST(cudaDeviceSynchronize());
    HOLDS(sum == 5050 && table[3] == 5050 && table[0] == 1);
    list->value += 7;
    walk<<<1, 1>>>(list);
    MUST(cudaDeviceSynchronize());
    HOLDS(sum == 5057);

    MUST(cudaMallocManaged(&x, 1000 * sizeof *x, cudaMemAttachGlobal));
    MUST(cudaMalloc(&plain, 1000 * sizeof *plain));
    for (int i = 0; i < 1000; i++)
        x[i] = i;
    square<<<10, 128>>>(x, 1000);
    MUST(cudaMemcpy(plain, x, 1000 * sizeof *x, cudaMemcpyDefault));
    MUST(cudaDeviceSynchronize());
    HOLDS(x[999] == 999 * 999);
    x[1] = -1;
    MUST(cudaMemcpy(x + 2, &three, sizeof three, cudaMemcpyHostToDevice));
    square<<<10, 128>>>(x, 3);
    MUST(cudaMemcpy(x + 3, plain + 30, 4, cudaMemcpyDeviceToDevice));
    MUST(cudaDeviceSynchronize());
    HOLDS(x[1] == 1 && x[2] == 9 && x[3] == 900);
    MUST(cudaMemset(x, 0, 8));
    MUST(cudaDeviceSynchronize());
    HOLDS(x[1] == 0 && x[2] == 9);
    MUST(cudaFree(x));
    while (list) {
        node *next = list->next;

        MUST(cudaFree(list));
        list = next;
    }
    read_by_many();
    symbols();
    printf("managed: %d\n", sum);
    return 0;
}
