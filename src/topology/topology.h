/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/* Devices and links of a machine. docs/machines.md defines the schema of a machine file;
   machines/ contains the shipped ones. */

#include <proact/status.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { TOPOLOGY_DEVICES_MAX = 64, TOPOLOGY_WIRE_MAX = 8, TOPOLOGY_ESTIMATES_MAX = 64 };

/* Properties of a device. All devices of a machine are of one kind. */
struct topology_device {
    char name[64];
    unsigned capability; /* compute capability: 35, 60, 70, 90 */
    unsigned sm_count;
    double clock_ghz;
    double issue_width;      /* warp instructions that an SM issues per cycle */
    double dependent_cycles; /* from an instruction of a warp to a dependent one */
    unsigned threads_per_sm, ctas_per_sm, threads_per_cta;
    uint64_t shared_bytes_per_sm, shared_bytes_per_cta;
    double memory_gbps;       /* GB/s measured by a copy (read + write) */
    double memory_latency_ns; /* of a load that misses the L2 */
    uint64_t memory_bytes;
    double l2_gbps, l2_latency_ns;
    uint64_t l2_bytes;
    double atomic_ns;      /* between two atomics on one address */
    double launch_us;      /* from an idle stream to the first CTA */
    double launch_host_us; /* host time to enqueue one launch */
    double wait_value_us;  /* delay until a stream that waits for a word in memory
                              continues */
    /* Optional keys: 0 if the machine file does not have them. */
    double launch_next_us;  /* from the end of a kernel to the next one of its stream; 0:
                               launch_us */
    double launch_graph_us; /* the same in a graph; 0: launch_next_us */
    double event_us;        /* until a stream observes an event of another device */
    double event_here_us;   /* until another stream of the same device does */
    double fence_gpu_ns, fence_system_ns; /* a fence of that scope; 0: as a load */
    double copy_host_us, call_host_us;    /* host time to enqueue a copy; of any other
                                             call */
    /* Parts of launch_host_us and copy_host_us that are serial between threads. */
    double launch_turn_us, copy_lock_us;
    double open_ms;       /* host time to open a device, serial; 0: opening is free */
    double misses_per_sm; /* sectors that an SM awaits from memory at once; 0: no limit */
    /* Child kernels (CUDA dynamic parallelism). */
    double child_launch_latency_us;  /* from the launch to the first CTA; 0: launch_us */
    double child_launch_interval_us; /* between the starts of two child kernels of a
                                        device */
    unsigned child_priority;         /* 1: their CTAs precede waiting CTAs of the parent */
    unsigned child_concurrency;      /* child kernels with CTAs at once; 0: no limit */
    unsigned child_launch_limit;     /* child kernels that wait or run; 0: the default */
};

/* Wire cost of a range that is shorter than a packet, from a table. Without a table, a
   packet costs its payload, at most payload_bytes, plus header_bytes. */
struct topology_wire {
    uint32_t run_bytes;
    double wire_bytes;
};

enum { TOPOLOGY_CARRY_BYTES = 512 << 10 }; /* largest copy that a kernel makes in a graph */

struct topology_fabric {
    char name[32];       /* "NVLink4", "PCIe3" */
    double egress_gbps;  /* raw rate out of one device to all its peers together */
    double ingress_gbps; /* raw rate into one device */
    double latency_ns;   /* from a store to the peer's memory */
    double payload_bytes, header_bytes;           /* of a packet that an SM sends */
    double copy_payload_bytes, copy_header_bytes; /* of a packet that a copy engine sends */
    double sm_gbps_per_cta; /* sending rate of one CTA of 1024 threads */
    double copy_start_us;   /* copy engine: start of a copy after another one */
    double copy_first_us;   /* copy engine: from an idle stream to the first byte */
    double copy_turn_us;    /* start after a copy to another device; 0: copy_start_us */
    double copy_row_ns;     /* per row of a strided copy; 0: as a packet of maximum size */
    double copy_graph_us;   /* copy_start_us in a graph; 0: as outside of a graph */
    double carry_us;        /* the same up to TOPOLOGY_CARRY_BYTES; 0: copy_graph_us */
    /* Cost factor of a copy's bytes into a device that receives a copy of another sender at
       the same time (incast). 0: 1. */
    double copy_meeting;
    double bulk_gbps_per_cta; /* rate of bulk stores; 0: sm_gbps_per_cta */
    unsigned wire_count;
    struct topology_wire wire[TOPOLOGY_WIRE_MAX]; /* in ascending order of run_bytes */
    bool shared_bus; /* all transfers use one bus (PCIe tree) */
};

/* Groups of devices, such as those under one PCIe switch. The rates into and out of a
   device limit transfers within a group. All transfers from one group to another also share
   the bridge between the two, one in each direction. */
struct topology_groups {
    unsigned of[TOPOLOGY_DEVICES_MAX]; /* group of each device */
    double gbps;                       /* raw, between two devices of a group */
    double bridge_gbps; /* raw, from one group to another; 0: there are no groups */
};

struct topology {
    char name[64], description[160], source[160]; /* source: origin of the numbers */
    unsigned device_count;
    struct topology_device device;
    struct topology_fabric fabric;
    /* Raw GB/s from device to device; 0: no direct path (staged through the host). */
    double link_gbps[TOPOLOGY_DEVICES_MAX][TOPOLOGY_DEVICES_MAX];
    struct topology_groups groups; /* link_gbps follows from it */
    double host_gbps;              /* between host memory and a device */
    /* Names of the keys whose values are estimates; static. */
    const char *estimates[TOPOLOGY_ESTIMATES_MAX];
    unsigned estimate_count;
};

/* True if some devices reach each other over PCIe, which carries no atomics: a shared bus,
   or bridges between groups. */
static inline bool topology_is_pcie(const struct topology *t)
{
    return t->fabric.shared_bus || t->groups.bridge_gbps > 0;
}

/* Loads a machine: a name in the machine folder, or a path to a .json or hwloc .xml file.
   The folder is `machines` of the source tree or of the installation. The message for an
   unknown name lists the known ones. */
enum proact_status topology_load(const char *machine, struct topology *out,
                                 struct proact_error *err);

/* True if the name is in the machine folder. A path is always known. */
bool topology_is_known(const char *machine);

/* Keeps the first `count` devices of a machine; 0: all. Fails if the machine has fewer. */
enum proact_status topology_restrict(struct topology *t, unsigned count,
                                     struct proact_error *err);

/* The machine as a machine file with its links as a matrix. Reading it gives an equal
   machine. Release with free(). */
char *topology_print(const struct topology *t);

/* Multiplies a key of `estimates`, and derives the links again. */
void topology_scale(struct topology *t, const char *key, double factor);

/* Names of the known machines, NULL-terminated. Release the array and each name with
   free(). */
char **topology_names(void);
