/* SPDX-License-Identifier: Apache-2.0 */
/* CTA runs against a table of bytes. CTAs may be added one by one or as runs; each CTA has
   exactly its ranges, and so has the union. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/random.h"
#include "base/spans/cta_runs.h"

enum { CTAS = 60, ROWS_MAX = 3, BYTES = 1 << 15, ROUNDS = 3000 };

/* Expected strided ranges of each CTA. */
struct spelled {
    uint32_t count[CTAS];
    struct rows rows[CTAS][ROWS_MAX];
};

static uint32_t draw(uint64_t *r, uint32_t below)
{
    return (uint32_t)random_below(r, below);
}

/* Draws disjoint strided ranges, from 0 on; *end is where the last one ends. */
static uint32_t draw_rows(uint64_t *r, struct rows *out, uint64_t *end)
{
    const uint32_t count = draw(r, ROWS_MAX) + 1;

    *end = 0;
    for (uint32_t n = 0; n < count; n++) {
        const uint32_t bytes = 1 + draw(r, 8), rows = 1 + draw(r, 4);

        out[n] = (struct rows){*end + draw(r, 3), bytes,
                               rows > 1 ? bytes + 1 + draw(r, 40) : 0, rows};
        *end = rows_end(&out[n]) + 1;
    }
    return count;
}

/* Fills runs and single CTAs, with occasional gaps between them. */
static void fill(uint64_t *r, struct cta_runs *runs, struct spelled *s)
{
    for (uint32_t cta = draw(r, 2); cta < CTAS;) {
        struct rows rows[ROWS_MAX];
        uint64_t end, step, from;
        const uint32_t of_cta = draw_rows(r, rows, &end),
                       most = draw(r, 4) ? 1 + draw(r, 12) : 1,
                       count = most < CTAS - cta ? most : CTAS - cta;
        const bool at_once = draw(r, 2), is_back = draw(r, 4) == 0;

        step = draw(r, 2)   ? draw(r, 300)
               : draw(r, 2) ? rows[0].bytes
                            : of_cta * rows[0].pitch;
        from = is_back ? step * count + draw(r, 300) : draw(r, 300);
        step = is_back ? -step : step;
        if (at_once)
            assert_true(cta_runs_add(runs, (struct cta_run){cta, count, 0, of_cta, step},
                                     rows, from));
        for (uint32_t n = 0; n < count; n++, cta++) {
            s->count[cta] = of_cta;
            for (uint32_t k = 0; k < of_cta; k++) {
                s->rows[cta][k] = rows[k];
                s->rows[cta][k].first += from + n * step;
            }
            if (!at_once)
                assert_true(cta_runs_add(runs, (struct cta_run){cta, 1, 0, of_cta, 0},
                                         s->rows[cta], 0));
        }
        cta += draw(r, 5) == 0;
    }
}

static void mark(unsigned char *bytes, const struct rows *rows)
{
    struct rows_walk w = {rows, rows + 1, 0};

    assert_true(rows->count == 1 ? !rows->pitch : rows->bytes < rows->pitch);
    for (struct span s; rows_next(&w, &s);) {
        assert_true(s.first < s.end && s.end <= BYTES);
        memset(bytes + s.first, 1, s.end - s.first);
    }
}

static void compare(uint64_t round, const struct cta_runs *runs, const struct spelled *s,
                    uint32_t first, uint32_t end)
{
    const bool in_turns = round % 2;
    static unsigned char is[BYTES], must[BYTES];
    struct cta_runs_walk w = cta_runs_walk(runs, first, end);
    struct rows_list list = {0};

    memset(is, 0, sizeof is);
    memset(must, 0, sizeof must);
    for (struct rows rows; cta_runs_rows(&w, &rows);)
        if (in_turns)
            rows_gather_turns(&list, &rows);
        else
            rows_gather(&list, &rows);
    rows_gathered(&list);
    for (size_t n = 0; n < list.count; n++)
        mark(is, &list.rows[n]);
    for (uint32_t cta = first; cta < end; cta++)
        for (uint32_t n = 0; n < s->count[cta]; n++)
            mark(must, &s->rows[cta][n]);
    if (memcmp(is, must, sizeof is) != 0)
        fail_msg("round %u, CTAs %u to %u: other bytes", (unsigned)round, first, end);
    free(list.rows);
}

/* Checks the ranges of one CTA, in their order. */
static void compare_cta(const struct cta_runs *runs, const struct spelled *s, uint32_t cta)
{
    struct cta_runs_walk w = cta_runs_walk(runs, cta, cta + 1);
    struct rows_walk must = {s->rows[cta], s->rows[cta] + s->count[cta], 0};
    struct span is, of;

    while (rows_next(&must, &of)) {
        assert_true(cta_runs_span(&w, &is));
        assert_int_equal(is.first, of.first);
        assert_int_equal(is.end, of.end);
    }
    assert_false(cta_runs_span(&w, &is));
}

static void random_ctas_have_their_ranges(void **state)
{
    uint64_t r = 5;

    (void)state;
    for (uint64_t round = 0; round < ROUNDS; round++) {
        struct cta_runs runs = {0}, one_by_one = {0};
        struct spelled s = {{0}, {{{0}}}};
        const uint32_t first = draw(&r, CTAS), end = first + draw(&r, CTAS - first + 1);

        fill(&r, &runs, &s);
        for (uint32_t cta = 0; cta < CTAS; cta++) {
            compare_cta(&runs, &s, cta);
            if (s.count[cta])
                cta_runs_add(&one_by_one, (struct cta_run){cta, 1, 0, s.count[cta], 0},
                             s.rows[cta], 0);
        }
        compare(round, &runs, &s, 0, CTAS);
        compare(round, &runs, &s, first, end);
        assert_int_equal(runs.count, one_by_one.count);
        assert_memory_equal(runs.run, one_by_one.run, runs.count * sizeof *runs.run);
        assert_int_equal(runs.row_count, one_by_one.row_count);
        assert_memory_equal(runs.rows, one_by_one.rows, runs.row_count * sizeof *runs.rows);
        cta_runs_clear(&runs);
        cta_runs_clear(&one_by_one);
    }
}

/* Tiles of a matrix whose first and last columns are cut off in part. */
static void a_million_tiles_are_few_rows(void **state)
{
    enum { SIDE = 1000, TILE = 64, TALL = 16, PITCH = SIDE * TILE };
    struct cta_runs runs = {0};
    struct cta_runs_walk w;
    struct rows_list list = {0};

    (void)state;
    for (uint32_t y = 0; y < SIDE; y++) {
        const uint32_t cta = y * SIDE;
        const uint64_t from = (uint64_t)y * TALL * PITCH;
        const struct rows left = {4, TILE - 4, PITCH, TALL},
                          tile = {TILE, TILE, PITCH, TALL},
                          right = {PITCH - TILE, TILE - 4, PITCH, TALL};

        assert_true(cta_runs_add(&runs, (struct cta_run){cta, 1, 0, 1, 0}, &left, from));
        assert_true(cta_runs_add(&runs, (struct cta_run){cta + 1, SIDE - 2, 0, 1, TILE},
                                 &tile, from));
        assert_true(cta_runs_add(&runs, (struct cta_run){cta + SIDE - 1, 1, 0, 1, 0},
                                 &right, from));
    }
    assert_int_equal(runs.count,
                     2 * SIDE + 1); /* one at the right margin and the next at the left */
    w = cta_runs_walk(&runs, 0, SIDE * SIDE);
    for (struct rows rows; cta_runs_rows(&w, &rows);)
        rows_gather(&list, &rows);
    rows_gathered(&list);
    assert_int_equal(list.count, 1);
    assert_int_equal(list.rows[0].first, 4);
    assert_int_equal(list.rows[0].bytes, PITCH - 8);
    assert_int_equal(list.rows[0].count, SIDE * TALL);
    free(list.rows);
    cta_runs_clear(&runs);
}

enum { WIDE = 16, LINES = 64, TALL = 4, LINE = 4 * WIDE, PLANE = 1 << 20 };

/* Adds the ranges of a CTA in one plane: some lines, without a margin at both ends. */
static void gather_tile(struct rows_list *list, uint64_t x, uint64_t y, uint64_t z)
{
    const uint64_t first = x ? x : 1, end = x + WIDE / 4 < WIDE ? x + WIDE / 4 : WIDE - 1;
    const struct rows tile = {z * PLANE + y * LINE + 4 * first, 4 * (end - first), LINE,
                              TALL};

    rows_gather_turns(list, &tile);
}

/* Returns the number of strided ranges. Planes are added for each CTA, or for two CTAs
   together: the last one of a row of CTAs and the first one of the next row. */
static size_t gather_planes(struct rows_list *list, uint64_t planes, bool in_pairs)
{
    for (uint64_t y = 0; y < LINES; y += TALL)
        for (uint64_t x = in_pairs && y ? WIDE / 4 : 0; x < WIDE; x += WIDE / 4)
            for (uint64_t z = 0; z < planes; z++) {
                gather_tile(list, x, y, z);
                if (in_pairs && x == 3 * WIDE / 4 && y + TALL < LINES)
                    gather_tile(list, 0, y + TALL, z);
            }
    return list->count;
}

static void interleaved_planes_are_one_strided_range_each(void **state)
{
    struct rows_list list = {0};

    (void)state;
    assert_int_equal(gather_planes(&list, 3, false), 3);
    for (size_t z = 0; z < 3; z++) {
        assert_int_equal(list.rows[z].first, z * PLANE + 4);
        assert_int_equal(list.rows[z].bytes, 4 * (WIDE - 2));
        assert_int_equal(list.rows[z].count, LINES);
    }
    free(list.rows);
}

/* With many planes, each row of CTAs keeps one strided range in each plane. */
static void many_planes_are_one_strided_range_for_each_row_of_ctas(void **state)
{
    enum { MANY = 500 };

    (void)state;
    for (int in_pairs = 0; in_pairs < 2; in_pairs++) {
        struct rows_list list = {0};

        assert_int_equal(gather_planes(&list, MANY, in_pairs), MANY * LINES / TALL);
        for (size_t n = 0; n < list.count; n++) {
            assert_int_equal(list.rows[n].first,
                             n % MANY * PLANE + n / MANY * TALL * LINE + 4);
            assert_int_equal(list.rows[n].bytes, 4 * (WIDE - 2));
            assert_int_equal(list.rows[n].count, TALL);
        }
        free(list.rows);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(interleaved_planes_are_one_strided_range_each),
        cmocka_unit_test(many_planes_are_one_strided_range_for_each_row_of_ctas),
        cmocka_unit_test(random_ctas_have_their_ranges),
        cmocka_unit_test(a_million_tiles_are_few_rows),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
