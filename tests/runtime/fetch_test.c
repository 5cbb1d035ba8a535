/* SPDX-License-Identifier: Apache-2.0 */
/* Fetches of missing ranges. The statistics show which ranges a fetch combines, and how
   many copies columns need. */
#include "runtime/runtime_testing.h"
/* included after it */
#include "runtime/coherence/fetch.h"
#include "runtime/coherence/transfer_cost.h"
#include "runtime/objects/array.h"
#include "runtime/objects/session.h"
#include "runtime/request/need.h"
#include "runtime/validity/array_validity.h"
#include "runtime/validity/missing.h"

enum { BYTES = N * 4, ALL = 15 };

struct rig {
    struct bench b;
    struct proact_array *array;
};

/* Only device 2 is current for the first and the third hundred bytes, devices 1 and 2 for
   the second hundred, and all devices for the rest. */
static void open_rig(struct rig *r)
{
    static const uint32_t zero[N];

    r->b = testing_open(&(struct proact_options){.machine = "h200x4", .check = true});
    r->array = testing_array(&r->b, "some");
    assert_int_equal(proact_array_write(r->array, 0, zero, N, &r->b.err), PROACT_OK);
    array_written(r->array, 0, BYTES, ALL);
    array_written(r->array, 0, 100, 4);
    array_written(r->array, 100, 200, 6);
    array_written(r->array, 200, 300, 4);
}

/* Fetches the missing ranges of the devices `one` and `other`. Returns the bytes sent. */
static uint64_t fetch(struct rig *r, unsigned one, uint64_t first, uint64_t end,
                      unsigned other, uint64_t other_first, uint64_t other_end)
{
    struct transfer_need need[2] = {0};
    const struct transfer_need *needs[PROACT_DEVICES_MAX] = {0};
    struct proact_statistics s[2];

    spans_add(&need[0].spans, first, end);
    spans_add(&need[1].spans, other_first, other_end);
    needs[one] = &need[0];
    needs[other] = &need[1];
    for (int i = 0; i < 2; i++) {
        if (i && array_fetch(r->array, needs, &r->b.err))
            fail_msg("%s", r->b.err.text);
        if (proact_wait(r->b.p, &r->b.err) ||
            proact_statistics_get(r->b.p, PROACT_ALL_DEVICES, NULL, &s[i], &r->b.err))
            fail_msg("%s", r->b.err.text);
    }
    need_clear(&need[0]);
    need_clear(&need[1]);
    return s[1].bytes - s[0].bytes;
}

static void small_gaps_are_fetched_too(void **state)
{
    struct rig r;

    (void)state;
    open_rig(&r);
    assert_int_equal(fetch(&r, 1, 0, 300, 3, 400, 500), 300);
    proact_close(r.b.p);
}

/* A device that sends in the same fetch receives no extra bytes: device 1 sends half of the
   second hundred to device 0. */
static void a_sender_receives_no_extra_bytes(void **state)
{
    struct rig r;

    (void)state;
    open_rig(&r);
    assert_int_equal(fetch(&r, 1, 0, 300, 0, 120, 170), 250);
    proact_close(r.b.p);
}

/* An array in which only device 2 is current for the first bytes of each line and for a
   column in the middle. */
enum { LINES = 100, LINE = 16384, LEFT = 8, MIDDLE = 4 };

struct noted {
    unsigned copies;
    uint64_t ns; /* duration of the copies */
};

static void record_copy(void *context, const struct proact_trace_span *span)
{
    struct noted *noted = context;

    if (span->kind == PROACT_TRACE_COPY) {
        noted->copies++;
        noted->ns += span->end_ns - span->start_ns;
    }
}

static void change(struct rig *r, uint64_t first, uint64_t bytes)
{
    const struct proact *p = r->b.p;

    if (p->backend->fill(p->devices.device[2].lane[TRANSFER_SIDE],
                         r->array->base[2] + first, 7, bytes, &r->b.err))
        fail_msg("%s", r->b.err.text);
    array_written(r->array, first, first + bytes, 4);
}

static void open_lines(struct rig *r)
{
    unsigned char *zero = calloc(LINES, LINE);

    assert_non_null(zero);
    r->b = testing_open(&(struct proact_options){.machine = "h200x4", .check = true});
    if (proact_array_create(r->b.p, &(struct proact_shape){"lines", LINES * LINE, 1},
                            &r->array, &r->b.err) ||
        proact_array_write(r->array, 0, zero, LINES * LINE, &r->b.err) ||
        proact_wait(r->b.p, &r->b.err))
        fail_msg("%s", r->b.err.text);
    array_written(r->array, 0, LINES * LINE, ALL);
    for (uint64_t y = 0; y < LINES; y++) {
        change(r, y * LINE, LEFT);
        change(r, y * LINE + LINE / 2, MIDDLE);
    }
    free(zero);
}

static void columns_are_there(struct rig *r, unsigned device)
{
    unsigned char *is = calloc(LINES, LINE);

    assert_non_null(is);
    if (proact_array_read_replica(r->array, device, 0, is, LINES * LINE, &r->b.err))
        fail_msg("%s", r->b.err.text);
    for (unsigned i = 0; i < LINES * LINE; i++) {
        unsigned x = i % LINE;
        bool is_in = x < LEFT || (x >= LINE / 2 && x < LINE / 2 + MIDDLE);

        if (is[i] != (is_in ? 7 : 0))
            fail_msg("device %u: byte %u is %u", device, i, is[i]);
    }
    free(is);
}

static void columns_are_few_copies(void **state)
{
    struct rig r;
    struct noted noted = {0};

    (void)state;
    open_lines(&r);
    proact_trace_set_callback(r.b.p, record_copy, &noted);
    assert_int_equal(fetch(&r, 0, 0, LINES * LINE, 3, 0, LINES * LINE),
                     2 * LINES * (LEFT + MIDDLE));
    proact_trace_set_callback(r.b.p, NULL, NULL);
    assert_int_equal(noted.copies, 2 * 2);
    assert_in_range(noted.ns, 1, 40000); /* 400 separate copies would take 900 us */
    columns_are_there(&r, 0);
    columns_are_there(&r, 3);
    proact_close(r.b.p);
}

/* Fetches rows that lie close together and whose first `bytes` bytes are current on device
   2 only. */
static uint64_t fetch_rows(uint64_t bytes, unsigned *copies)
{
    enum { ROWS = 30, PITCH = 512 };
    struct rig r;
    struct noted noted = {0};

    open_rig(&r);
    array_written(r.array, 0, BYTES, ALL);
    for (uint64_t y = 0; y < ROWS; y++)
        array_written(r.array, y * PITCH, y * PITCH + bytes, 4);
    proact_trace_set_callback(r.b.p, record_copy, &noted);
    const uint64_t fetched = fetch(&r, 0, 0, BYTES, 3, 0, 1);

    proact_trace_set_callback(r.b.p, NULL, NULL);
    proact_close(r.b.p);
    *copies = noted.copies;
    return fetched;
}

/* Columns at a small pitch are also fetched as one strided copy. Device 3 fetches only its
   first byte. */
static void close_columns_are_strided_copies(void **state)
{
    unsigned copies;

    (void)state;
    assert_int_equal(fetch_rows(16, &copies), 30 * 16 + 1);
    assert_int_equal(copies, 2);
    assert_int_equal(fetch_rows(480, &copies), 29 * 512 + 480 + 1);
    assert_int_equal(copies, 2);
}

/* Missing bytes exclude the bytes that a fetch adds to close gaps. The count is equal for a
   computed and a cached transition. */
static void missing_bytes_are_counted(void **state)
{
    const struct transfer_need all = {.all = true};
    const struct transfer_need *needs[PROACT_DEVICES_MAX] = {&all, NULL, NULL, &all};
    const struct transition_key key = {1, 0};
    struct missing_ranges l = {0};
    struct rig r;

    (void)state;
    open_rig(&r); /* 200 bytes are current on device 2 only, 100 on devices 1 and 2 */
    assert_int_equal(array_missing_bytes(r.array, needs, key), 2 * 300);
    transition_begin(r.array);
    const struct interned_map *before = r.array->validity_map.value;

    missing_find(r.array, needs, &l);
    missing_record(r.array, &l);
    transition_end(r.array, key, &l);
    assert_int_equal(array_missing_bytes(r.array, needs, key), 0);
    validity_take_interned(&r.array->validity_map, before);
    assert_non_null(transition_find(r.array, key));
    assert_int_equal(array_missing_bytes(r.array, needs, key), 2 * 300);
    proact_close(r.b.p);
}

/* Every second byte is current on device 2 only, which is too many ranges to distinguish.
   Device 1 then fetches from the first byte that it reads to the last. */
static void fragments_are_fetched_as_one_range(void **state)
{
    enum { FRAGMENTS = 1 << 19, FIRST_READ = 1001, LAST_READ = 3001 };
    struct rig r;
    unsigned char *zero = calloc(2, FRAGMENTS);
    struct validity_range *range = calloc(FRAGMENTS, sizeof *range);
    struct transfer_need need = {0};
    const struct transfer_need *needs[PROACT_DEVICES_MAX] = {[1] = &need};

    (void)state;
    assert_non_null(zero);
    assert_non_null(range);
    r.b = testing_open(&(struct proact_options){.machine = "h200x4", .check = true});
    if (proact_array_create(r.b.p, &(struct proact_shape){"crumbs", 2 * FRAGMENTS, 1},
                            &r.array, &r.b.err) ||
        proact_array_write(r.array, 0, zero, 2 * FRAGMENTS, &r.b.err))
        fail_msg("%s", r.b.err.text);
    array_written(r.array, 0, 2 * FRAGMENTS, ALL);
    for (uint64_t n = 0; n < FRAGMENTS; n++)
        range[n] = (struct validity_range){2 * n + 1, 2 * n + 2};
    validity_set_ranges(&r.array->validity_map, range, FRAGMENTS, 4);
    spans_add(&need.spans, FIRST_READ, FIRST_READ + 1);
    spans_add(&need.spans, LAST_READ, LAST_READ + 1);
    if (array_fetch(r.array, needs, &r.b.err))
        fail_msg("%s", r.b.err.text);
    assert_true(validity_contains(&r.array->validity_map, FIRST_READ, LAST_READ + 1, 2));
    assert_false(validity_contains(&r.array->validity_map, FIRST_READ - 2, FIRST_READ, 2));
    assert_false(validity_contains(&r.array->validity_map, LAST_READ, LAST_READ + 3, 2));
    need_clear(&need);
    free(range);
    free(zero);
    proact_close(r.b.p);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(small_gaps_are_fetched_too),
        cmocka_unit_test(a_sender_receives_no_extra_bytes),
        cmocka_unit_test(columns_are_few_copies),
        cmocka_unit_test(close_columns_are_strided_copies),
        cmocka_unit_test(missing_bytes_are_counted),
        cmocka_unit_test(fragments_are_fetched_as_one_range),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
