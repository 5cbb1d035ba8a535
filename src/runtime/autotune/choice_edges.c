/* SPDX-License-Identifier: Apache-2.0 */
#include "runtime/autotune/choice_edges.h"

#include <stdlib.h>

#include "base/memory.h"
#include "runtime/autotune/choice.h"
#include "runtime/coherence/transfer_cost.h"
#include "runtime/objects/session.h"

enum {
    FETCH_NS = 10000,     /* events and copies before the first byte */
    RATE_BYTES = 1 << 20, /* minimum size of a measured fetch */
    MEMORY_TO_LINK = 12,  /* estimate of memory to link bandwidth without a measurement */
    EDGES_MAX = 64,       /* per shape */
    MEAN_OF = 8,          /* window of the moving average */
    PERIODS_AGO = 4       /* launch intervals after which a kernel counts as inactive */
};

struct choice_edge {
    struct choice *writer, *reader;
    uint64_t to_split, to_single; /* missing bytes of the reader in each mode if the writer
                                     runs in the other */
};

static struct choice_edge *edge_find(const struct choice *c, const struct choice *writer)
{
    for (size_t n = 0; n < c->edge_count; n++)
        if (c->edges[n]->writer == writer && c->edges[n]->reader == c)
            return c->edges[n];
    return NULL;
}

static void edge_attach(struct choice *c, struct choice_edge *e)
{
    c->edges = must_grow(c->edges, c->edge_count, &c->edge_capacity, sizeof *c->edges);
    c->edges[c->edge_count++] = e;
}

static struct choice_edge *edge_add(struct choice *reader, struct choice *writer)
{
    struct choice_edge *e;

    if (reader->edge_count >= EDGES_MAX || writer->edge_count >= EDGES_MAX)
        return NULL;
    e = must_calloc(1, sizeof *e);
    *e = (struct choice_edge){writer, reader, 0, 0};
    edge_attach(reader, e);
    edge_attach(writer, e);
    return e;
}

struct joint_cost_context {
    struct choice *reader;
    bool is_single;
};

static void joint_cost_visit(void *context, struct choice *writer, uint64_t bytes)
{
    const struct joint_cost_context *s = context;
    struct choice_edge *e = edge_find(s->reader, writer);

    if (writer == s->reader || (!e && !(e = edge_add(s->reader, writer))))
        return;
    *(s->is_single ? &e->to_single : &e->to_split) = bytes;
}

void joint_cost_record(struct choice *c, struct launching *l)
{
    struct joint_cost_context s = {.reader = c};

    for (int is_single = 0; is_single < 2; is_single++) {
        s.is_single = is_single;
        launch_missing_bytes(l, is_single, joint_cost_visit, &s);
    }
}

uint64_t choice_single_readers_bytes(const struct choice *c)
{
    uint64_t most = 0;

    for (size_t n = 0; n < c->edge_count; n++) {
        const struct choice_edge *e = c->edges[n];

        if (e->writer == c && e->reader->last != RAN_SPLIT && e->to_single > most)
            most = e->to_single;
    }
    return most;
}

void fetch_rate_record(struct proact *p, uint64_t bytes, uint64_t ns)
{
    if (bytes < RATE_BYTES)
        return;
    p->fetched.bytes += (double)bytes;
    p->fetched.ns += (double)ns;
}

double fetch_rate(const struct proact *p)
{
    const struct topology *t = &p->topology;

    if (p->fetched.ns > 0)
        return p->fetched.bytes / p->fetched.ns;
    return t->fabric.egress_gbps > 0 ? t->fabric.egress_gbps
                                     : t->device.memory_gbps / MEMORY_TO_LINK;
}

bool choice_is_recent(const struct choice *c)
{
    const uint64_t ago = c->session->chosen - c->chosen;

    return (choice_is_made(c) || c->is_small) && !c->is_stored &&
           (double)ago < PERIODS_AGO * c->apart;
}

/* The other plan may have no label any more. */
static unsigned choice_label_below(enum choice_label label, unsigned labels)
{
    return label < labels ? label : labels - 1;
}

struct joint_node choice_node(const struct choice *c)
{
    const unsigned labels = c->is_small              ? CHOICE_SPLIT
                            : c->other.split_ns == 0 ? CHOICE_SPLIT_OTHER
                                                     : CHOICE_SPLIT_OTHER + 1;

    return (struct joint_node){
        .label = {[CHOICE_SINGLE] = {.ns = (double)choice_whole_ns(c), .devices = 1},
                  [CHOICE_SPLIT] = {.ns = (double)choice_split_ns(c),
                                    .devices = c->session->devices.count,
                                    .sending_ns = c->sending_share * (double)c->split_ns},
                  [CHOICE_SPLIT_OTHER] = {.ns = (double)choice_other_ns(c),
                                          .devices = c->session->devices.count,
                                          .sending_ns = c->other.sending_share *
                                                        (double)c->other.split_ns}},
        .label_count = labels,
        .period = c->apart,
        .settled = choice_label_below(c->settled, labels),
        .second = choice_label_below(c->second, labels)};
}

static void table_open(struct choice_table *t, const struct proact *p, size_t nodes,
                       size_t edges)
{
    t->choices = must_calloc(nodes + 1, sizeof(struct choice *));
    t->joint = (struct joint_table){.nodes = must_calloc(nodes + 1, sizeof *t->joint.nodes),
                                    .edges = must_calloc(edges + 1, sizeof *t->joint.edges),
                                    .bytes_per_ns = fetch_rate(p),
                                    .start_ns = FETCH_NS};
}

static void table_add(struct choice_table *t, struct choice *c)
{
    c->node = t->joint.node_count;
    t->choices[c->node] = c;
    t->joint.nodes[t->joint.node_count++] = choice_node(c);
}

static void table_connect(struct choice_table *t, const struct choice_edge *e)
{
    struct joint_edge *out = &t->joint.edges[t->joint.edge_count++];

    *out = (struct joint_edge){.writer = e->writer->node, .reader = e->reader->node};
    for (int split = CHOICE_SPLIT; split <= CHOICE_SPLIT_OTHER; split++) {
        out->bytes[CHOICE_SINGLE][split] = e->to_split;
        out->bytes[split][CHOICE_SINGLE] = e->to_single;
    }
}

struct choice_table choice_table_of(const struct proact *p)
{
    struct choice_table t;
    size_t nodes = 0, edges = 0;

    for (const struct choice *c = p->choices; c; c = c->next_of_all) {
        nodes++;
        edges += c->edge_count;
    }
    table_open(&t, p, nodes, edges);
    for (struct choice *c = p->choices; c; c = c->next_of_all)
        if (choice_is_recent(c))
            table_add(&t, c);
    for (unsigned i = 0; i < t.joint.node_count; i++)
        for (size_t n = 0; n < t.choices[i]->edge_count; n++) {
            const struct choice_edge *e = t.choices[i]->edges[n];

            if (e->reader == t.choices[i] && choice_is_recent(e->writer))
                table_connect(&t, e);
        }
    return t;
}

void choice_table_free(struct choice_table *t)
{
    free(t->choices);
    free(t->joint.nodes);
    free(t->joint.edges);
}

void choice_settle(struct choice *c)
{
    if (!c->edge_count) {
        choice_settle_one(c);
        return;
    }
    struct choice_table t = choice_table_of(c->session);

    joint_settle(&t.joint);
    for (unsigned i = 0; i < t.joint.node_count; i++) {
        t.choices[i]->settled = (enum choice_label)t.joint.nodes[i].settled;
        t.choices[i]->second = (enum choice_label)t.joint.nodes[i].second;
    }
    choice_table_free(&t);
}

/* Adds the shape and its recent neighbours to an empty table. */
static void choice_table_around(struct choice_table *t, struct choice *c)
{
    table_add(t, c);
    for (size_t n = 0; n < c->edge_count; n++) {
        const struct choice_edge *e = c->edges[n];
        struct choice *other = e->writer == c ? e->reader : e->writer;

        if (!choice_is_recent(other))
            continue;
        table_add(t, other);
        table_connect(t, e);
    }
}

void choice_settle_one(struct choice *c)
{
    if (c->is_stored)
        return;
    if (c->edge_count && !(c->launches & (c->launches - 1))) {
        choice_settle(c);
        return;
    }
    struct choice *choices[EDGES_MAX + 1];
    struct joint_node nodes[EDGES_MAX + 1];
    struct joint_edge edges[EDGES_MAX];
    struct choice_table t = {{.nodes = nodes,
                              .edges = edges,
                              .bytes_per_ns = fetch_rate(c->session),
                              .start_ns = FETCH_NS},
                             choices};

    choice_table_around(&t, c);
    c->settled = (enum choice_label)joint_best(&t.joint);
}

void choice_launched(struct choice *c)
{
    const double apart = (double)(++c->session->chosen - c->chosen);

    c->chosen = c->session->chosen;
    c->apart = c->launches > 2 ? ((MEAN_OF - 1) * c->apart + apart) / MEAN_OF : apart;
}

uint64_t choice_unsent_ns(const struct choice *c, uint64_t measured_ns, uint64_t bytes)
{
    const struct joint_table t = {.bytes_per_ns = fetch_rate(c->session),
                                  .start_ns = FETCH_NS};

    return (uint64_t)joint_unsent_ns(&t, (double)measured_ns, bytes,
                                     c->sending_share * (double)measured_ns);
}

static void edge_detach(struct choice *c, const struct choice_edge *e)
{
    size_t n = 0;

    while (c->edges[n] != e)
        n++;
    c->edges[n] = c->edges[--c->edge_count];
}

void choice_edges_drop(struct choice *c)
{
    while (c->edge_count) {
        struct choice_edge *e = c->edges[--c->edge_count];

        edge_detach(e->writer == c ? e->reader : e->writer, e);
        free(e);
    }
    free(c->edges);
    c->edges = NULL;
}
