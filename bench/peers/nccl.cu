/* SPDX-License-Identifier: Apache-2.0 */
/* NCCL, one process with all devices: a group of broadcasts, in place; an all-gather where
   the whole share goes at once. */
#include <nccl.h>

#include "host_driven.cuh"

int main(int argc, char **argv)
{
    peer_work w = peer_arguments(argc, argv);
    host_driven h(w);
    std::vector<ncclComm_t> comm(w.devices);

    /* Multicast by the switch would have it compared with what this library does not use
       either. Who wants to see it, sets it. */
    setenv("NCCL_NVLS_ENABLE", "0", 0);
    MUST(ncclCommInitAll(comm.data(), w.devices, nullptr));
    h.measure("NCCL", [&](uint64_t at, uint64_t bytes) {
        for (int d = w.producers(); d < w.devices; d++) { /* who receive, come after */
            MUST(cudaSetDevice(d));
            MUST(cudaStreamWaitEvent(h.device[d].send, h.device[0].made, 0));
        }
        MUST(ncclGroupStart());
        for (int d = 0; d < w.devices; d++) {
            char *array = (char *)h.device[d].array;

            if (w.all_to_all && bytes == w.partition()) {
                MUST(ncclAllGather(array + d * w.partition(), array, bytes, ncclChar, comm[d],
                                   h.device[d].send));
                continue;
            }
            for (int root = 0; root < w.producers(); root++) {
                char *piece = array + root * w.partition() + at;

                MUST(ncclBroadcast(piece, piece, bytes, ncclChar, root, comm[d],
                                   h.device[d].send));
            }
        }
        MUST(ncclGroupEnd());
    });
    for (ncclComm_t c : comm)
        ncclCommDestroy(c);
    return 0;
}
