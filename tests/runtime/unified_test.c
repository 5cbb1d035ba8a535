/* SPDX-License-Identifier: Apache-2.0 */
/* Emulated unified memory: pages that launches of a blur wait for, on two devices. Each
   device writes half of the four pages of an array and reads one more of the other half. */
#include "model/pages.h"
#include "runtime/runtime_testing.h"

enum {
    WORDS = 4 * PAGES_SMALL_BYTES / 4,
    BLUR_CTAS = WORDS / THREADS,
    PAGE = PAGES_SMALL_BYTES
};

struct blur {
    struct bench b;
    struct proact_array *from, *to;
    struct proact_kernel *kernel;
};

static struct proact_array *words(struct bench *b, const char *name)
{
    static uint32_t zeros[WORDS];
    const struct proact_shape shape = {name, WORDS, sizeof *zeros};
    struct proact_array *a;

    assert_int_equal(proact_array_create(b->p, &shape, &a, &b->err), PROACT_OK);
    assert_int_equal(proact_array_write(a, 0, zeros, WORDS, &b->err), PROACT_OK);
    return a;
}

static struct blur open_blur(enum proact_unified hint)
{
    struct blur u = {.b = testing_open(&(struct proact_options){
                         .machine = "v100x4", .device_count = 2, .unified = hint})};

    u.from = words(&u.b, "from");
    u.to = words(&u.b, "to");
    u.kernel = testing_kernel(&u.b, "blurs");
    return u;
}

/* The faults of one launch, and its time. */
static uint64_t blur_faults(struct blur *u, struct proact_array *from,
                            struct proact_array *to, uint64_t *bytes, uint64_t *took_ns)
{
    const unsigned n = WORDS;
    struct proact_statistics s;

    assert_int_equal(proact_wait(u->b.p, &u->b.err), PROACT_OK);
    const uint64_t began = proact_now_ns(u->b.p);

    proact_statistics_reset(u->b.p);
    if (proact_launch(
            u->kernel, &(struct proact_grid){.ctas = {BLUR_CTAS}, .threads = {THREADS}},
            (struct proact_arg[]){PROACT_ARRAY(from), PROACT_ARRAY(to), PROACT_VALUE(n)}, 3,
            &u->b.err) ||
        proact_statistics_get(u->b.p, PROACT_ALL_DEVICES, NULL, &s, &u->b.err))
        fail_msg("%s", u->b.err.text);
    *took_ns = proact_now_ns(u->b.p) - began;
    *bytes = s.bytes;
    return s.faults;
}

/* 3 + 3 pages are read and 2 + 2 written. They stay. Of two new words of the host, one page
   is read again. */
static void launches_wait_for_missing_pages(void **state)
{
    struct blur u = open_blur(PROACT_UNIFIED_READ_MOSTLY);
    const uint32_t two[2] = {1, 2};
    uint64_t bytes, first_ns, again_ns;

    (void)state;
    assert_int_equal(blur_faults(&u, u.from, u.to, &bytes, &first_ns), 10);
    assert_int_equal(bytes, 10 * PAGE);
    assert_int_equal(blur_faults(&u, u.from, u.to, &bytes, &again_ns), 0);
    assert_int_equal(bytes, 0);
    assert_true(first_ns > again_ns + 10 * PAGE / 24);
    assert_int_equal(proact_array_write(u.from, 0, two, 2, &u.b.err), PROACT_OK);
    assert_int_equal(blur_faults(&u, u.from, u.to, &bytes, &again_ns), 1);
    /* In the other direction: a page of each half is read, and four copies end. */
    assert_int_equal(blur_faults(&u, u.to, u.from, &bytes, &again_ns), 6);
    assert_int_equal(bytes, 2 * PAGE);
    proact_close(u.b.p);
}

/* The word beyond the half of a device crosses the link, and no page moves. */
static void preferred_locations_keep_the_pages(void **state)
{
    struct blur u = open_blur(PROACT_UNIFIED_PREFERRED);
    uint64_t bytes, ns;

    (void)state;
    blur_faults(&u, u.from, u.to, &bytes, &ns);
    blur_faults(&u, u.to, u.from, &bytes, &ns);
    assert_int_equal(blur_faults(&u, u.from, u.to, &bytes, &ns), 0);
    assert_in_range(bytes, 8, 512);
    proact_close(u.b.p);
}

static enum proact_status try_open(const struct proact_options *o, struct proact_error *err)
{
    struct proact *p = NULL;
    enum proact_status status = proact_open(o, &p, err);

    proact_close(p);
    return status;
}

static void refusals_name_the_reason(void **state)
{
    struct blur u = open_blur(PROACT_UNIFIED_NO_HINT);
    struct proact_error err = {""};

    (void)state;
    assert_int_equal(proact_record_begin(u.b.p, &err), PROACT_EREFUSED);
    assert_non_null(strstr(err.text, "unified memory"));
    assert_int_equal(proact_plan_set(u.b.p, &(struct proact_plan){.method = "fused"}, &err),
                     PROACT_EINVAL);
    assert_non_null(strstr(err.text, "'fused'"));
    proact_close(u.b.p);
    assert_int_equal(try_open(&(struct proact_options){.machine = "v100x4",
                                                       .unified = (enum proact_unified)9},
                              &err),
                     PROACT_EINVAL);
    assert_non_null(strstr(err.text, "hint 9"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(launches_wait_for_missing_pages),
        cmocka_unit_test(preferred_locations_keep_the_pages),
        cmocka_unit_test(refusals_name_the_reason),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
