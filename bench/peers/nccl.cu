/* SPDX-License-Identifier: Apache-2.0 */
/* NCCL, one process for all devices: a group of in-place broadcasts, or an all-gather if a
   partition is sent at once. */
#include <nccl.h>

#include "host_driven.cuh"

int main(int argc, char **argv)
{
    peer_work w = peer_arguments(argc, argv);
    host_driven h(w);
    std::vector<ncclComm_t> comm(w.devices);

    /* NVLink multicast is off by default, because proact does not use it. The environment
       can switch it on. */
    setenv("NCCL_NVLS_ENABLE", "0", 0);
    MUST(ncclCommInitAll(comm.data(), w.devices, nullptr));
    h.measure("NCCL", [&](uint64_t at, uint64_t bytes) {
        for (int d = w.producers(); d < w.devices; d++) { /* receivers only */
            MUST(cudaSetDevice(d));
            MUST(cudaStreamWaitEvent(h.device[d].send, h.device[0].made, 0));
        }
        MUST(ncclGroupStart());
        for (int d = 0; d < w.devices; d++) {
            char *array = (char *)h.device[d].array;

            if (w.all_to_all && bytes == w.partition()) {
                MUST(ncclAllGather(array + d * w.partition(), array, bytes, ncclChar,
                                   comm[d], h.device[d].send));
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
