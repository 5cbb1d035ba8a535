/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/* Joint step: one label for each problem that runs now (AMGE 5.3). A label is a plan with
   its measured time. Bytes that a problem reads must be fetched if its writer ran under
   another partition, so the best label of a problem depends on those of its neighbours.

   The search starts from all split and from all single device. It changes one label at a
   time while the modelled total decreases, and keeps the lower of the two local minima. */

#include <stdbool.h>
#include <stdint.h>

enum { JOINT_LABELS = 3, JOINT_NONE = -1 };

struct joint_label {
    double ns;        /* of a launch, without the fetches of the edges */
    unsigned devices; /* 1: device 0 alone */
    /* Time at the end of the launch in which its output may be on the links: the part after
       the first wave of CTAs. */
    double sending_ns;
};

struct joint_node {
    struct joint_label label[JOINT_LABELS];
    unsigned label_count;
    double period; /* launches of the program from one of this problem to the next */
    /* Results of joint_settle(): the labels of the lower minimum and of the other one. The
       other functions read `settled`. */
    unsigned settled, second;
};

/* Transfer between two problems. */
struct joint_edge {
    unsigned writer, reader; /* indices of nodes */
    /* Bytes that the reader misses, by the labels of writer and reader; 0 if both have the
       same partition. */
    uint64_t bytes[JOINT_LABELS][JOINT_LABELS];
};

struct joint_table {
    struct joint_node *nodes;
    unsigned node_count;
    struct joint_edge *edges;
    unsigned edge_count;
    double bytes_per_ns; /* between devices */
    double start_ns;     /* from a wait to the first byte of a fetch */
};

/* Transfer time of an edge under these labels of its two nodes, per launch of the
   reader. */
double joint_edge_ns(const struct joint_table *t, const struct joint_edge *e,
                     unsigned writer_label, unsigned reader_label);
/* Time that a split launch takes if nothing is sent to device 0, from its time with a push
   of that many bytes. */
double joint_unsent_ns(const struct joint_table *t, double measured_ns, uint64_t bytes,
                       double sending_ns);
/* Label of node 0 with the least cost, while all other nodes keep theirs. Each edge has
   node 0 at one end. */
unsigned joint_best(const struct joint_table *t);
/* Modelled time of the program per launch. */
double joint_total_ns(const struct joint_table *t);
/* Index of the node's fastest label on several devices, or on one; JOINT_NONE: it has no
   such label. */
int joint_label_of(const struct joint_node *n, bool is_split);
/* Sets `settled` and `second` of all nodes. */
void joint_settle(struct joint_table *t);
