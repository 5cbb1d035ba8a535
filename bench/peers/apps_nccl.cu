/* SPDX-License-Identifier: Apache-2.0 */
/* NCCL after each kernel, one process, one communicator for each GPU: an in-place
   all-gather of what the parts wrote, or only the halos that the neighbours read. Launches
   are recorded as one graph for each GPU. */
#include <nccl.h>

#include "app_main.cuh"

struct nccl_session : proact {
    const std::vector<ncclComm_t> &comm;

    nccl_session(const std::vector<ncclComm_t> &comm_, bool halos)
        : proact((unsigned)comm_.size(), app_all_parts((unsigned)comm_.size())), comm(comm_)
    {
        sends_halos = halos;
    }

    void send_halo(const app_launch &l, unsigned w, unsigned d, int peer)
    {
        const uint64_t halo = l.write[w].halo_bytes;
        const bool above = peer > (int)d;
        const uint64_t mine = above ? l.first_byte(w, d + 1) - halo : l.first_byte(w, d);
        const uint64_t theirs = above ? l.first_byte(w, d + 1) : l.first_byte(w, d) - halo;
        char *base = l.array(w).base[d];

        MUST(ncclSend(base + mine, halo, ncclChar, peer, comm[d], stream[d]));
        MUST(ncclRecv(base + theirs, halo, ncclChar, peer, comm[d], stream[d]));
    }

    /* Equal parts. The last one may extend into the padding after the array. */
    void gather(const app_launch &l, unsigned w, unsigned d)
    {
        const uint64_t part = l.first_byte(w, 1), bytes = l.array(w).bytes;
        char *base = l.array(w).base[d];

        if (part * parts <= bytes + bytes / 4 + (1 << 20)) {
            MUST(ncclAllGather(base + d * part, base, part, ncclChar, comm[d], stream[d]));
            return;
        }
        for (unsigned root = 0; root < parts; root++) {
            char *piece = base + l.first_byte(w, root);
            const uint64_t count = l.first_byte(w, root + 1) - l.first_byte(w, root);

            if (count)
                MUST(ncclBroadcast(piece, piece, count, ncclChar, (int)root, comm[d],
                                   stream[d]));
        }
    }

    void exchange(const app_launch &l) override
    {
        if (!l.write_count)
            return;
        MUST(ncclGroupStart());
        for (unsigned w = 0; w < l.write_count; w++)
            for (unsigned d = 0; d < parts; d++) {
                if (!l.write[w].halo_bytes) {
                    gather(l, w, d);
                    continue;
                }
                if (d > 0)
                    send_halo(l, w, d, (int)d - 1);
                if (d + 1 < parts)
                    send_halo(l, w, d, (int)d + 1);
            }
        MUST(ncclGroupEnd());
    }
};

int main(int argc, char **argv)
{
    app_program program(argc, argv);
    std::vector<ncclComm_t> comm(program.devices);

    setenv("NCCL_NVLS_ENABLE", "0", 0); /* as in nccl.cu */
    program.start();
    MUST(ncclCommInitAll(comm.data(), (int)program.devices, nullptr));
    for (int halos = 0; halos < 2; halos++)
        program.measure("NCCL", halos ? "halos" : "all-gather", [&](unsigned) {
            return std::unique_ptr<proact>(new nccl_session(comm, halos));
        });
    for (ncclComm_t c : comm)
        ncclCommDestroy(c);
    return program.finish();
}
