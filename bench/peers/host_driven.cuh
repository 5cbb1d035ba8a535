/* SPDX-License-Identifier: Apache-2.0 */
/* A pipeline written by hand: the producer consists of several launches, and a second
   stream sends the output of each one while the next one runs. The program defines the
   transfer. */
#pragma once

#include "peer.cuh"

struct peer_device {
    cudaStream_t make, send;
    cudaEvent_t made, sent;
    micro_vector *array;
};

struct host_driven {
    peer_work work;
    std::vector<peer_device> device;

    explicit host_driven(const peer_work &w) : work(w), device(w.devices)
    {
        for (int d = 0; d < w.devices; d++) {
            MUST(cudaSetDevice(d));
            for (int p = 0; p < w.devices; p++)
                if (p != d)
                    MUST(cudaDeviceEnablePeerAccess(p, 0));
            MUST(cudaStreamCreateWithFlags(&device[d].make, cudaStreamNonBlocking));
            MUST(cudaStreamCreateWithFlags(&device[d].send, cudaStreamNonBlocking));
            MUST(cudaEventCreateWithFlags(&device[d].made, cudaEventDisableTiming));
            MUST(cudaEventCreateWithFlags(&device[d].sent, cudaEventDisableTiming));
            MUST(cudaMalloc(&device[d].array, w.bytes));
            MUST(cudaMemset(device[d].array, 0, w.bytes));
        }
        synchronize();
    }

    void synchronize()
    {
        for (size_t d = 0; d < device.size(); d++) {
            MUST(cudaSetDevice((int)d));
            MUST(cudaDeviceSynchronize());
        }
    }

    /* The next launch overwrites data that this one has sent. */
    void meet()
    {
        for (size_t d = 0; d < device.size(); d++) {
            MUST(cudaSetDevice((int)d));
            MUST(cudaEventRecord(device[d].sent, device[d].send));
        }
        for (int d = 0; d < work.producers(); d++)
            for (peer_device &other : device)
                MUST(cudaStreamWaitEvent(device[d].make, other.sent, 0));
    }

    template <class Send> double once(uint64_t piece, unsigned &salt, Send send)
    {
        double from = peer_now_ns();

        for (unsigned n = 0; n < work.launches; n++) {
            if (n > 0)
                meet();
            launch(piece, ++salt, send);
        }
        synchronize();
        return (peer_now_ns() - from) / work.launches;
    }

    /* send(offset, bytes): the piece at `offset` of every partition is complete. */
    template <class Send> void launch(uint64_t piece, unsigned salt, Send send)
    {
        const uint64_t partition = work.partition();

        for (uint64_t at = 0; at < partition; at += piece) {
            for (int d = 0; d < work.producers(); d++) {
                unsigned first = (unsigned)((d * partition + at) / MICRO_CTA_BYTES);

                MUST(cudaSetDevice(d));
                peer_make<<<(unsigned)(piece / MICRO_CTA_BYTES), MICRO_THREADS, 0,
                            device[d].make>>>(device[d].array, work.multiply_adds, first,
                                              salt);
                MUST(cudaEventRecord(device[d].made, device[d].make));
                MUST(cudaStreamWaitEvent(device[d].send, device[d].made, 0));
            }
            send(at, piece);
        }
    }

    /* One row per number of pieces; one piece is bulk. */
    template <class Send> void measure(const char *method, Send send)
    {
        unsigned salt = 0;

        for (uint64_t pieces = 1; pieces <= 32; pieces *= 2) {
            std::vector<double> ns;
            uint64_t piece = work.partition() / pieces;

            if (piece < MICRO_CTA_BYTES)
                break;
            for (int i = 0; i < PEER_WARM + PEER_RUNS; i++) {
                double took = once(piece, salt, send);

                if (i >= PEER_WARM)
                    ns.push_back(took);
            }
            for (peer_device &d : device)
                peer_check(d.array, work, salt);
            peer_print(method, piece, ns);
        }
    }
};
