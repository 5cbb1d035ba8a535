/* SPDX-License-Identifier: Apache-2.0 */
/* NVSHMEM, one process per device. Every CTA puts its output to each peer, block-wide and
   without waiting; for larger chunks, the last CTA of a chunk does. A barrier then
   completes the puts. With NVSHMEM-signal, each put increments a signal at its receiver,
   which waits for the expected count and acknowledges it to the sender. */
#include <nvshmem.h>
#include <nvshmemx.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include "peer.cuh"

/* `arrived`: at the receiver, the puts of each sender. */
template <bool SIGNALS>
__global__ void make_and_put(micro_vector *out, unsigned multiply_adds, unsigned first,
                             unsigned salt, unsigned *counter, unsigned group,
                             uint64_t *arrived)
{
    __shared__ bool last;
    unsigned i = (first + blockIdx.x) * blockDim.x + threadIdx.x;
    int me = nvshmem_my_pe(), all = nvshmem_n_pes();
    unsigned chunk = blockIdx.x / group;

    out[i] = micro_make(i, multiply_adds, salt);
    __syncthreads();
    if (group > 1) {
        if (threadIdx.x == 0) {
            __threadfence();
            last = atomicAdd(&counter[chunk], 1) == group - 1;
            if (last) {
                counter[chunk] = 0;
                __threadfence();
            }
        }
        __syncthreads();
        if (!last)
            return;
    }
    micro_vector *from = out + (uint64_t)(first + chunk * group) * blockDim.x;
    size_t bytes = (size_t)group * blockDim.x * sizeof *out;

    for (int turn = 1; turn < all; turn++)
        if (SIGNALS)
            nvshmemx_putmem_signal_nbi_block(from, from, bytes, arrived + me, 1,
                                             NVSHMEM_SIGNAL_ADD, (me + turn) % all);
        else
            nvshmemx_putmem_nbi_block(from, from, bytes, (me + turn) % all);
}

/* Symmetric memory, except `launches`, by which a replayed kernel numbers its launches. */
struct signals {
    uint64_t *arrived, *consumed, *launches;
};

/* One thread per peer. A receiver has all puts of a launch when their signals have arrived;
   it then allows the sender to write its array again. */
__global__ void meet(signals s, uint64_t puts, int producers)
{
    __shared__ uint64_t launch;
    int me = nvshmem_my_pe(), peers = nvshmem_n_pes() - 1, peer = (int)threadIdx.x;

    if (peer == 0)
        launch = ++*s.launches;
    __syncthreads();
    if (peer < producers && peer != me) {
        nvshmem_signal_wait_until(s.arrived + peer, NVSHMEM_CMP_GE, launch * puts);
        nvshmemx_signal_op(s.consumed, 1, NVSHMEM_SIGNAL_ADD, peer);
    }
    if (peer == me && me < producers)
        nvshmem_signal_wait_until(s.consumed, NVSHMEM_CMP_GE, launch * peers);
}

/* Back-to-back launches as one graph. */
template <class Queue> static cudaGraphExec_t capture(cudaStream_t stream, Queue queue)
{
    cudaGraphExec_t exec;
    cudaGraph_t graph;

    MUST(cudaStreamBeginCapture(stream, cudaStreamCaptureModeRelaxed));
    queue();
    MUST(cudaStreamEndCapture(stream, &graph));
    MUST(cudaGraphInstantiate(&exec, graph, 0));
    MUST(cudaGraphDestroy(graph));
    return exec;
}

template <bool SIGNALS> static void measure(const peer_work &w, int me, unsigned group)
{
    micro_vector *array = (micro_vector *)nvshmem_malloc(w.bytes);
    unsigned ctas = (unsigned)(w.partition() / MICRO_CTA_BYTES), salt = 0, *counter;
    signals s = {(uint64_t *)nvshmem_calloc(w.devices, sizeof(uint64_t)),
                 (uint64_t *)nvshmem_calloc(1, sizeof(uint64_t)), nullptr};
    cudaStream_t stream;
    std::vector<double> ns;

    MUST(cudaStreamCreate(&stream));
    MUST(cudaMalloc(&s.launches, sizeof *s.launches));
    MUST(cudaMemset(s.launches, 0, sizeof *s.launches));
    MUST(cudaMalloc(&counter, ctas * sizeof *counter));
    MUST(cudaMemset(counter, 0, ctas * sizeof *counter));
    MUST(cudaMemset(array, 0, w.bytes));
    auto queue = [&] {
        for (unsigned n = 0; n < w.launches; n++) {
            salt++;
            if (me < w.producers())
                make_and_put<SIGNALS><<<ctas, MICRO_THREADS, 0, stream>>>(
                    array, w.multiply_adds, me * ctas, salt, counter, group, s.arrived);
            if (SIGNALS)
                meet<<<1, w.devices, 0, stream>>>(s, ctas / group, w.producers());
            else
                nvshmemx_barrier_all_on_stream(stream);
        }
    };

    queue(); /* loading at a first launch cannot be captured */
    MUST(cudaStreamSynchronize(stream));
    cudaGraphExec_t graph = w.launches > 1 ? capture(stream, queue) : nullptr;

    for (int i = 0; i < PEER_WARM + PEER_RUNS; i++) {
        MUST(cudaDeviceSynchronize());
        nvshmem_barrier_all();
        double from = peer_now_ns();

        if (graph)
            MUST(cudaGraphLaunch(graph, stream));
        else
            queue();
        MUST(cudaStreamSynchronize(stream));
        if (i >= PEER_WARM)
            ns.push_back((peer_now_ns() - from) / w.launches);
    }
    peer_check(array, w, salt);
    if (me == 0)
        peer_print(SIGNALS ? "NVSHMEM-signal" : "NVSHMEM",
                   (uint64_t)group * MICRO_CTA_BYTES, ns);
    nvshmem_barrier_all();
    MUST(cudaFree(counter));
    MUST(cudaFree(s.launches));
    nvshmem_free(s.consumed);
    nvshmem_free(s.arrived);
    nvshmem_free(array);
}

static int run(const peer_work &w, int me, nvshmemx_uniqueid_t *id, volatile int *received)
{
    nvshmemx_init_attr_t attr = NVSHMEMX_INIT_ATTR_INITIALIZER;

    MUST(cudaSetDevice(me));
    if (me == 0) {
        *id = NVSHMEMX_UNIQUEID_INITIALIZER;
        MUST(nvshmemx_get_uniqueid(id));
        __sync_synchronize();
        *received = 1;
    }
    while (!*received)
        usleep(100);
    MUST(nvshmemx_set_attr_uniqueid_args(me, w.devices, id, &attr));
    MUST(nvshmemx_init_attr(NVSHMEMX_INIT_WITH_UNIQUEID, &attr));
    const uint64_t ctas = w.partition() / MICRO_CTA_BYTES;

    for (unsigned group = 1; group <= 256 && group <= ctas; group *= 4)
        measure<false>(w, me, group);
    for (unsigned group = 1; group <= 256 && group <= ctas; group *= 4)
        measure<true>(w, me, group);
    nvshmem_finalize();
    return 0;
}

int main(int argc, char **argv)
{
    peer_work w = peer_arguments(argc, argv);
    void *shared =
        mmap(nullptr, 4096, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    nvshmemx_uniqueid_t *id = (nvshmemx_uniqueid_t *)shared;
    volatile int *received = (volatile int *)((char *)shared + 4000);
    int failed = 0, status;

    setenv("NVSHMEM_SYMMETRIC_SIZE", "2G", 0);
    setenv("NVSHMEM_DISABLE_NVLS", "1", 0); /* as in nccl.cu */
    for (int me = 0; me < w.devices; me++)
        if (fork() == 0)
            _exit(run(w, me, id, received));
    while (wait(&status) > 0)
        failed |= status;
    return failed ? 1 : 0;
}
