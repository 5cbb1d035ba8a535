/* SPDX-License-Identifier: Apache-2.0 */
/* Tables in constant memory decide which cells a kernel reads: only the rows next to each
   partition are sent. When the program writes new tables, other rows are sent. */
#include "runtime/runtime_testing.h"

#include <proact/program.h>

#include "base/text.h"

enum { DEVICES = 4, W = 96, H = 40, WAYS = 5, CELLS = W * H, WORDS = WAYS * CELLS };
enum { ROW_BYTES = 4 * W, ALL_BYTES = 4 * WORDS };

struct table {
    int32_t x[WAYS], y[WAYS], back[WAYS];
};

struct ways {
    float weight[WAYS];
    int32_t x[WAYS], y[WAYS];
};

static const struct table near = {{0, 1, 0, -1, 0}, {0, 0, 1, 0, -1}, {0, 3, 4, 1, 2}},
                          far = {{0, 1, 0, -1, 0}, {0, 0, 3, 0, -3}, {0, 1, 2, 3, 4}},
                          level = {{0, 1, 2, -1, -2}, {0}, {0, 3, 4, 1, 2}};

struct rig {
    struct proact *p;
    struct proact_kernel *kernel;
    struct proact_array *array[2], *table[2];
    struct proact_image image;
    struct table now;
    int32_t host[2][WORDS];
    unsigned newest;
    bool by_memory;
    struct proact_error err;
};

#define MUST(call)                                                                         \
    do {                                                                                   \
        if (call)                                                                          \
            fail_msg("%s", r->err.text);                                                   \
    } while (0)

static void put(struct rig *r, const char *name, const void *from, size_t bytes)
{
    struct proact_variable v;

    MUST(proact_variable_find(r->p, &r->image, name, &v, &r->err));
    MUST(proact_variable_write(r->p, &v, 0, from, bytes, &r->err));
}

/* Writes the tables to constant memory, in both forms, and to global memory. */
static void tell(struct rig *r, const struct table *t)
{
    struct ways ways = {.weight = {1, 2, 3, 4, 5}};

    r->now = *t;
    memcpy(ways.x, t->x, sizeof ways.x);
    memcpy(ways.y, t->y, sizeof ways.y);
    put(r, "step_x", t->x, sizeof t->x);
    put(r, "step_y", t->y, sizeof t->y);
    put(r, "opposite", t->back, sizeof t->back);
    put(r, "ways", &ways, sizeof ways);
    put(r, "weight", ways.weight, sizeof ways.weight);
    MUST(proact_array_write(r->table[0], 0, t->x, WAYS, &r->err));
    MUST(proact_array_write(r->table[1], 0, t->y, WAYS, &r->err));
}

static struct proact_array *array(struct rig *r, const char *name, size_t count)
{
    struct proact_array *a = NULL;

    MUST(proact_array_create(r->p, &(struct proact_shape){name, count, 4}, &a, &r->err));
    return a;
}

static struct rig *open_rig(const char *kernel, const char *method)
{
    struct rig *r = calloc(1, sizeof *r);
    char *text = NULL;
    size_t bytes;

    assert_non_null(r);
    MUST(file_read(CONSTANT_TABLES_PTX, &text, &bytes, &r->err));
    r->image = (struct proact_image){.name = "constant_tables.ptx", .text = text};
    MUST(proact_open(&(struct proact_options){.machine = "h200x4",
                                              .device_count = DEVICES,
                                              .check = true,
                                              .plan = {.method = method}},
                     &r->p, &r->err));
    MUST(proact_kernel_load(r->p, &r->image, kernel, &r->kernel, &r->err));
    r->array[0] = array(r, "even", WORDS);
    r->array[1] = array(r, "odd", WORDS);
    r->table[0] = array(r, "x", WAYS);
    r->table[1] = array(r, "y", WAYS);
    r->by_memory = strstr(kernel, "by_memory");
    tell(r, &near);
    for (int i = 0; i < WORDS; i++)
        r->host[0][i] = i % 1009;
    MUST(proact_array_write(r->array[0], 0, r->host[0], WORDS, &r->err));
    return r;
}

static void close_rig(struct rig *r)
{
    proact_close(r->p);
    free((void *)(uintptr_t)r->image.text);
    free(r);
}

static void compute(struct rig *r)
{
    const int32_t *in = r->host[r->newest];
    int32_t *out = r->host[1 - r->newest];

    for (int i = 0; i < WORDS; i++) {
        const int k = i / CELLS, here = i % CELLS, x = here % W, y = here / W;
        const int from = (y - r->now.y[k] + H) % H * W + (x - r->now.x[k] + W) % W;

        out[i] = in[in[here] & 1 ? r->now.back[k] * CELLS + here : k * CELLS + from] + k;
    }
    r->newest = 1 - r->newest;
}

static void launch(struct rig *r)
{
    const struct proact_grid g = {.ctas = {W / 32, H}, .threads = {32}};
    const int32_t w = W, h = H;

    MUST(proact_launch(r->kernel, &g,
                       (struct proact_arg[]){PROACT_ARRAY(r->array[r->newest]),
                                             PROACT_ARRAY(r->array[1 - r->newest]),
                                             PROACT_VALUE(w), PROACT_VALUE(h),
                                             PROACT_ARRAY(r->table[0]),
                                             PROACT_ARRAY(r->table[1])},
                       r->by_memory ? 6 : 4, &r->err));
    assert_null(proact_kernel_refusal(r->kernel));
}

static void run(struct rig *r, int steps)
{
    while (steps-- > 0) {
        launch(r);
        compute(r);
    }
}

static void expect(struct rig *r)
{
    static int32_t got[WORDS];

    MUST(proact_array_read(r->array[r->newest], 0, got, WORDS, &r->err));
    assert_memory_equal(got, r->host[r->newest], sizeof got);
}

static uint64_t sent(struct rig *r)
{
    struct proact_statistics s;
    uint64_t bytes = 0;

    for (unsigned i = 0; i < 2; i++) {
        MUST(proact_statistics_get(r->p, PROACT_ALL_DEVICES, r->array[i], &s, &r->err));
        bytes += s.bytes;
    }
    return bytes;
}

/* Bytes sent per launch after the launches have converged. */
static uint64_t sent_by_each(struct rig *r)
{
    run(r, 8);
    const uint64_t before = sent(r);

    run(r, 6);
    return (sent(r) - before) / 6;
}

/* Bytes of the rows that cross the partition boundaries of a periodic lattice. */
static uint64_t rows(unsigned planes, unsigned each)
{
    return (uint64_t)DEVICES * planes * each * ROW_BYTES;
}

/* Two planes need one row each, from above and from below. */
static void rows_next_to_a_partition_are_sent(void **state)
{
    (void)state;
    for (int n = 0; n < 2; n++) {
        struct rig *r = open_rig(n ? "pulls_by_struct" : "pulls", n ? "bulk" : "fused");

        assert_int_equal(sent_by_each(r), rows(2, 1));
        expect(r);
        close_rig(r);
    }
}

/* In a loop, the planes are not distinguished: the table is one range of values. */
static void a_table_read_in_a_loop_is_one_range(void **state)
{
    struct rig *r = open_rig("pulls_in_rounds", "copy-engine");

    (void)state;
    assert_int_equal(sent_by_each(r), rows(WAYS, 2));
    tell(r, &level);
    assert_int_equal(sent_by_each(r), 0);
    expect(r);
    close_rig(r);
}

static void what_is_sent_follows_the_table(void **state)
{
    (void)state;
    for (int n = 0; n < 2; n++) {
        struct rig *r = open_rig(n ? "pulls_by_struct" : "pulls", "fused");

        run(r, 5);
        tell(r, &far);
        run(r, 1); /* ranges without a prediction are fetched */
        expect(r);
        assert_int_equal(sent_by_each(r), rows(2, 3));
        tell(r, &level);
        assert_int_equal(sent_by_each(r), 0);
        tell(r, &near);
        run(r, 2);
        expect(r);
        assert_int_equal(sent_by_each(r), rows(2, 1));
        expect(r);
        close_rig(r);
    }
}

static void tables_in_global_memory_are_not_known(void **state)
{
    struct rig *r = open_rig("pulls_by_memory", "fused");

    (void)state;
    assert_int_equal(sent_by_each(r), (DEVICES - 1) * (uint64_t)ALL_BYTES);
    expect(r);
    tell(r, &far);
    run(r, 2);
    expect(r);
    close_rig(r);
}

/* A recording does not depend on the tables at recording time: it is replayed with other
   tables. */
static void a_recording_reads_no_table(void **state)
{
    static const struct table *const tables[] = {&far, &level, &near};

    (void)state;
    for (int n = 0; n < 2; n++) {
        struct rig *r = open_rig(n ? "pulls_in_rounds" : "pulls", "fused");
        struct proact_recording *recording = NULL;

        run(r, 6);
        MUST(proact_record_begin(r->p, &r->err));
        for (int k = 0; k < 2; k++) {
            launch(r);
            r->newest = 1 - r->newest;
        }
        MUST(proact_record_end(r->p, &recording, &r->err));
        for (int k = 0; k < 6; k++) {
            if (k % 2 == 0)
                tell(r, tables[k / 2]);
            MUST(proact_replay(recording, &r->err));
            compute(r);
            compute(r);
            expect(r);
        }
        proact_recording_destroy(recording);
        close_rig(r);
    }
}

static void other_constants_are_not_read(void **state)
{
    static const float other[WAYS] = {2, 2, 2, 2, 2};
    struct rig *r = open_rig("weighs", "fused");
    static int32_t got[WORDS];

    (void)state;
    for (int n = 0; n < 6; n++) {
        launch(r);
        r->newest = 1 - r->newest;
    }
    const uint64_t before = sent(r);

    put(r, "weight", other, sizeof other);
    MUST(proact_array_write(r->array[r->newest], 0, r->host[0], WORDS, &r->err));
    const uint64_t written = sent(r);

    launch(r);
    assert_true(written >= before);
    assert_int_equal(sent(r), written);
    MUST(proact_array_read(r->array[1 - r->newest], 0, got, WORDS, &r->err));
    for (int i = 0; i < WORDS; i++)
        assert_int_equal(got[i], 2 * (r->host[0][i] & 1023));
    close_rig(r);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(rows_next_to_a_partition_are_sent),
        cmocka_unit_test(a_table_read_in_a_loop_is_one_range),
        cmocka_unit_test(what_is_sent_follows_the_table),
        cmocka_unit_test(tables_in_global_memory_are_not_known),
        cmocka_unit_test(a_recording_reads_no_table),
        cmocka_unit_test(other_constants_are_not_read),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
