/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/* Stand-in for NCCL where all ranks share one GPU: the operations of a group are compared
   with each other and performed by copies when the group ends. What NCCL would not accept
   ends the program with status 3. */

#include <cuda_runtime.h>

#include <cstdio>
#include <cstdlib>
#include <vector>

struct stand_in_comm {
    int rank;
};
typedef stand_in_comm *ncclComm_t;
typedef int ncclResult_t;
enum { ncclChar };

enum stand_in_kind { STAND_IN_SEND, STAND_IN_RECEIVE, STAND_IN_GATHER, STAND_IN_BROADCAST };

struct stand_in_operation {
    stand_in_kind kind;
    const char *from;
    char *to;
    size_t bytes;
    int rank, peer; /* peer: or the root */
    bool done;
};

inline std::vector<stand_in_operation> &stand_in_group()
{
    static std::vector<stand_in_operation> group;

    return group;
}

[[noreturn]] inline void stand_in_die(const char *why)
{
    std::fprintf(stderr, "NCCL: %s\n", why);
    std::exit(3);
}

inline int ncclCommInitAll(ncclComm_t *comm, int count, const int *)
{
    for (int i = 0; i < count; i++)
        comm[i] = new stand_in_comm{i};
    return 0;
}

inline int ncclCommDestroy(ncclComm_t comm)
{
    delete comm;
    return 0;
}

inline int ncclGroupStart()
{
    stand_in_group().clear();
    return 0;
}

inline int stand_in_add(stand_in_kind kind, const void *from, void *to, size_t bytes,
                        int peer, ncclComm_t comm)
{
    stand_in_group().push_back(
        {kind, (const char *)from, (char *)to, bytes, comm->rank, peer, false});
    return 0;
}

inline int ncclSend(const void *from, size_t bytes, int, int peer, ncclComm_t comm,
                    cudaStream_t)
{
    return stand_in_add(STAND_IN_SEND, from, nullptr, bytes, peer, comm);
}

inline int ncclRecv(void *to, size_t bytes, int, int peer, ncclComm_t comm, cudaStream_t)
{
    return stand_in_add(STAND_IN_RECEIVE, nullptr, to, bytes, peer, comm);
}

inline int ncclAllGather(const void *from, void *to, size_t bytes, int, ncclComm_t comm,
                         cudaStream_t)
{
    if ((const char *)from != (char *)to + (size_t)comm->rank * bytes)
        stand_in_die("the all-gather is not in place");
    return stand_in_add(STAND_IN_GATHER, from, to, bytes, 0, comm);
}

inline int ncclBroadcast(const void *from, void *to, size_t bytes, int, int root,
                         ncclComm_t comm, cudaStream_t)
{
    return stand_in_add(STAND_IN_BROADCAST, from, to, bytes, root, comm);
}

/* The first operation of `rank` that is not done, of the kind or from the sender. */
inline stand_in_operation &stand_in_find(int rank, stand_in_kind kind, int peer, bool pairs)
{
    for (stand_in_operation &o : stand_in_group())
        if (!o.done && o.rank == rank && o.kind == kind && (!pairs || o.peer == peer))
            return o;
    stand_in_die("an operation has no counterpart");
}

inline void stand_in_copy(char *to, const char *from, size_t bytes)
{
    if (to != from)
        cudaMemcpy(to, from, bytes, cudaMemcpyDeviceToDevice);
}

/* Operation `o` of rank 0 and its counterparts. */
inline void stand_in_collect(const stand_in_operation o, int ranks)
{
    std::vector<stand_in_operation> all;

    for (int r = 0; r < ranks; r++) {
        stand_in_operation &mine = stand_in_find(r, o.kind, o.peer, false);

        if (mine.bytes != o.bytes || mine.peer != o.peer)
            stand_in_die("two ranks differ");
        mine.done = true;
        all.push_back(mine);
    }
    for (int to = 0; to < ranks; to++)
        for (int from = 0; from < ranks; from++)
            if (o.kind == STAND_IN_GATHER)
                stand_in_copy(all[to].to + (size_t)from * o.bytes, all[from].from, o.bytes);
            else if (from == o.peer)
                stand_in_copy(all[to].to, all[from].from, o.bytes);
}

inline int ncclGroupEnd()
{
    int ranks = 0;

    cudaDeviceSynchronize();
    for (const stand_in_operation &o : stand_in_group())
        ranks = o.rank + 1 > ranks ? o.rank + 1 : ranks;
    for (stand_in_operation &o : stand_in_group()) {
        if (o.done)
            continue;
        if (o.kind == STAND_IN_GATHER || o.kind == STAND_IN_BROADCAST) {
            stand_in_collect(o, ranks);
        } else if (o.kind == STAND_IN_SEND) {
            stand_in_operation &r = stand_in_find(o.peer, STAND_IN_RECEIVE, o.rank, true);

            if (r.bytes != o.bytes)
                stand_in_die("a send and its receive differ");
            stand_in_copy(r.to, o.from, o.bytes);
            o.done = r.done = true;
        }
    }
    for (const stand_in_operation &o : stand_in_group())
        if (!o.done)
            stand_in_die("a receive has no send");
    cudaDeviceSynchronize();
    return 0;
}
