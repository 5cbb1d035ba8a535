/* SPDX-License-Identifier: Apache-2.0 */
/* Memory use of a long session: created and destroyed kernels, arrays and recordings leave
   nothing behind, and neither do launches. With `local` the test runs on this computer's
   devices. tests/stress checks what sessions leave behind. */
#include <dlfcn.h>
#include <stdatomic.h>

#include "runtime/runtime_testing.h"

enum { WARM = 3, ROUNDS = 6 };

/* The linker redirects every call in the library to these wrappers (--wrap). */
void *__real_malloc(size_t bytes);
void *__real_calloc(size_t count, size_t bytes);
void *__real_realloc(void *block, size_t bytes);
void *__real_aligned_alloc(size_t alignment, size_t bytes);
void __real_free(void *block);
void *__wrap_malloc(size_t bytes);
void *__wrap_calloc(size_t count, size_t bytes);
void *__wrap_realloc(void *block, size_t bytes);
void *__wrap_aligned_alloc(size_t alignment, size_t bytes);
void __wrap_free(void *block);

/* Number of allocated blocks. */
static atomic_long *blocks(void)
{
    static atomic_long count;

    return &count;
}

static void *counted(void *block)
{
    *blocks() += block != NULL;
    return block;
}

void *__wrap_malloc(size_t bytes)
{
    return counted(__real_malloc(bytes));
}

void *__wrap_calloc(size_t count, size_t bytes)
{
    return counted(__real_calloc(count, bytes));
}

void *__wrap_realloc(void *block, size_t bytes)
{
    return block ? __real_realloc(block, bytes) : counted(__real_malloc(bytes));
}

void *__wrap_aligned_alloc(size_t alignment, size_t bytes)
{
    return counted(__real_aligned_alloc(alignment, bytes));
}

void __wrap_free(void *block)
{
    *blocks() -= block != NULL;
    __real_free(block);
}

/* Objects of the fake driver that are not freed; 0 with a real driver. */
static unsigned things(void)
{
    void *library = dlopen("libcuda.so.1", RTLD_NOW | RTLD_NOLOAD);
    unsigned (*left)(void) =
        library ? (unsigned (*)(void))(uintptr_t)dlsym(library, "fake_cuda_left") : NULL;

    return left ? left() : 0;
}

static enum proact_status replay_twice(struct bench *b)
{
    struct proact_recording *r = NULL;
    enum proact_status status = proact_record_begin(b->p, &b->err);

    if (status || (status = testing_fill(b, 3)))
        return status;
    status = proact_record_end(b->p, &r, &b->err);
    if (status == PROACT_EREFUSED) /* GPUs do not record every operation */
        return testing_fill(b, 3);
    for (int i = 0; i < 2 && !status; i++)
        status = proact_replay(r, &b->err);
    proact_recording_destroy(r);
    return status;
}

static void play(struct proact *p)
{
    struct bench b = {.p = p};
    enum proact_status status;

    b.out = testing_array(&b, "round");
    b.fill = testing_kernel(&b, "fill");
    if ((status = proact_kernel_map(b.fill, 0, &testing_map, &b.err)) ||
        (status = testing_fill(&b, 2)) || (status = testing_fill(&b, 5)) ||
        (status = replay_twice(&b)) || (status = proact_wait(p, &b.err)))
        fail_msg("%s", b.err.text);
    testing_holds(&b, b.out, 3);
    proact_kernel_destroy(b.fill);
    proact_array_destroy(b.out);
}

static void play_all(struct proact *p)
{
    struct proact_error err;

    for (const char *const *method = proact_method_names(); *method; method++)
        if (!proact_plan_set(p, &(struct proact_plan){.method = *method}, &err))
            play(p);
}

static void a_long_session_does_not_grow(void **state)
{
    const struct proact_options o = {
        .machine = *state, .device_count = 2, .host_threads = 1};
    struct proact_error err = {""};
    struct proact *p = NULL;
    unsigned things_before = 0;
    long before = 0;

    if (proact_open(&o, &p, &err))
        fail_msg("%s", err.text);
    for (int round = 0; round < WARM + ROUNDS; round++) {
        if (round == WARM) {
            before = *blocks();
            things_before = things();
        }
        play_all(p);
    }
    long now = *blocks();

    assert_true(before > 0);
    assert_int_equal(things(), things_before);
    proact_close(p);
    if (now > before)
        fail_msg("%ld blocks of memory after %d rounds, %ld after %d more", before, WARM,
                 now, ROUNDS);
}

/* Launches `fill` over no element in one more shape. Returns whether the number of blocks
   fell. */
static bool launch_shape(struct bench *b, struct proact_array *a, struct proact_grid grid)
{
    const long before = *blocks();
    unsigned nothing = 0;

    if (proact_launch(b->fill, &grid,
                      (struct proact_arg[]){PROACT_ARRAY(a), PROACT_VALUE(nothing),
                                            PROACT_VALUE(nothing)},
                      3, &b->err) ||
        proact_wait(b->p, &b->err))
        fail_msg("%s", b->err.text);
    return *blocks() < before - 50;
}

static struct bench open_with(const struct proact_options *o, const struct proact_map *map)
{
    struct bench b = {0};

    if (proact_open(o, &b.p, &b.err))
        fail_msg("%s", b.err.text);
    b.fill = testing_kernel(&b, "fill");
    if (proact_kernel_map(b.fill, 0, map, &b.err))
        fail_msg("%s", b.err.text);
    return b;
}

/* Unused shapes are evicted when there are many, also while a recording exists. */
static void unused_shapes_are_evicted(void **state)
{
    enum { ARRAYS = 14, GRIDS = 78 };
    const struct proact_options o = {
        .machine = *state, .device_count = 2, .host_threads = 1};
    struct bench b = open_with(&o, &testing_map);
    struct proact_recording *empty = NULL;
    unsigned fell = 0;

    if (proact_record_begin(b.p, &b.err) || proact_record_end(b.p, &empty, &b.err))
        fail_msg("%s", b.err.text);

    for (unsigned i = 0; i < ARRAYS; i++) {
        struct proact_array *a = testing_array(&b, "one of many");

        for (unsigned x = 1; x <= GRIDS; x++)
            fell += launch_shape(&b, a,
                                 (struct proact_grid){.ctas = {x}, .threads = {THREADS}});
    }
    proact_close(b.p);
    assert_int_equal(fell, 1);
}

/* Shapes with large tables are evicted earlier; here each piece has 128 bytes. */
static void large_tables_are_evicted(void **state)
{
    enum { ELEMENTS = 1 << 19, STRIDE = 128, WIDE = 6 };
    const struct proact_options o = {
        .machine = *state, .device_count = 2, .host_threads = 1};
    const struct proact_map map = {.kind = PROACT_MAP_STRIDED,
                                   .range_bytes = 4,
                                   .cta_stride_bytes = 4,
                                   .stride_bytes = STRIDE,
                                   .range_count = ELEMENTS * 4 / STRIDE};
    struct bench b = open_with(&o, &map);
    struct proact_array *a = NULL;
    unsigned fell = 0;

    if (proact_array_create(b.p, &(struct proact_shape){"large", ELEMENTS, 4}, &a, &b.err))
        fail_msg("%s", b.err.text);
    for (unsigned y = 1; y <= 5; y++)
        for (unsigned x = 1; x <= WIDE; x++)
            fell += launch_shape(
                &b, a, (struct proact_grid){.ctas = {x, y}, .threads = {THREADS}});
    proact_close(b.p);
    assert_int_equal(fell, 1);
}

int main(int argc, char **argv)
{
    char machine[] = "v100x4";
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_prestate(a_long_session_does_not_grow,
                                  argc > 1 ? argv[1] : machine),
        cmocka_unit_test_prestate(unused_shapes_are_evicted, argc > 1 ? argv[1] : machine),
        cmocka_unit_test_prestate(large_tables_are_evicted, argc > 1 ? argv[1] : machine),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
