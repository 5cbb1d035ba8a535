/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/* Face of the room that knows what devices and links a machine has. docs/machines.md states
   the schema of a machine file; machines/ holds the ones we ship. */

#include <proact/status.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { TOPOLOGY_DEVICES_MAX = 64, TOPOLOGY_WIRE_MAX = 8 };

/* One kind of device; all devices of a machine are of one kind. */
struct topology_device {
    char name[64];
    unsigned capability; /* compute capability: 35, 60, 70, 90 */
    unsigned sm_count;
    double clock_ghz;
    double issue_width;      /* warp instructions an SM issues in a cycle */
    double dependent_cycles; /* from one instruction of a warp to the next that needs it */
    unsigned threads_per_sm, ctas_per_sm, threads_per_cta;
    uint64_t shared_bytes_per_sm, shared_bytes_per_cta;
    double memory_gbps;       /* GB/s as measured by a copy (read + write) */
    double memory_latency_ns; /* a load that misses the L2 */
    uint64_t memory_bytes;
    double l2_gbps, l2_latency_ns;
    uint64_t l2_bytes;
    double atomic_ns;      /* between two atomics on one address */
    double launch_us;      /* from a free stream to the first CTA */
    double launch_host_us; /* host time to enqueue one launch */
    double wait_value_us;  /* a stream that waits on a word of memory sees it after */
    /* 0 where a machine file does not say it. */
    double launch_next_us; /* from a kernel's end to the next of its stream; 0: launch_us */
    double launch_graph_us; /* the same in a graph; 0: launch_next_us */
    double event_us;        /* until a stream sees an event of another device */
    double event_here_us;   /* until another stream of its device does */
    double fence_gpu_ns, fence_system_ns; /* a fence of that scope; 0: as a load */
    double copy_host_us, call_host_us;    /* host time to enqueue a copy; all else */
    /* Of launch_host_us and copy_host_us: what threads do one behind another. */
    double launch_turn_us, copy_lock_us;
    double
        open_ms; /* host time to open one, one behind another; 0: all are there at once */
};

/* How data travels from one device to another. A packet carries at most payload_bytes and
   costs header_bytes more; a run shorter than a packet costs what wire_bytes says for its
   length, where it says something. */
struct topology_wire {
    uint32_t run_bytes;
    double wire_bytes;
};

enum { TOPOLOGY_CARRY_BYTES = 512 << 10 }; /* that a kernel copies in a graph */

struct topology_fabric {
    char name[32];       /* "NVLink4", "PCIe3" */
    double egress_gbps;  /* raw rate out of one device, to all its peers together */
    double ingress_gbps; /* raw rate into one device */
    double latency_ns;   /* a store's way to the peer's memory */
    double payload_bytes, header_bytes;           /* of a packet that an SM sends */
    double copy_payload_bytes, copy_header_bytes; /* of a packet that a copy engine sends */
    double sm_gbps_per_cta; /* what one CTA of 1024 threads can send */
    double copy_start_us;   /* copy engine: one copy behind the other */
    double copy_first_us;   /* copy engine: from a free stream to the first byte */
    double copy_turn_us;    /* as copy_start_us, behind one to another device; 0: as that */
    double copy_row_ns;     /* each row of a copy of many; 0: as a packet of the longest */
    double copy_graph_us;   /* of any copy in a graph; 0: as the others */
    double carry_us;        /* of one of TOPOLOGY_CARRY_BYTES at most; 0: as any there */
    /* So many times its rate a copy's bytes cost on a way in that a copy of another sender
       takes, too; 0: once. */
    double copy_meeting;
    double bulk_gbps_per_cta; /* of bulk stores; 0: sm_gbps_per_cta */
    unsigned wire_count;
    struct topology_wire wire[TOPOLOGY_WIRE_MAX]; /* rising run_bytes */
    bool shared_bus; /* all transfers of the machine share one bus (PCIe tree) */
};

struct topology {
    char name[64], description[160], source[160]; /* source: where the numbers come from */
    unsigned device_count;
    struct topology_device device;
    struct topology_fabric fabric;
    /* Raw GB/s from device to device; 0: no direct path (staged through the host). */
    double link_gbps[TOPOLOGY_DEVICES_MAX][TOPOLOGY_DEVICES_MAX];
    double host_gbps; /* between host memory and a device */
};

/* A name in the machine folder, or a path to a .json or hwloc .xml file. The folder is
   `machines` of the source tree or of the installation. An unknown name lists the known. */
enum proact_status topology_load(const char *machine, struct topology *out,
                                 struct proact_error *err);

/* Whether a name is in the machine folder; a path counts as known, whatever is there. */
bool topology_is_known(const char *machine);

/* The first `count` devices of a machine; fails when it has fewer. 0: all. */
enum proact_status topology_restrict(struct topology *t, unsigned count,
                                     struct proact_error *err);

/* The machine as a machine file (its links as a matrix), which reads back equal. free() it.
 */
char *topology_print(const struct topology *t);

/* Names of the machines that are known, NULL-terminated; free the array and each name. */
char **topology_names(void);
