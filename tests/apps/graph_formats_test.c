/* SPDX-License-Identifier: Apache-2.0 */
/* The readers of METIS and GAP graphs: the same graph as from a Matrix Market file, and one
   sentence for each kind of damage. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "graph/graph.h"

static char folder[] = "/tmp/proact_formats_XXXXXX";

static int make_folder(void **state)
{
    (void)state;
    return mkdtemp(folder) ? 0 : -1;
}

static int remove_folder(void **state)
{
    char command[64];

    (void)state;
    snprintf(command, sizeof command, "rm -rf %s", folder);
    return system(command);
}

static const char *write_bytes(const char *name, const void *data, size_t bytes)
{
    static char path[128];

    snprintf(path, sizeof path, "%s/%s", folder, name);
    FILE *file = fopen(path, "w");

    assert_non_null(file);
    assert_int_equal(fwrite(data, 1, bytes, file), bytes);
    assert_int_equal(fclose(file), 0);
    return path;
}

static struct graph read_graph(const char *path)
{
    struct proact_error err = {""};
    struct graph g;

    if (graph_read(path, MATRIX_INT32_VALUES, &g, &err))
        fail_msg("%s", err.text);
    return g;
}

static void expect_same(const struct graph *a, const struct graph *b)
{
    assert_int_equal(a->vertex_count, b->vertex_count);
    assert_int_equal(a->edge_count, b->edge_count);
    assert_memory_equal(a->in_first, b->in_first, (a->vertex_count + 1) * sizeof(uint32_t));
    assert_memory_equal(a->source, b->source, a->edge_count * sizeof(uint32_t));
    assert_memory_equal(a->out_degree, b->out_degree, a->vertex_count * sizeof(uint32_t));
    assert_memory_equal(a->weight, b->weight, a->edge_count * sizeof(double));
}

static void expect_refused(const char *path, const char *sentence)
{
    struct proact_error err = {""};
    struct graph g;

    assert_int_equal(graph_read(path, MATRIX_INT32_VALUES, &g, &err), PROACT_EINVAL);
    if (!strstr(err.text, sentence))
        fail_msg("expected '%s', found '%s'", sentence, err.text);
}

static void expect_text_refused(const char *text, const char *sentence)
{
    expect_refused(write_bytes("bad.graph", text, strlen(text)), sentence);
}

static const char market[] = "%%MatrixMarket matrix coordinate integer symmetric\n"
                             "5 5 4\n2 1 7\n3 1 -2\n3 2 5\n5 3 9\n";

static void metis_equals_matrix_market(void **state)
{
    (void)state;
    /* With and without sizes and weights of the vertices; comments; a vertex 4 without
       neighbours. */
    static const char *const texts[] = {
        "% a comment\n5 4 1\n2 7 3 -2\n1 7 3 5\n% another\n1 -2 2 5 5 9\n\n3 9\n",
        "5 4 011 2\n1 1 2 7 3 -2\n1 1 1 7 3 5\n2 2 1 -2 2 5 5 9\n3 3\n4 4 3 9\n",
        "5 4 101\n9 2 7 3 -2\n9 1 7 3 5\n9 1 -2 2 5 5 9\n9\n9 3 9",
        "5 4 111\r\n9 1 2 7 3 -2\r\n9 1 1 7 3 5\r\n9 1 1 -2 2 5 5 9\r\n9 1\r\n9 1 3 9\r\n",
    };
    struct graph want = read_graph(write_bytes("g.mtx", market, sizeof market - 1));

    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        struct graph g = read_graph(write_bytes("g.graph", texts[i], strlen(texts[i])));

        expect_same(&g, &want);
        graph_clear(&g);
    }
    graph_clear(&want);
}

static void metis_without_weights_has_ones(void **state)
{
    (void)state;
    static const char text[] = "3 2\n2\n1 3\n2\n";
    struct graph g = read_graph(write_bytes("g.graph", text, sizeof text - 1));

    assert_int_equal(g.edge_count, 4);
    for (unsigned i = 0; i < 4; i++)
        assert_true(g.weight[i] == 1);
    graph_clear(&g);
}

static void damaged_metis_is_refused(void **state)
{
    (void)state;
    expect_text_refused("",
                        ":1: expected the number of vertices, found the end of the file");
    expect_text_refused("3 x\n", ":1: expected the number of edges, found 'x'");
    expect_text_refused("3 2 2\n", ":1: the format is 2, expected digits 0 and 1");
    expect_text_refused("3 2 0 1 9\n", "end of the line after vertices, edges and format");
    expect_text_refused("3 2\n2\n1 4\n2\n", ":3: a neighbour is 4, the limit is 3");
    expect_text_refused("3 2\n2\n1 0\n2\n",
                        ":3: a neighbour is 0, but METIS counts from 1");
    expect_text_refused("3 2\n2\n", ":3: the file ends after 1 of the 3 vertices stated in "
                                    "line 1");
    expect_text_refused("3 2\n2\n1\n\n", "2 neighbours, expected twice the 2 edges");
    expect_text_refused("3 1\n2\n1 3\n2\n", ":3: more neighbours than twice the 1 edges");
    expect_text_refused("3 2\n2 3\n3\n2\n",
                        "an edge is listed by only one of its vertices");
    expect_text_refused("2 1 1\n2 1.5\n1 1.5\n", ":2: expected a weight, an integer of 32 "
                                                 "bits, found '1.5'");
    expect_text_refused("2 1 1\n2\n1 1\n", ":2: expected a weight");
}

/* A file of the GAP Benchmark Suite; lists of `edge`s sorted by `from`. */
struct gap_text {
    unsigned char bytes[1024];
    size_t size;
};

static void add_bytes(struct gap_text *t, const void *data, size_t bytes)
{
    memcpy(t->bytes + t->size, data, bytes);
    t->size += bytes;
}

struct gap_edge {
    uint32_t from, to;
    int32_t weight;
};

static void add_lists(struct gap_text *t, const struct gap_edge *edge, uint64_t count,
                      uint64_t vertices, bool by_target, bool is_weighted)
{
    uint64_t offset = 0;

    for (uint64_t v = 0; v <= vertices; v++) {
        add_bytes(t, &offset, sizeof offset);
        for (uint64_t e = 0; e < count; e++)
            offset += v == (by_target ? edge[e].to : edge[e].from);
    }
    for (uint64_t v = 0; v < vertices; v++)
        for (uint64_t e = 0; e < count; e++)
            if (v == (by_target ? edge[e].to : edge[e].from)) {
                add_bytes(t, by_target ? &edge[e].from : &edge[e].to, sizeof(uint32_t));
                if (is_weighted)
                    add_bytes(t, &edge[e].weight, sizeof edge[e].weight);
            }
}

static struct gap_text make_gap(const struct gap_edge *edge, uint64_t count,
                                uint64_t vertices, bool is_weighted)
{
    struct gap_text t = {.size = 0};
    const unsigned char directed = 1;

    add_bytes(&t, &directed, 1);
    add_bytes(&t, &count, sizeof count);
    add_bytes(&t, &vertices, sizeof vertices);
    add_lists(&t, edge, count, vertices, false, is_weighted);
    add_lists(&t, edge, count, vertices, true, is_weighted);
    return t;
}

static const struct gap_edge edges[] = {{0, 1, 7}, {0, 2, -2}, {1, 3, 5}, {3, 0, 9}};
enum { EDGES = sizeof edges / sizeof *edges, VERTICES = 4 };

static void gap_equals_matrix_market(void **state)
{
    (void)state;
    static const char text[] = "%%MatrixMarket matrix coordinate integer general\n"
                               "4 4 4\n1 2 7\n1 3 -2\n2 4 5\n4 1 9\n";
    struct graph want = read_graph(write_bytes("g.mtx", text, sizeof text - 1));
    struct gap_text t = make_gap(edges, EDGES, VERTICES, true);
    struct graph g = read_graph(write_bytes("g.wsg", t.bytes, t.size));

    expect_same(&g, &want);
    graph_clear(&g);
    t = make_gap(edges, EDGES, VERTICES, false);
    g = read_graph(write_bytes("g.sg", t.bytes, t.size));
    assert_memory_equal(g.source, want.source, EDGES * sizeof *g.source);
    assert_true(g.weight[0] == 1);
    graph_clear(&g);
    graph_clear(&want);
}

/* A graph that is not directed has one copy of its lists. */
static void gap_without_direction(void **state)
{
    (void)state;
    static const struct gap_edge both[] = {{0, 1, 7}, {1, 0, 7}, {1, 2, 3}, {2, 1, 3}};
    struct gap_text t = {.size = 0};
    const unsigned char directed = 0;
    const uint64_t count = 4, vertices = 3;

    add_bytes(&t, &directed, 1);
    add_bytes(&t, &count, sizeof count);
    add_bytes(&t, &vertices, sizeof vertices);
    add_lists(&t, both, count, vertices, false, true);
    struct graph g = read_graph(write_bytes("g.wsg", t.bytes, t.size));

    assert_int_equal(g.edge_count, 4);
    assert_int_equal(g.in_first[2], 3);
    assert_true(g.weight[3] == 3);
    graph_clear(&g);
}

static void unsorted_gap_lists_are_sorted(void **state)
{
    (void)state;
    static const struct gap_edge messy[] = {{2, 1, 4}, {0, 1, 3}, {0, 1, 2}, {1, 1, 8}};
    struct gap_text t = make_gap(messy, 4, 3, true);
    struct graph g = read_graph(write_bytes("g.wsg", t.bytes, t.size));

    assert_int_equal(g.edge_count, 2);
    assert_int_equal(g.duplicates, 1);
    assert_int_equal(g.self_loops, 1);
    assert_int_equal(g.source[0], 0);
    assert_int_equal(g.source[1], 2);
    assert_true(g.weight[0] == 2);
    graph_clear(&g);
}

static void damaged_gap_is_refused(void **state)
{
    (void)state;
    struct gap_text t = make_gap(edges, EDGES, VERTICES, true);
    const uint64_t wrong = 77;

    expect_refused(write_bytes("g.wsg", t.bytes, t.size - 1),
                   "160 bytes, expected 161 for 4 vertices and 4 edges");
    expect_refused(write_bytes("g.sg", t.bytes, t.size), "161 bytes, expected 129");
    expect_refused(write_bytes("g.sg", market, sizeof market), "not a binary graph");
    expect_refused(write_bytes("g.sg", "", 0), "0 bytes cannot be mapped");
    memcpy(t.bytes + 17 + 72 + 8, &wrong, 8);
    expect_refused(write_bytes("g.wsg", t.bytes, t.size),
                   "the list of vertex 1 ends before it starts");
    t = make_gap(edges, EDGES, VERTICES, true);
    memcpy(t.bytes + 17 + 72 + 40, &wrong, 4);
    expect_refused(write_bytes("g.wsg", t.bytes, t.size),
                   "neighbour 77 of edge 0: the graph has 4 vertices");
    memcpy(t.bytes + 9, "\0\0\0\0\1", 5);
    expect_refused(write_bytes("g.wsg", t.bytes, t.size), "expected at most 4294901759");
    expect_refused("/nonexistent/g.sg", "No such file");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(metis_equals_matrix_market),
        cmocka_unit_test(metis_without_weights_has_ones),
        cmocka_unit_test(damaged_metis_is_refused),
        cmocka_unit_test(gap_equals_matrix_market),
        cmocka_unit_test(gap_without_direction),
        cmocka_unit_test(unsorted_gap_lists_are_sorted),
        cmocka_unit_test(damaged_gap_is_refused),
    };

    return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
