/* SPDX-License-Identifier: Apache-2.0 */
#include "plan/joint.h"

#include <math.h>
#include <stdlib.h>

#include "base/memory.h"

enum { JOINT_ROUNDS = 16 }; /* limit of passes of the local search */

/* Edges by node. NULL: each node has all edges. */
struct joint_search {
    const struct joint_table *table;
    unsigned *edges; /* of node n: edges[from[n]] to edges[from[n + 1] - 1] */
    unsigned *from;
};

/* Part of a transfer that a launch does not hide. */
static double joint_exposed_ns(const struct joint_table *t, uint64_t bytes,
                               double sending_ns)
{
    return bytes ? fmax(0, t->start_ns + (double)bytes / t->bytes_per_ns - sending_ns) : 0;
}

/* The transfer time is an estimate, so the result has a lower bound. */
double joint_unsent_ns(const struct joint_table *t, double measured_ns, uint64_t bytes,
                       double sending_ns)
{
    static const double part_least = 0.25;

    return fmax(part_least * measured_ns,
                measured_ns - joint_exposed_ns(t, bytes, sending_ns));
}

/* A split reader fetches before it starts. A single-device reader gets the output of a
   split launch while that still runs, after its first wave. */
double joint_edge_ns(const struct joint_table *t, const struct joint_edge *e,
                     unsigned writer_label, unsigned reader_label)
{
    const struct joint_label *writer = &t->nodes[e->writer].label[writer_label];
    const bool overlaps =
        writer->devices > 1 && t->nodes[e->reader].label[reader_label].devices == 1;

    return joint_exposed_ns(t, e->bytes[writer_label][reader_label],
                            overlaps ? writer->sending_ns : 0);
}

/* Fetches per launch of the reader: fewer than one if its input is written rarely. */
static double joint_share(const struct joint_table *t, const struct joint_edge *e)
{
    return fmin(1, t->nodes[e->reader].period / t->nodes[e->writer].period);
}

/* Joint cost per launch of a node under a label. Output that is read several times is
   fetched once. */
static double joint_node_edge_ns(const struct joint_table *t, const struct joint_edge *e,
                                 unsigned node, unsigned label)
{
    const struct joint_node *n = &t->nodes[node], *reader = &t->nodes[e->reader];

    if (e->reader == node)
        return joint_share(t, e) * joint_edge_ns(t, e, t->nodes[e->writer].settled, label);
    return fmin(1, n->period / reader->period) *
           joint_edge_ns(t, e, label, reader->settled);
}

static unsigned joint_search_best(const struct joint_search *s, unsigned node)
{
    const struct joint_node *n = &s->table->nodes[node];
    const unsigned first = s->from ? s->from[node] : 0,
                   end = s->from ? s->from[node + 1] : s->table->edge_count;
    unsigned best = n->settled;
    double least = 0;

    for (unsigned i = 0; i <= n->label_count; i++) { /* the present label first */
        const unsigned label = i ? i - 1 : n->settled;
        double ns = n->label[label].ns;

        for (unsigned k = first; k < end; k++)
            ns += joint_node_edge_ns(s->table, &s->table->edges[s->edges ? s->edges[k] : k],
                                     node, label);
        if (!i || ns < least) {
            best = label;
            least = ns;
        }
    }
    return best;
}

/* Counting sort of the edges by their two nodes. */
static struct joint_search joint_search_begin(const struct joint_table *t)
{
    struct joint_search s = {.table = t,
                             .edges = must_calloc(2 * t->edge_count + 1u, sizeof *s.edges),
                             .from = must_calloc(t->node_count + 2u, sizeof *s.from)};

    for (unsigned i = 0; i < t->edge_count; i++) {
        s.from[t->edges[i].writer + 2]++;
        s.from[t->edges[i].reader + 2]++;
    }
    for (unsigned n = 2; n < t->node_count + 2; n++)
        s.from[n] += s.from[n - 1];
    for (unsigned i = 0; i < t->edge_count; i++) {
        s.edges[s.from[t->edges[i].writer + 1]++] = i;
        s.edges[s.from[t->edges[i].reader + 1]++] = i;
    }
    return s;
}

static void joint_search_end(struct joint_search *s)
{
    free(s->edges);
    free(s->from);
}

unsigned joint_best(const struct joint_table *t)
{
    return joint_search_best(&(struct joint_search){.table = t}, 0);
}

double joint_total_ns(const struct joint_table *t)
{
    double all = 0;

    for (unsigned i = 0; i < t->node_count; i++)
        all += t->nodes[i].label[t->nodes[i].settled].ns / t->nodes[i].period;
    for (unsigned i = 0; i < t->edge_count; i++) {
        const struct joint_edge *e = &t->edges[i];

        all +=
            joint_share(t, e) / t->nodes[e->reader].period *
            joint_edge_ns(t, e, t->nodes[e->writer].settled, t->nodes[e->reader].settled);
    }
    return all;
}

int joint_label_of(const struct joint_node *n, bool is_split)
{
    int best = JOINT_NONE;

    for (unsigned label = 0; label < n->label_count; label++)
        if ((n->label[label].devices > 1) == is_split &&
            (best == JOINT_NONE || n->label[label].ns < n->label[best].ns))
            best = (int)label;
    return best;
}

static double joint_settle_from(struct joint_table *t, const struct joint_search *s,
                                bool is_split)
{
    bool has_changed = true;

    for (unsigned i = 0; i < t->node_count; i++) {
        const int label = joint_label_of(&t->nodes[i], is_split);

        t->nodes[i].settled = label == JOINT_NONE ? 0 : (unsigned)label;
    }
    for (int round = 0; has_changed && round < JOINT_ROUNDS; round++) {
        has_changed = false;
        for (unsigned i = 0; i < t->node_count; i++) {
            const unsigned best = joint_search_best(s, i);

            has_changed |= best != t->nodes[i].settled;
            t->nodes[i].settled = best;
        }
    }
    return joint_total_ns(t);
}

void joint_settle(struct joint_table *t)
{
    struct joint_search s = joint_search_begin(t);
    const double single_ns = joint_settle_from(t, &s, false);

    for (unsigned i = 0; i < t->node_count; i++)
        t->nodes[i].second = t->nodes[i].settled;
    const bool is_split = joint_settle_from(t, &s, true) <= single_ns;

    for (unsigned i = 0; i < t->node_count && !is_split; i++) {
        const unsigned other = t->nodes[i].settled;

        t->nodes[i].settled = t->nodes[i].second;
        t->nodes[i].second = other;
    }
    joint_search_end(&s);
}
