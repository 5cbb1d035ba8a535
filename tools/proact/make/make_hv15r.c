/* SPDX-License-Identifier: Apache-2.0 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "command.h"
#include "make/make_generator.h"
#include "make/make_options.h"
#include "make/make_output.h"
#include "progress_bar.h"

/* The size of HV15R: 2,017,169 rows with 283,073,458 entries. */
enum { X_DEFAULT = 60, Y_DEFAULT = 60, Z_DEFAULT = 80 };
enum { UNKNOWNS = 7, NEIGHBOURS_MAX = 27, SIDE_MAX = 2048 };
enum { ROW_MAX = UNKNOWNS * NEIGHBOURS_MAX, ENTRY_BYTES_MAX = 24 };

static const char hv15r_help[] =
    "Usage: proact make hv15r [OPTION...] -o FILE\n"
    "\n"
    "Generates the pattern of a matrix like HV15R, of a flow around a wing: seven "
    "unknowns\n"
    "at each node of a grid, each coupled with all unknowns of the 27 nearest nodes. The\n"
    "same options make the same matrix on every machine.\n"
    "\n"
    "  --grid XxYxZ       nodes of the grid (60x60x80: 2016000 rows, 369498808 entries)\n"
    "  -o, --output FILE  FILE.sg: a binary graph of the GAP Benchmark Suite, without the\n"
    "                     diagonal; otherwise a Matrix Market file, compressed if the "
    "name\n"
    "                     ends in .gz; -: stdout\n"
    "\n"
    "Examples:\n"
    "  proact make hv15r --grid 6x6x8 -o hv15r.sg\n"
    "  proact run pagerank hv15r.sg --iterations 5\n"
    "      A matrix of 2016 rows.\n"
    "\n"
    "The default takes 1.5 GB as FILE.sg.\n";

struct hv15r_grid {
    uint64_t side[3]; /* nodes; x varies fastest */
    bool is_binary;   /* without the diagonal */
};

struct hv15r_request {
    char *word; /* of --grid */
    struct hv15r_grid grid;
};

/* The nodes from one before to one after, within the grid. */
static uint64_t range_around(uint64_t at, uint64_t side, uint64_t *first)
{
    uint64_t last = at + 1 < side ? at + 1 : side - 1;

    *first = at ? at - 1 : 0;
    return last + 1 - *first;
}

/* The nodes that are coupled with a node, in ascending order. Returns their number. */
static unsigned find_neighbours(const struct hv15r_grid *g, uint64_t node,
                                uint64_t found[NEIGHBOURS_MAX])
{
    const uint64_t *side = g->side;
    uint64_t at[3] = {node % side[0], node / side[0] % side[1], node / side[0] / side[1]};
    uint64_t first[3], count[3];
    unsigned n = 0;

    for (int d = 0; d < 3; d++)
        count[d] = range_around(at[d], side[d], &first[d]);
    for (uint64_t z = first[2]; z < first[2] + count[2]; z++)
        for (uint64_t y = first[1]; y < first[1] + count[1]; y++)
            for (uint64_t x = first[0]; x < first[0] + count[0]; x++)
                found[n++] = (z * side[1] + y) * side[0] + x;
    return n;
}

static uint64_t node_count(const struct hv15r_grid *g)
{
    return g->side[0] * g->side[1] * g->side[2];
}

/* Entries of the rows of a node. */
static uint64_t entries_of_node(const struct hv15r_grid *g, uint64_t node)
{
    uint64_t found[NEIGHBOURS_MAX];
    uint64_t row = (uint64_t)find_neighbours(g, node, found) * UNKNOWNS;

    return UNKNOWNS * (g->is_binary ? row - 1 : row);
}

static uint64_t entry_count(const struct hv15r_grid *g)
{
    uint64_t count = 0;

    for (uint64_t node = 0; node < node_count(g); node++)
        count += entries_of_node(g, node);
    return count;
}

/* The columns of a row, ascending. */
static unsigned find_columns(const struct hv15r_grid *g, uint64_t row,
                             uint64_t column[ROW_MAX])
{
    uint64_t found[NEIGHBOURS_MAX];
    unsigned nodes = find_neighbours(g, row / UNKNOWNS, found), count = 0;

    for (unsigned n = 0; n < nodes; n++)
        for (unsigned k = 0; k < UNKNOWNS; k++)
            if (!g->is_binary || found[n] * UNKNOWNS + k != row)
                column[count++] = found[n] * UNKNOWNS + k;
    return count;
}

struct hv15r_progress {
    struct progress_bar bar;
};

static void show_rows(struct hv15r_progress *p, uint64_t row, uint64_t rows)
{
    if (progress_bar_is_due(&p->bar))
        progress_bar_draw(&p->bar, (double)row / (double)rows, "writing");
}

/* The layout is that of apps/graph/gap.c, not directed. */
static void write_binary(const struct hv15r_grid *g, struct hv15r_progress *progress,
                         struct make_output *output)
{
    uint64_t rows = node_count(g) * UNKNOWNS, edges = entry_count(g), offset = 0;
    uint64_t column[ROW_MAX];
    uint32_t narrow[ROW_MAX];

    make_output_add(output, "", 1);
    make_output_add(output, (const char *)&edges, sizeof edges);
    make_output_add(output, (const char *)&rows, sizeof rows);
    for (uint64_t row = 0; row <= rows; row++) {
        make_output_add(output, (const char *)&offset, sizeof offset);
        if (row < rows)
            offset += entries_of_node(g, row / UNKNOWNS) / UNKNOWNS;
    }
    for (uint64_t row = 0; row < rows; row++) {
        unsigned count = find_columns(g, row, column);

        for (unsigned i = 0; i < count; i++)
            narrow[i] = (uint32_t)column[i];
        make_output_add(output, (const char *)narrow, count * sizeof *narrow);
        show_rows(progress, row, rows);
    }
}

static void write_market(const struct hv15r_grid *g, struct hv15r_progress *progress,
                         struct make_output *output)
{
    uint64_t rows = node_count(g) * UNKNOWNS, column[ROW_MAX];
    char lines[ROW_MAX * ENTRY_BYTES_MAX];
    struct text head = {0};

    text_print(&head,
               "%%%%MatrixMarket matrix coordinate pattern general\n"
               "%% proact make hv15r --grid %llux%llux%llu\n%llu %llu %llu\n",
               (unsigned long long)g->side[0], (unsigned long long)g->side[1],
               (unsigned long long)g->side[2], (unsigned long long)rows,
               (unsigned long long)rows, (unsigned long long)entry_count(g));
    make_output_add(output, head.data, head.length);
    text_clear(&head);
    for (uint64_t row = 0; row < rows; row++) {
        unsigned count = find_columns(g, row, column);
        char *at = lines;

        for (unsigned i = 0; i < count; i++)
            at += sprintf(at, "%llu %llu\n", (unsigned long long)row + 1,
                          (unsigned long long)column[i] + 1);
        make_output_add(output, lines, (size_t)(at - lines));
        show_rows(progress, row, rows);
    }
}

static enum proact_status write_matrix(const struct hv15r_grid *g, const char *path,
                                       struct proact_error *err)
{
    struct hv15r_progress progress;
    struct make_output *output;
    enum proact_status status = make_output_open(path, &output, err);

    if (status)
        return status;
    progress_bar_init(&progress.bar);
    (g->is_binary ? write_binary : write_market)(g, &progress, output);
    progress_bar_clear(&progress.bar);
    return make_output_finish(output, err);
}

static bool read_sides(const char *word, uint64_t side[3])
{
    for (int d = 0; d < 3; d++) {
        char *end = NULL;

        if (*word < '0' || *word > '9')
            return false;
        side[d] = strtoull(word, &end, 10);
        if (*end != (d < 2 ? 'x' : '\0'))
            return false;
        word = end + 1;
    }
    return true;
}

/* "60x60x80". */
static int take_grid(void *request)
{
    struct hv15r_request *r = request;
    struct hv15r_grid *g = &r->grid;
    const char *word = r->word;
    uint64_t side[3] = {X_DEFAULT, Y_DEFAULT, Z_DEFAULT};

    if (word && !read_sides(word, side))
        return usage_error("make hv15r",
                           "--grid: expected nodes such as 60x60x80, found '%s'", word);
    for (int d = 0; d < 3; d++) {
        if (side[d] < 1 || side[d] > SIDE_MAX)
            return usage_error("make hv15r", "--grid: a side is %llu, expected 1 to %d",
                               (unsigned long long)side[d], SIDE_MAX);
        g->side[d] = side[d];
    }
    if (node_count(g) * ROW_MAX * UNKNOWNS > UINT32_MAX)
        return usage_error("make hv15r", "--grid: %llu nodes may have more than %u entries",
                           (unsigned long long)node_count(g), UINT32_MAX);
    return EXIT_FINE;
}

static enum proact_status hv15r_create(void *request, const char *path,
                                       struct proact_error *err)
{
    struct hv15r_grid *grid = &((struct hv15r_request *)request)->grid;
    const size_t length = strlen(path);

    grid->is_binary = length > 3 && strcmp(path + length - 3, ".sg") == 0;
    return write_matrix(grid, path, err);
}

static int run_hv15r(int argc, char **argv)
{
    struct hv15r_request request = {.word = NULL};
    const struct poptOption table[] = {
        {"grid", 0, POPT_ARG_STRING, &request.word, 0, NULL, NULL},
        POPT_TABLEEND,
    };
    const struct make_options options = {"make hv15r", hv15r_help, table,
                                         &request,     take_grid,  hv15r_create};

    return make_options_run(&options, argc, argv);
}

const struct make_generator make_hv15r = {
    .name = "hv15r",
    .summary = "the pattern of a matrix like HV15R, for sssp and als",
    .run = run_hv15r,
};
