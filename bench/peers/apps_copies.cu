/* SPDX-License-Identifier: Apache-2.0 */
/* cudaMemcpyPeerAsync after each kernel: every GPU copies what its part wrote to each peer,
   or only the halos that the neighbours read, and all GPUs wait for each other. */
#include "app_main.cuh"

struct copies_session : proact {
    std::vector<cudaEvent_t> made;

    copies_session(unsigned devices, bool halos)
        : proact(devices, app_all_parts(devices)), made(devices)
    {
        sends_halos = halos;
        for (unsigned d = 0; d < devices; d++) {
            app_use(d);
            MUST(cudaEventCreateWithFlags(&made[d], cudaEventDisableTiming));
        }
    }
    ~copies_session() override
    {
        for (cudaEvent_t event : made)
            MUST(cudaEventDestroy(event));
    }
    bool records() const override
    {
        return false; /* a graph of one GPU cannot wait for another one */
    }

    void copy(proact_array &a, unsigned from, unsigned to, uint64_t first, uint64_t end)
    {
        if (first < end)
            MUST(cudaMemcpyPeerAsync(a.base[to] + first, (int)app_gpu(to),
                                     a.base[from] + first, (int)app_gpu(from), end - first,
                                     stream[from]));
    }

    void send(const app_launch &l, unsigned w, unsigned d)
    {
        const uint64_t first = l.first_byte(w, d), end = l.first_byte(w, d + 1);
        const uint64_t halo = l.write[w].halo_bytes;

        if (halo && d > 0)
            copy(l.array(w), d, d - 1, first, first + halo);
        if (halo && d + 1 < parts)
            copy(l.array(w), d, d + 1, end - halo, end);
        for (unsigned turn = 1; turn < parts && !halo; turn++)
            copy(l.array(w), d, (d + turn) % parts, first, end);
    }

    void meet()
    {
        for (unsigned d = 0; d < parts; d++) {
            app_use(d);
            MUST(cudaEventRecord(made[d], stream[d]));
        }
        for (unsigned d = 0; d < parts; d++)
            for (unsigned other = 0; other < parts; other++)
                if (other != d)
                    MUST(cudaStreamWaitEvent(stream[d], made[other], 0));
    }

    /* No copy may overwrite what a kernel of the same launch reads. */
    void exchange(const app_launch &l) override
    {
        meet();
        for (unsigned d = 0; d < parts; d++) {
            app_use(d);
            for (unsigned w = 0; w < l.write_count; w++)
                send(l, w, d);
        }
        if (l.write_count)
            meet();
    }
};

int main(int argc, char **argv)
{
    app_program program(argc, argv);

    program.connect();
    program.start();
    for (int halos = 0; halos < 2; halos++)
        program.measure("cudaMemcpyPeerAsync", halos ? "halos" : "all", [&](unsigned n) {
            return std::unique_ptr<proact>(new copies_session(n, halos));
        });
    return program.finish();
}
