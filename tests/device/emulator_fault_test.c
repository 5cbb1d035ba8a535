/* SPDX-License-Identifier: Apache-2.0 */
/* Waits that never end are detected and named, delays are not mistaken for them, and a set
   can be closed after a failure. */
#include <string.h>

#include "device/emulator_testing.h"

/* Expects a failure whose message contains each of these parts. */
static void breaks(struct emulator_rig *r, enum proact_status expected, const char *one,
                   const char *two)
{
    enum proact_status status = r->b->synchronize(r->set, &r->err);

    if (status != expected || !strstr(r->err.text, one) || !strstr(r->err.text, two))
        fail_msg("status %d: %s", (int)status, r->err.text);
    assert_int_equal(r->b->synchronize(r->set, &r->err), expected);
    emulator_close(r);
}

static void an_endless_poll_is_named(void **state)
{
    static const char *const kernels[] = {"poll", "poll_weakly", "lock"};

    (void)state;
    for (int i = 0; i < 3; i++) {
        struct emulator_rig r;

        emulator_open(&r, 2);
        device_addr word = emulator_words(&r, 1, 4);
        const struct contract_parameters p = emulator_parameters("dd", word, word + 8);

        if (i == 2) /* the lock is taken */
            emulator_must(&r, r.b->write_value(r.stream[1][0], word, 1, &r.err));
        emulator_run(&r, 1, 0, kernels[i], 3, 64, &p);
        breaks(&r, PROACT_ETIMEOUT, kernels[i], "device 1");
    }
}

/* Kernels that never end, with one CTA or on all SMs, are named with their current line. */
static void an_endless_kernel_is_named(void **state)
{
    static const struct {
        const char *kernel, *line;
        uint32_t ctas, threads;
        double limit_ms;
    } cases[] = {
        {"endless_stores", "line 26", 1, 1, 99}, {"endless_stores", "line 26", 40, 128, 10},
        {"endless", "line 27", 1, 32, 99},       {"endless", "line 27", 40, 128, 10},
        {"endless_count", "line 28", 1, 32, 99}, {"endless_atomics", "line 29", 2, 32, 99}};

    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct emulator_rig r;

        emulator_prepare(&r, 2);
        r.options.kernel_limit_ms = cases[i].limit_ms;
        emulator_start(&r);
        device_addr word = emulator_words(&r, 1, 4);
        const struct contract_parameters p = emulator_parameters("d", word);

        emulator_run(&r, 1, 0, cases[i].kernel, cases[i].ctas, cases[i].threads, &p);
        breaks(&r, PROACT_ETIMEOUT, cases[i].kernel, cases[i].line);
    }
}

/* Polls of a peer's memory, and a lock there. */
static void a_poll_of_a_peer_is_named(void **state)
{
    (void)state;
    for (int i = 0; i < 2; i++) {
        struct emulator_rig r;

        emulator_prepare(&r, 2);
        r.options.wait_limit_ms = 20;
        emulator_start(&r);
        device_addr word = emulator_words(&r, 1, 4);
        const struct contract_parameters p = emulator_parameters("dd", word, word + 8);

        emulator_must(&r, r.b->write_value(r.stream[1][0], word, (uint32_t)i, &r.err));
        emulator_sync(&r);
        emulator_run(&r, 0, 0, i ? "lock" : "poll", 1, 32, &p);
        breaks(&r, PROACT_ETIMEOUT, i ? "'lock'" : "'poll'", "CTA (0,0,0)");
    }
}

/* A wait for a slow operation is not a failure, however long it takes. */
static void delays_are_not_failures(void **state)
{
    struct emulator_rig r;

    (void)state;
    emulator_prepare(&r, 1);
    r.options.wait_limit_ms = 30;
    emulator_start(&r);
    for (int i = 0; i < 2; i++) {
        device_addr word = emulator_words(&r, 0, 1), when = emulator_words(&r, 0, 2);
        const struct contract_parameters poll = emulator_parameters("dd", word, when),
                                         naps =
                                             emulator_parameters("dww", word, 60, 1000000),
                                         busy = emulator_parameters("dw", word, 5000000);

        emulator_run(&r, 0, 1, "poll", 8, 32, &poll);
        emulator_run(&r, 0, 0, i ? "naps" : "busy_then_tell", 1, 1, i ? &naps : &busy);
        emulator_sync(&r);
        assert_true(emulator_wide(&r, 0, when) > 50000000);
    }
    emulator_close(&r);
}

static void a_wrong_access_is_named(void **state)
{
    static const struct {
        int64_t add;
        const char *message;
    } cases[] = {{4 * 90, "out of bounds"}, {-8, "out of bounds"}, {2, "misaligned"}};

    (void)state;
    for (int i = 0; i < 3; i++)
        for (unsigned owner = 0; owner < 2; owner++) {
            struct emulator_rig r;

            emulator_open(&r, 2);
            device_addr a = emulator_words(&r, owner, 100);
            const struct contract_parameters p =
                emulator_parameters("dw", a + (uint64_t)cases[i].add, 1);

            emulator_run(&r, 0, 0, "stream_out", 1, 64, &p);
            breaks(&r, PROACT_EFAULT, cases[i].message,
                   i == 0 ? "thread (10,0,0)" : "CTA (0,0,0), thread (0,0,0)");
        }
}

/* The nearest allocations on both sides are named, the nearer one first. */
static void both_neighbours_are_named(void **state)
{
    static const struct {
        int64_t add;
        const char *message, *other;
    } cases[] = {{-8, ": 8 bytes before an allocation of 400 bytes, ",
                  " bytes past the end of an allocation of 8 bytes on device 0"},
                 {-(1 << 16) + 48, ": 40 bytes past the end of an allocation of 8 bytes, ",
                  "bytes before an allocation of 400 bytes on device 0"},
                 {-(1 << 16) - 16, ": 16 bytes before an allocation of 8 bytes on device 0",
                  "PTX line 25"},
                 {496, ": 96 bytes past the end of an allocation of 400 bytes on device 0",
                  "PTX line 25"}};

    (void)state;
    for (int i = 0; i < 4; i++) {
        struct emulator_rig r;

        emulator_open(&r, 1);
        device_addr other = emulator_words(&r, 0, 2), between = 0, a = 0;
        struct proact_error err;

        assert_int_equal(r.b->alloc(r.set, 0, (1 << 16) - 1536, &between, &err), PROACT_OK);
        a = emulator_words(&r, 0, 100);
        r.b->free(r.set, 0, between);
        assert_int_equal(a - other, 1 << 16);
        const struct contract_parameters p =
            emulator_parameters("dw", a + (uint64_t)cases[i].add, 1);

        emulator_run(&r, 0, 0, "stream_out", 1, 1, &p);
        breaks(&r, PROACT_EFAULT, cases[i].message, cases[i].other);
    }
}

static void count_warning(void *context, const char *sentence)
{
    unsigned *warnings = context;

    if (!strstr(sentence, "device 0: kernel 'stream_out', PTX line 25, CTA (0,0,0), ") ||
        !strstr(sentence, "are out of bounds: "))
        fail_msg("said '%s'", sentence);
    ++*warnings;
}

/* A store that starts `add` bytes outside of 100 words, on the own device or a peer. */
static void beside(int64_t add, bool check, unsigned owner, const char *fault)
{
    struct emulator_rig r;
    unsigned warnings = 0;

    emulator_prepare(&r, 2);
    r.options.check = check;
    r.options.warn = count_warning;
    r.options.print_context = &warnings;
    emulator_start(&r);
    device_addr a = emulator_words(&r, owner, 100);
    const struct contract_parameters p = emulator_parameters("dw", a + (uint64_t)add, 1);

    for (int i = 0; i < 2; i++) /* reported once */
        emulator_run(&r, 0, 0, "stream_out", 1, 64, &p);
    if (fault) {
        breaks(&r, PROACT_EFAULT, "out of bounds", fault);
        assert_int_equal(warnings, 0);
        return;
    }
    emulator_sync(&r);
    assert_int_equal(warnings, 1);
    emulator_close(&r);
}

/* Pages of 2 MB around allocations are mapped on hardware; an access further away fails. */
static void small_overruns_are_reported_once(void **state)
{
    (void)state;
    beside(4 * 90, false, 0, NULL);
    beside(-8, false, 0, NULL);
    beside((2 << 20) - 512, false, 0, NULL);
    beside(512 - (2 << 20), false, 0, NULL);
    beside((2 << 20) + 512, false, 0, "thread (0,0,0)");
    beside(-(2 << 20) - 1024, false, 0, "thread (0,0,0)");
    beside(4 * 90, true, 0, "thread (10,0,0)");
    beside(4 * 90, false, 1, "thread (10,0,0)");
}

static void freed_memory_is_inaccessible(void **state)
{
    struct emulator_rig r;

    (void)state;
    emulator_open(&r, 2);
    device_addr a = emulator_words(&r, 0, 64);
    const struct contract_parameters p = emulator_parameters("dw", a, 1);

    emulator_run(&r, 0, 0, "stream_out", 1, 64, &p);
    emulator_sync(&r);
    r.b->free(r.set, 0, a);
    emulator_run(&r, 0, 0, "stream_out", 1, 64, &p);
    breaks(&r, PROACT_EFAULT, "stream_out", "line 2");
}

/* An access at the end of the address space must not wrap around. */
static void the_end_of_all_addresses_is_out_of_bounds(void **state)
{
    struct emulator_rig r;

    (void)state;
    emulator_open(&r, 1);
    const struct contract_parameters p = emulator_parameters("dw", ~(uint64_t)3, 1);

    emulator_run(&r, 0, 0, "stream_out", 1, 1, &p);
    breaks(&r, PROACT_EFAULT, "out of bounds", "0xfffffffffffffffc");
}

static void stores_need_a_link(void **state)
{
    struct emulator_rig r;

    (void)state;
    emulator_prepare(&r, 2);
    r.topology.link_gbps[0][1] = 0;
    emulator_start(&r);
    device_addr a = emulator_words(&r, 1, 64);
    const struct contract_parameters p = emulator_parameters("dw", a, 1);

    emulator_run(&r, 0, 0, "stream_out", 1, 64, &p);
    breaks(&r, PROACT_EFAULT, "without a direct link", "stream_out");
}

/* Other kernels are blocked, poll, sleep and have stores in flight. */
static void a_set_can_be_closed_after_a_fault(void **state)
{
    (void)state;
    for (int unload = 0; unload < 2; unload++) {
        struct emulator_rig r;

        emulator_open(&r, 16);
        device_addr word = emulator_words(&r, 0, 4), far = emulator_words(&r, 1, 1 << 20);
        const struct contract_parameters poll = emulator_parameters("dd", word, word + 8),
                                         out = emulator_parameters("dw", far, 500),
                                         bad = emulator_parameters(
                                             "dw", far + (4 << 20) - 256, 4),
                                         naps =
                                             emulator_parameters("dww", word, 50, 100000);

        emulator_run(&r, 0, 1, "poll", 4, 32, &poll);
        emulator_run(&r, 2, 1, "naps", 4, 32, &naps);
        emulator_run(&r, 0, 0, "stream_out", 8, 256, &out);
        emulator_run(&r, 3, 0, "stream_out", 8, 256, &bad);
        if (unload) {
            assert_int_equal(r.b->synchronize(r.set, &r.err), PROACT_EFAULT);
            for (unsigned d = 0; d < 16; d++)
                r.b->module_unload(r.module[d]);
        }
        emulator_close(&r);
    }
}

static void closing_waits_for_queued_work(void **state)
{
    struct emulator_rig r;

    (void)state;
    emulator_open(&r, 3);
    device_addr far = emulator_words(&r, 2, 4096);
    const struct contract_parameters out = emulator_parameters("dw", far, 4);

    emulator_run(&r, 0, 0, "stream_out", 4, 256, &out);
    emulator_must(&r, r.b->copy(r.stream[1][0], far + 4096, far, 4096, &r.err));
    emulator_close(&r);
}

/* Host transfers to and from a device's memory through another device's stream. */
static void a_stream_reaches_its_peers(void **state)
{
    struct emulator_rig r;
    uint32_t in = 0x01020304, out = 0;

    (void)state;
    emulator_open(&r, 2);
    device_addr a = emulator_words(&r, 1, 2);

    emulator_must(&r, r.b->write(r.stream[0][0], a, &in, 4, &r.err));
    emulator_must(&r, r.b->fill(r.stream[0][0], a + 4, 0x11, 4, &r.err));
    emulator_must(&r, r.b->read(r.stream[0][0], &out, a, 4, &r.err));
    assert_int_equal(out, in);
    assert_int_equal(emulator_word(&r, 1, a + 4), 0x11111111);
    emulator_close(&r);
}

/* The host wrote all of a structure except its padding. */
static void padding_is_not_read(void **state)
{
    uint32_t word = 7;
    device_addr at = 0;
    struct emulator_rig r;

    (void)state;
    emulator_prepare(&r, 1);
    r.options.check = true;
    emulator_start(&r);
    emulator_must(&r, r.b->alloc(r.set, 0, 16, &at, &r.err));
    const struct contract_parameters p = emulator_parameters("d", at);

    emulator_must(&r, r.b->write(r.stream[0][0], at, &word, 4, &r.err));
    emulator_run(&r, 0, 0, "holed", 1, 1, &p);
    emulator_sync(&r);
    emulator_close(&r);
}

static uint64_t texture_of(struct emulator_rig *r, unsigned device, device_addr memory)
{
    const struct proact_texture how = {
        .address = memory, .width = 32, .texel = {PROACT_TEXEL_UNSIGNED, 32, 1}};
    uint64_t handle = 0;

    emulator_must(r, r->b->texture_create(r->set, device, &how, NULL, &handle, &r->err));
    return handle;
}

/* An invalid handle, a handle of another device, a texture of freed memory, and a surface
   handle. */
static void a_wrong_texture_is_named(void **state)
{
    static const char *const words[] = {"it was never created", "another device",
                                        "memory was freed", "is a surface"};

    (void)state;
    for (unsigned i = 0; i < 4; i++) {
        const struct proact_texture_array_shape shape = {
            .width = 8,
            .height = 2,
            .allows_surfaces = true,
            .texel = {PROACT_TEXEL_SIGNED, 32, 1}};
        struct device_texels *t = NULL;
        struct emulator_rig r;
        uint64_t handle = 77;

        emulator_open(&r, 2);
        device_addr to = emulator_words(&r, 0, 32), from = emulator_words(&r, i == 1, 32);

        emulator_must(&r, r.b->texels_create(r.set, 0, &shape, &t, &r.err));
        if (i == 3)
            emulator_must(&r, r.b->surface_create(t, &handle, &r.err));
        else if (i)
            handle = texture_of(&r, i == 1, from);
        if (i == 2)
            r.b->free(r.set, 0, from);
        const struct contract_parameters p = emulator_parameters("dd", to, handle);

        emulator_run(&r, 0, 0, "read_line", 1, 32, &p);
        r.b->synchronize(r.set, &r.err);
        r.b->texels_destroy(t);
        breaks(&r, PROACT_EFAULT, "read_line", words[i]);
    }
}

static void a_store_outside_a_surface_is_named(void **state)
{
    const struct proact_texture_array_shape shape = {.width = 8,
                                                     .height = 2,
                                                     .allows_surfaces = true,
                                                     .texel = {PROACT_TEXEL_SIGNED, 32, 1}};
    struct device_texels *t = NULL;
    struct emulator_rig r;
    uint64_t handle = 0;

    (void)state;
    emulator_open(&r, 1);
    emulator_must(&r, r.b->texels_create(r.set, 0, &shape, &t, &r.err));
    emulator_must(&r, r.b->surface_create(t, &handle, &r.err));
    const struct contract_parameters p = emulator_parameters("d", handle);

    emulator_run(&r, 0, 0, "write_row", 1, 8, &p);
    emulator_sync(&r);
    emulator_run(&r, 0, 0, "write_row", 1, 9, &p);
    r.b->synchronize(r.set, &r.err);
    r.b->texels_destroy(t);
    breaks(&r, PROACT_EFAULT, "thread (8,0,0)", "4 bytes at (32, 0)");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(an_endless_poll_is_named),
        cmocka_unit_test(an_endless_kernel_is_named),
        cmocka_unit_test(a_poll_of_a_peer_is_named),
        cmocka_unit_test(delays_are_not_failures),
        cmocka_unit_test(a_wrong_access_is_named),
        cmocka_unit_test(both_neighbours_are_named),
        cmocka_unit_test(small_overruns_are_reported_once),
        cmocka_unit_test(freed_memory_is_inaccessible),
        cmocka_unit_test(the_end_of_all_addresses_is_out_of_bounds),
        cmocka_unit_test(stores_need_a_link),
        cmocka_unit_test(a_set_can_be_closed_after_a_fault),
        cmocka_unit_test(closing_waits_for_queued_work),
        cmocka_unit_test(a_stream_reaches_its_peers),
        cmocka_unit_test(padding_is_not_read),
        cmocka_unit_test(a_wrong_texture_is_named),
        cmocka_unit_test(a_store_outside_a_surface_is_named),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
