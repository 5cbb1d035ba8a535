/* SPDX-License-Identifier: Apache-2.0 */
/* cudaMemcpyPeerAsync: one stream per sender, rotated destinations. */
#include "host_driven.cuh"

int main(int argc, char **argv)
{
    peer_work w = peer_arguments(argc, argv);
    host_driven h(w);

    h.measure("cudaMemcpyPeerAsync", [&](uint64_t at, uint64_t bytes) {
        for (int turn = 1; turn < w.devices; turn++)
            for (int d = 0; d < w.producers(); d++) {
                int peer = (d + turn) % w.devices;
                uint64_t offset = d * w.partition() + at;

                MUST(cudaMemcpyPeerAsync((char *)h.device[peer].array + offset, peer,
                                         (char *)h.device[d].array + offset, d, bytes,
                                         h.device[d].send));
            }
    });
    return 0;
}
