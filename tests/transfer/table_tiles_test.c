/* SPDX-License-Identifier: Apache-2.0 */
/* Tables of matrix tiles, whose CTAs are combined to CTA runs. */
#include "table_testing.h"

/* Tiles of a matrix with some rows each, in row or column order, forwards or backwards. The
   CTA runs are long and continue in the same chunks as far as the pitch permits. */
static uint64_t draw_tiles(uint64_t *r, struct spelled *s)
{
    static const uint64_t pitches[] = {CHUNK, CHUNK / 2, 2 * CHUNK, CHUNK + 512, 6144, 300};
    const uint64_t pitch = pitches[random_below(r, 6)], start = random_below(r, CHUNK);
    const uint32_t across =
                       1 + (uint32_t)random_below(r, random_below(r, 3) ? 8 : CTAS_MAX),
                   down = 1 + (uint32_t)random_below(r, CTAS_MAX / across);
    const unsigned height = 1 + (unsigned)random_below(r, RANGES_MAX);
    const uint64_t width = pitch / across, bytes = 1 + random_below(r, width);
    const bool columns = random_below(r, 2), back = random_below(r, 2);

    *s = (struct spelled){.ctas = across * down};
    for (uint32_t cta = 0; cta < s->ctas; cta++) {
        const uint32_t n = back ? s->ctas - 1 - cta : cta;
        const uint32_t x = columns ? n / down : n % across,
                       y = columns ? n % down : n / across;

        s->in_rows[cta] = true;
        s->count[cta] = height;
        for (unsigned k = 0; k < height; k++)
            s->range[cta][k] =
                (struct range){start + (y * height + k) * pitch + x * width, bytes};
    }
    return start + down * height * pitch;
}

static void tiles_give_the_tables_that_counting_gives(void **state)
{
    static const uint64_t rises[] = {0, 0, CHUNK / 2};
    uint64_t r = 5;

    (void)state;
    for (unsigned i = 0; i < 3000; i++) {
        const unsigned devices = 1 + (unsigned)random_below(&r, 3);
        struct transfer_need needs[DEVICES_MAX] = {0};
        struct spelled s;
        struct built b;
        const uint64_t bytes = draw_tiles(&r, &s);

        draw_needs(&r, needs, bytes, devices);
        assert_int_equal(
            build_for(&b, &s, bytes, devices, rises[i % 3], i % 2 ? needs : NULL),
            PROACT_OK);
        for (unsigned d = 0; d < devices; d++) {
            rows_are_right(&s, &b, d);
            spans_clear(&needs[d].spans);
        }
        clear(&b);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(tiles_give_the_tables_that_counting_gives),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
