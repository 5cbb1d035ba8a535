/* SPDX-License-Identifier: Apache-2.0 */
/* NVSHMEM, one process for each GPU. Every CTA puts what it wrote to the peers that read
   it, block-wide and without waiting, and a barrier completes the puts. Launches are
   recorded as a graph. */
#include <nvshmem.h>
#include <nvshmemx.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include "app_main.cuh"

struct nvshmem_session : proact {
    nvshmem_session(unsigned all, unsigned me, bool halos) : proact(all, {me})
    {
        sends_halos = halos;
    }

    bool make(proact_array &a, struct proact_error *err) override
    {
        a.base = {(char *)nvshmem_malloc(a.bytes)};
        if (!a.base[0] && err)
            std::snprintf(err->text, sizeof err->text,
                          "NVSHMEM has no room for %zu bytes: set NVSHMEM_SYMMETRIC_SIZE",
                          a.bytes);
        return a.base[0] != nullptr;
    }
    void drop(proact_array &a) override
    {
        nvshmem_barrier_all();
        nvshmem_free(a.base[0]);
    }
    /* No process starts before all have written. */
    void write(proact_array &a, uint64_t first, const void *from, uint64_t bytes) override
    {
        proact::write(a, first, from, bytes);
        nvshmemx_barrier_all_on_stream(stream[0]);
    }
    void read(proact_array &a, uint64_t first, void *into, uint64_t bytes) override
    {
        nvshmem_barrier_all();
        for (unsigned p = 0; p < parts && !a.first.empty(); p++) {
            const uint64_t low = std::max(first, a.first[p]);
            const uint64_t end = std::min(first + bytes, a.first[p + 1]);

            if (p != local[0] && low < end)
                nvshmem_getmem(a.base[0] + low, a.base[0] + low, end - low, (int)p);
        }
        MUST(cudaMemcpy(into, a.base[0] + first, bytes, cudaMemcpyDeviceToHost));
        nvshmem_barrier_all();
    }
    void exchange(const app_launch &l) override
    {
        if (l.write_count)
            nvshmemx_barrier_all_on_stream(stream[0]);
    }
};

static int run(int argc, char **argv, int me, nvshmemx_uniqueid_t *id,
               volatile int *received, unsigned all)
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
    MUST(nvshmemx_set_attr_uniqueid_args(me, (int)all, id, &attr));
    MUST(nvshmemx_init_attr(NVSHMEMX_INIT_WITH_UNIQUEID, &attr));
    app_program program(argc, argv);

    program.devices = all;
    program.prints = me == 0;
    program.start((unsigned)me);
    for (int halos = 0; halos < 2; halos++)
        program.measure("NVSHMEM", halos ? "halos" : "all", [&](unsigned devices) {
            return std::unique_ptr<proact>(
                new nvshmem_session(devices, (unsigned)me, halos));
        });
    nvshmem_finalize();
    return program.finish();
}

/* The number of GPUs, counted in a process of its own: after a call of CUDA a process
   cannot fork. */
static unsigned count_devices()
{
    int status = 0, count = 0;

    if (fork() == 0)
        _exit(cudaGetDeviceCount(&count) == cudaSuccess ? count : 0);
    wait(&status);
    return WIFEXITED(status) ? (unsigned)WEXITSTATUS(status) : 0;
}

int main(int argc, char **argv)
{
    const unsigned all = count_devices();
    void *shared =
        mmap(nullptr, 4096, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    nvshmemx_uniqueid_t *id = (nvshmemx_uniqueid_t *)shared;
    volatile int *received = (volatile int *)((char *)shared + 4000);
    unsigned used = all;
    int failed = 0, status;

    if (!all) {
        std::fprintf(stderr, "no GPU\n");
        return 77;
    }
    for (int i = 1; i + 1 < argc; i++)
        if (!std::strcmp(argv[i], "--devices"))
            used = std::min(all, (unsigned)std::max(1, std::atoi(argv[i + 1])));
    setenv("NVSHMEM_SYMMETRIC_SIZE", "16G", 0);
    setenv("NVSHMEM_DISABLE_NVLS", "1", 0); /* as in nvshmem.cu */
    for (unsigned me = 0; me < used; me++)
        if (fork() == 0)
            _exit(run(argc, argv, (int)me, id, received, used));
    while (wait(&status) > 0)
        failed |= status;
    return failed ? 1 : 0;
}
