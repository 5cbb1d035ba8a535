/* SPDX-License-Identifier: Apache-2.0 */
#include "graph/gap.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "graph/complain.h"
#include "graph/entry_limit.h"

/* The layout: directed (one byte), edges, vertices, then the offsets and the neighbours of
   the outgoing lists, and, of a directed graph, of the incoming lists. */
enum { HEAD_BYTES = 1 + 2 * sizeof(int64_t) };

struct gap_file {
    const char *path;
    const unsigned char *bytes;
    size_t size;
    uint64_t edges, vertices;
    size_t neighbour_bytes;         /* 4, or 8 with a weight */
    const unsigned char *out_lists; /* offsets, then neighbours */
    const unsigned char *in_lists;  /* the same lists if the graph is not directed */
};

/* Nothing in the file is aligned. */
static uint64_t gap_offset(const unsigned char *lists, uint64_t vertex)
{
    uint64_t value;

    memcpy(&value, lists + vertex * sizeof value, sizeof value);
    return value;
}

static uint32_t gap_neighbour(const struct gap_file *f, const unsigned char *lists,
                              uint64_t edge, int32_t *weight)
{
    const unsigned char *at =
        lists + (f->vertices + 1) * sizeof(uint64_t) + edge * f->neighbour_bytes;
    uint32_t vertex;

    memcpy(&vertex, at, sizeof vertex);
    *weight = 1;
    if (f->neighbour_bytes > sizeof vertex)
        memcpy(weight, at + sizeof vertex, sizeof *weight);
    return vertex;
}

static enum proact_status gap_open(struct gap_file *f, struct proact_error *err)
{
    int descriptor = open(f->path, O_RDONLY);
    struct stat info;

    if (descriptor < 0 || fstat(descriptor, &info)) {
        enum proact_status status =
            complain(err, PROACT_EINVAL, "%s: %s", f->path, strerror(errno));

        if (descriptor >= 0)
            close(descriptor);
        return status;
    }
    f->size = (size_t)info.st_size;
    void *bytes =
        f->size ? mmap(NULL, f->size, PROT_READ, MAP_PRIVATE, descriptor, 0) : MAP_FAILED;

    close(descriptor);
    if (bytes == MAP_FAILED)
        return complain(err, PROACT_EINVAL, "%s: %zu bytes cannot be mapped", f->path,
                        f->size);
    f->bytes = bytes;
    return PROACT_OK;
}

static enum proact_status gap_read_head(struct gap_file *f, struct proact_error *err)
{
    if (f->size < HEAD_BYTES || f->bytes[0] > 1)
        return complain(err, PROACT_EINVAL,
                        "%s: not a binary graph of the GAP Benchmark Suite", f->path);
    memcpy(&f->edges, f->bytes + 1, sizeof f->edges);
    memcpy(&f->vertices, f->bytes + 1 + sizeof f->edges, sizeof f->vertices);
    if (f->edges > ENTRIES_MAX || f->vertices == 0 || f->vertices > ENTRIES_MAX)
        return complain(err, PROACT_EINVAL,
                        "%s: %llu vertices and %llu edges, expected at most %u of each and "
                        "at least one vertex",
                        f->path, (unsigned long long)f->vertices,
                        (unsigned long long)f->edges, ENTRIES_MAX);
    uint64_t lists = (f->vertices + 1) * sizeof(uint64_t) + f->edges * f->neighbour_bytes;
    uint64_t want = HEAD_BYTES + lists * (f->bytes[0] ? 2 : 1);

    if (f->size != want)
        return complain(err, PROACT_EINVAL,
                        "%s: %zu bytes, expected %llu for %llu vertices and %llu edges",
                        f->path, f->size, (unsigned long long)want,
                        (unsigned long long)f->vertices, (unsigned long long)f->edges);
    f->out_lists = f->bytes + HEAD_BYTES;
    f->in_lists = f->out_lists + (f->bytes[0] ? lists : 0);
    return PROACT_OK;
}

static enum proact_status gap_check_lists(const struct gap_file *f,
                                          const unsigned char *lists,
                                          struct proact_error *err)
{
    int32_t weight;

    for (uint64_t v = 0; v < f->vertices; v++)
        if (gap_offset(lists, v) > gap_offset(lists, v + 1))
            return complain(err, PROACT_EINVAL,
                            "%s: the list of vertex %llu ends before it "
                            "starts",
                            f->path, (unsigned long long)v);
    if (gap_offset(lists, 0) != 0 || gap_offset(lists, f->vertices) != f->edges)
        return complain(err, PROACT_EINVAL,
                        "%s: the lists go from edge %llu to %llu, expected 0 to %llu",
                        f->path, (unsigned long long)gap_offset(lists, 0),
                        (unsigned long long)gap_offset(lists, f->vertices),
                        (unsigned long long)f->edges);
    for (uint64_t e = 0; e < f->edges; e++)
        if (gap_neighbour(f, lists, e, &weight) >= f->vertices)
            return complain(err, PROACT_EINVAL,
                            "%s: neighbour %u of edge %llu: the graph has %llu vertices",
                            f->path, gap_neighbour(f, lists, e, &weight),
                            (unsigned long long)e, (unsigned long long)f->vertices);
    return PROACT_OK;
}

/* Whether all incoming lists ascend, without duplicates and self-loops. */
static bool gap_is_sorted(const struct gap_file *f)
{
    int32_t weight;

    for (uint64_t v = 0; v < f->vertices; v++) {
        uint64_t end = gap_offset(f->in_lists, v + 1), before = UINT64_MAX;

        for (uint64_t e = gap_offset(f->in_lists, v); e < end; e++) {
            uint64_t source = gap_neighbour(f, f->in_lists, e, &weight);

            if (source == v || (before != UINT64_MAX && source <= before))
                return false;
            before = source;
        }
    }
    return true;
}

static struct graph gap_copy(const struct gap_file *f, enum matrix_values values)
{
    struct graph g = {.vertex_count = (uint32_t)f->vertices,
                      .edge_count = (uint32_t)f->edges};
    int32_t weight;

    g.in_first = app_calloc(f->vertices + 1, sizeof *g.in_first);
    g.source = app_calloc(f->edges + 1, sizeof *g.source);
    g.out_degree = app_calloc(f->vertices, sizeof *g.out_degree);
    g.weight = values ? app_calloc(f->edges + 1, sizeof *g.weight) : NULL;
    for (uint64_t v = 0; v <= f->vertices; v++)
        g.in_first[v] = (uint32_t)gap_offset(f->in_lists, v);
    for (uint64_t e = 0; e < f->edges; e++) {
        g.source[e] = gap_neighbour(f, f->in_lists, e, &weight);
        g.out_degree[g.source[e]]++;
        if (values)
            g.weight[e] = weight;
    }
    return g;
}

/* The same graph as entries, which graph_from_matrix() sorts. */
static enum proact_status gap_sort(const struct gap_file *f, enum matrix_values values,
                                   struct graph *out, struct proact_error *err)
{
    char none[1] = "";
    struct matrix m = {.rows = (uint32_t)f->vertices,
                       .columns = (uint32_t)f->vertices,
                       .count = f->edges,
                       .comment = none};
    int32_t weight;

    m.entry = app_calloc(f->edges + 1, sizeof *m.entry);
    m.value = values ? app_calloc(f->edges + 1, sizeof *m.value) : NULL;
    for (uint32_t v = 0; v < m.columns; v++)
        for (uint64_t e = gap_offset(f->in_lists, v); e < gap_offset(f->in_lists, v + 1);
             e++) {
            m.entry[e] =
                (struct matrix_entry){gap_neighbour(f, f->in_lists, e, &weight), v};
            if (values)
                m.value[e] = weight;
        }
    enum proact_status status = graph_from_matrix(f->path, &m, out, err);

    free(m.entry);
    free(m.value);
    return status;
}

enum proact_status gap_read(const char *path, bool is_weighted, enum matrix_values values,
                            struct graph *out, struct proact_error *err)
{
    struct gap_file f = {.path = path, .neighbour_bytes = is_weighted ? 8 : 4};
    enum proact_status status = gap_open(&f, err);

    if (!status && !(status = gap_read_head(&f, err)))
        status = gap_check_lists(&f, f.in_lists, err);
    if (!status && gap_is_sorted(&f))
        *out = gap_copy(&f, values);
    else if (!status)
        status = gap_sort(&f, values, out, err);
    if (f.bytes)
        munmap((void *)(uintptr_t)f.bytes, f.size);
    return status;
}
