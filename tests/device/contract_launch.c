/* SPDX-License-Identifier: Apache-2.0 */
/* Modules, launches, and concurrent kernels that may access a peer. */
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "device/contract.h"

enum { WORDS = 1024 };

static void clear(struct contract *c, unsigned device, device_addr a, size_t bytes)
{
    contract_must(c, c->b->fill(c->stream[device][0], a, 0, bytes, &c->err));
    contract_sync(c);
}

static enum proact_status load(struct contract *c, const char *text)
{
    struct device_module *m = NULL;
    enum proact_status status =
        c->b->module_load(c->set, 0, "wrong.ptx", text, strlen(text), &m, &c->err);

    assert_true(status || m);
    assert_true(!status || !m); /* outputs are set only on success */
    return status;
}

static void a_wrong_module_is_refused(struct contract *c)
{
    static const char head[] = ".version 7.5\n.target sm_75\n.address_size 64\n";
    static const char *const wrong[] = {
        "this is no PTX\n",
        ".visible .entry k() { add.u32 %r1, %r2, %r3; ret; }\n", /* undeclared registers */
        ".visible .entry k() { ret;\n",                          /* no end */
        ".visible .entry k() { .reg .b32 %r<2>; frobnicate.u32 %r1, %r1; ret; }\n",
    };

    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        char text[512] = "";

        strcat(strcat(text, head), wrong[i]);
        if (!load(c, text))
            fail_msg("module %zu is loaded", i);
        assert_true(c->err.text[0] != '\0');
        if (c->b->is_virtual) /* a driver's wording may differ */
            assert_true(strstr(c->err.text, "wrong.ptx") || strstr(c->err.text, "line 4"));
    }
}

static void missing_module_functions_are_not_found(struct contract *c)
{
    struct device_function *f = NULL;
    device_addr address = 7;
    size_t bytes = 7;

    contract_refused(c, c->b->function(c->module[0], "nobody", &f, &c->err), PROACT_EINVAL);
    assert_null(f);
    contract_refused(c, c->b->variable(c->module[0], "nothing", &address, &bytes, &c->err),
                     PROACT_EINVAL);
    assert_int_equal(address, 7);
    assert_int_equal(bytes, 7);
}

static void a_failure_names_what_was_not_found(struct contract *c)
{
    struct device_function *f = NULL;

    assert_true(c->b->function(c->module[0], "nobody", &f, &c->err));
    assert_non_null(strstr(c->err.text, "nobody"));
}

/* Every device has its own copy of a variable. */
static void variables_are_found_and_live_on_their_device(struct contract *c)
{
    device_addr place[2];
    uint32_t out[4];

    for (unsigned d = 0; d < c->count; d++) {
        size_t bytes = 0;

        contract_must(c,
                      c->b->variable(c->module[d], "numbers", &place[d], &bytes, &c->err));
        assert_int_equal(bytes, 16);
        contract_get(c, d, place[d], out, 4);
        assert_int_equal(out[0] + out[3], 50);
    }
    contract_put(c, c->count - 1, place[c->count - 1] + 8, &(uint32_t){1000}, 1);
    for (unsigned d = 0; d < c->count; d++) {
        device_addr a = contract_words(c, d, 1);
        struct contract_parameters p = {0};

        contract_add(&p, &a, 8);
        contract_run(c, d, 0, "sum_numbers", 1, 1, &p);
        assert_int_equal(contract_word(c, d, a), d + 1 == c->count ? 1070 : 100);
    }
}

static void parameters_arrive(struct contract *c)
{
    device_addr a = contract_words(c, 0, 5);
    uint64_t box[3] = {0, 77, (uint64_t)88 << 32};
    struct contract_parameters p = {0};
    uint32_t out[5];
    float real = 1.5f, real_out;

    contract_add(&p, &(uint8_t){200}, 1);
    contract_add(&p, &a, 8);
    contract_add(&p, &(uint16_t){60000}, 2);
    contract_add(&p, box, sizeof box);
    contract_add(&p, &real, 4);
    contract_run(c, 0, 0, "parameters", 1, 1, &p);
    contract_get(c, 0, a, out, 5);
    assert_int_equal(out[0], 200);
    assert_int_equal(out[1], 60000);
    assert_int_equal(out[2], 77);
    assert_int_equal(out[3], 88);
    memcpy(&real_out, &out[4], 4);
    assert_true(real_out > 1.4f && real_out < 1.6f);
}

/* Parameters are copied when the launch is queued. */
static void parameters_may_change_after_the_call(struct contract *c)
{
    device_addr a = contract_words(c, 0, WORDS);
    struct contract_parameters p = contract_u64_u32(a, WORDS);

    clear(c, 0, a, WORDS * 4);
    contract_run(c, 0, 0, "add_one", 8, 128, &p);
    memset(p.block, 0xff, sizeof p.block);
    contract_sync(c);
    assert_int_equal(contract_word(c, 0, a + 4 * (WORDS - 1)), 1);
}

static void wrong_launches_are_refused(struct contract *c)
{
    device_addr a = contract_words(c, 0, 1);
    struct contract_parameters p = contract_u64_u32(a, 1), shorter = p;

    shorter.bytes = 8;
    contract_refused(c, contract_try(c, 0, 0, "add_one", 1, 2048, &p), PROACT_EINVAL);
    contract_refused(c, contract_try(c, 0, 0, "add_one", 1, 32, &shorter), PROACT_EINVAL);
    contract_refused(c, contract_try(c, 0, 0, "add_one", 0, 32, &p), PROACT_EINVAL);
    contract_refused(c, contract_try(c, 0, 0, "few", 1, 65, &shorter), PROACT_EINVAL);
    contract_must(c, contract_try(c, 0, 0, "few", 1, 1, &shorter));
    contract_sync(c);
    assert_int_equal(contract_word(c, 0, a), 7);
}

static void every_thread_knows_its_place(struct contract *c)
{
    const uint32_t grid[3] = {3, 2, 2}, block[3] = {5, 4, 3};
    uint32_t count = 12 * 60, out[12 * 60], at = 0;
    device_addr a = contract_words(c, 0, count);
    struct contract_parameters p = {0};
    struct device_launch launch = {.parameters = p.block};
    struct device_function *f;

    contract_add(&p, &a, 8);
    launch.parameter_bytes = p.bytes;
    memcpy(launch.grid, grid, sizeof grid);
    memcpy(launch.block, block, sizeof block);
    contract_must(c, c->b->function(c->module[0], "places", &f, &c->err));
    contract_must(c, c->b->launch(c->stream[0][0], f, &launch, &c->err));
    contract_get(c, 0, a, out, count);
    for (uint32_t cta = 0; cta < 12; cta++)
        for (uint32_t t = 0; t < 60; t++) {
            uint32_t place = cta / 6 << 20 | cta / 3 % 2 << 16 | cta % 3 << 12 |
                             t / 20 << 8 | t / 5 % 4 << 4 | t % 5;

            assert_int_equal(out[at++], place);
        }
}

static void dynamic_shared_memory_is_given(struct contract *c)
{
    device_addr a = contract_words(c, 0, WORDS);
    struct contract_parameters p = {0};
    struct device_launch launch = {.grid = {1, 1, 1},
                                   .block = {WORDS, 1, 1},
                                   .shared_bytes = WORDS * 4,
                                   .parameters = p.block,
                                   .parameter_bytes = 8};
    struct device_function *f;
    uint32_t out[WORDS];

    contract_add(&p, &a, 8);
    contract_must(c, c->b->function(c->module[0], "mirror", &f, &c->err));
    contract_must(c, c->b->launch(c->stream[0][0], f, &launch, &c->err));
    contract_get(c, 0, a, out, WORDS);
    for (uint32_t i = 0; i < WORDS; i++)
        assert_int_equal(out[i], 3 * (WORDS - 1 - i));
}

static struct contract_parameters await(device_addr flag, uint32_t value, device_addr to,
                                        device_addr from)
{
    struct contract_parameters p = contract_u64_u32(flag, value);

    contract_add(&p, &to, 8);
    contract_add(&p, &from, 8);
    return p;
}

static struct contract_parameters announce(device_addr word, uint32_t content,
                                           device_addr flag, uint32_t value)
{
    struct contract_parameters p = contract_u64_u32(word, content);

    contract_add(&p, &flag, 8);
    contract_add(&p, &value, 4);
    return p;
}

/* An agent waits for a flag that a later kernel sets: on the other stream of its device, or
   on the peer. */
static void kernels_run_at_the_same_time(struct contract *c)
{
    for (unsigned from = 0; from < c->count; from++) {
        device_addr flag = contract_words(c, 0, 1), word = contract_words(c, 0, 1);
        device_addr copy = contract_words(c, 0, 1);
        const struct contract_parameters waits = await(flag, 3, copy, word);
        const struct contract_parameters tells = announce(word, 99, flag, 3);

        clear(c, 0, flag, 4);
        clear(c, 0, word, 4);
        contract_run(c, 0, 0, "await", 1, 1, &waits);
        contract_run(c, from, 1, "announce", 1, 1, &tells);
        contract_sync(c);
        assert_int_equal(contract_word(c, 0, copy), 99);
    }
}

/* A driver must not wait for the agent's end in order to prepare the kernel. */
static void what_a_kernel_needs_is_there_before_it(struct contract *c)
{
    static const char *const needy[] = {"announce_deep", "announce_aloud"};

    for (size_t i = 0; i < sizeof needy / sizeof *needy; i++) {
        device_addr flag = contract_words(c, 0, 1), word = contract_words(c, 0, 1);
        device_addr copy = contract_words(c, 0, 1);
        const struct contract_parameters waits = await(flag, 3, copy, word);
        const struct contract_parameters tells = announce(word, 77, flag, 3);
        struct device_function *f;

        clear(c, 0, flag, 4);
        clear(c, 0, word, 4);
        contract_must(c, c->b->function(c->module[0], needy[i], &f, &c->err));
        contract_run(c, 0, 0, "await", 1, 1, &waits);
        contract_run(c, 0, 1, needy[i], 1, 1, &tells);
        contract_sync(c);
        assert_int_equal(contract_word(c, 0, copy), 77);
    }
}

/* A kernel waits for a stream's write, and a stream for a kernel's store. */
static void kernels_and_streams_wait_for_each_other(struct contract *c)
{
    device_addr flag = contract_words(c, 0, 1), word = contract_words(c, 0, 1);
    device_addr copy = contract_words(c, 0, 1), last = contract_words(c, 1, 1);
    device_addr got = contract_words(c, 1, 1);
    const struct contract_parameters waits = await(flag, 1, copy, word);
    const struct contract_parameters tells = announce(word, 5, got, 1);

    clear(c, 0, flag, 4);
    clear(c, 0, word, 4);
    clear(c, 1, got, 4);
    contract_run(c, 0, 0, "await", 1, 1, &waits);
    contract_must(c, c->b->wait_value(c->stream[1][0], got, 1, NULL, &c->err));
    contract_must(c, c->b->copy(c->stream[1][0], last, word, 4, &c->err));
    contract_must(c, c->b->write_value(c->stream[1][0], flag, 1, &c->err));
    contract_run(c, 0, 1, "announce", 1, 1, &tells);
    contract_sync(c);
    assert_int_equal(contract_word(c, 0, copy), 5);
    assert_int_equal(contract_word(c, 1, last), 5);
}

/* A kernel of device 1 stores to device 0, and another one loads from there. */
static void kernels_reach_their_peers(struct contract *c)
{
    for (int loads = 0; loads < 2; loads++) {
        device_addr mine = contract_words(c, 1, WORDS),
                    theirs = contract_words(c, 0, WORDS);
        struct contract_parameters p = {0};
        uint32_t in[WORDS], out[WORDS];

        for (uint32_t i = 0; i < WORDS; i++)
            in[i] = i * i;
        contract_put(c, loads ? 0 : 1, loads ? theirs : mine, in, WORDS);
        contract_sync(c);
        contract_add(&p, loads ? &mine : &theirs, 8);
        contract_add(&p, loads ? &theirs : &mine, 8);
        contract_add(&p, &(uint32_t){WORDS}, 4);
        contract_run(c, 1, 0, "carry", WORDS / 64, 64, &p);
        contract_sync(c);
        contract_get(c, loads ? 1 : 0, loads ? mine : theirs, out, WORDS);
        assert_memory_equal(in, out, sizeof in);
    }
}

static void atomics_of_all_devices_add_up(struct contract *c)
{
    device_addr counter = contract_words(c, 0, 1);
    struct contract_parameters p = {0};

    contract_add(&p, &counter, 8);
    clear(c, 0, counter, 4);
    for (unsigned d = 0; d < c->count; d++)
        contract_run(c, d, 0, "count", 5, 100, &p);
    contract_sync(c);
    assert_int_equal(contract_word(c, 0, counter), c->count * 5 * 100 * 3);
}

static void a_peer_compares_and_swaps(struct contract *c)
{
    device_addr word = contract_words(c, 0, 1), old = contract_words(c, 1, 1);

    contract_put(c, 0, word, &(uint32_t){4}, 1);
    contract_sync(c);
    /* In the second iteration the event of 4 has passed. */
    for (uint32_t i = 4; i < 6; i++) {
        struct contract_parameters p = contract_u64_u32(word, 4);

        contract_add(&p, &(uint32_t){i * 10}, 4);
        contract_add(&p, &old, 8);
        contract_run(c, 1, 0, "swap", 1, 1, &p);
        contract_sync(c);
        assert_int_equal(contract_word(c, 0, word), 40);
        assert_int_equal(contract_word(c, 1, old), i == 4 ? 4 : 40);
    }
}

static struct device_function *load_parent(struct contract *c)
{
    struct device_function *f = NULL;
    struct device_module *m;
    char *text;
    size_t bytes;

    contract_must(
        c, file_read(PROACT_SOURCE "/tests/device/children.ptx", &text, &bytes, &c->err));
    contract_must(c,
                  c->b->module_load(c->set, 0, "children.ptx", text, bytes, &m, &c->err));
    contract_must(c, c->b->function(m, "parent", &f, &c->err));
    free(text);
    return f;
}

/* Each CTA launches a child that updates the CTA's stores. The next operation of the stream
   follows the children too. */
static void kernels_launch_kernels(struct contract *c)
{
    enum { CTAS = 100, THREADS = 64, CHILD_CTAS = 2, LAUNCHED = 100 };

    if (c->b->launches && c->b->launches(c->set, &c->err)) {
        contract_refused(c, PROACT_EREFUSED, PROACT_EREFUSED);
        return;
    }
    device_addr to = contract_words(c, 0, CTAS * THREADS), ended = contract_words(c, 0, 1);
    device_addr from = contract_words(c, 0, CTAS * THREADS);
    device_addr answers = contract_words(c, 0, CTAS), noted = contract_words(c, 0, 1);
    struct contract_parameters p = {0};
    const device_addr places[] = {to, from, ended, answers};
    uint32_t out[CTAS * THREADS], answer[CTAS];

    for (int i = 0; i < 4; i++)
        contract_add(&p, &places[i], 8);
    contract_add(&p, &(uint32_t){1}, 4);
    contract_add(&p, &(uint32_t){CHILD_CTAS}, 4);
    clear(c, 0, ended, 4);
    const struct device_launch launch = {.grid = {CTAS, 1, 1},
                                         .block = {THREADS, 1, 1},
                                         .parameters = p.block,
                                         .parameter_bytes = p.bytes};

    contract_must(c, c->b->launch(c->stream[0][0], load_parent(c), &launch, &c->err));
    contract_must(c, c->b->copy(c->stream[0][0], noted, ended, 4, &c->err));
    contract_sync(c);
    assert_int_equal(contract_word(c, 0, noted), CTAS);
    contract_get(c, 0, answers, answer, CTAS);
    contract_get(c, 0, to, out, CTAS * THREADS);
    for (uint32_t i = 0; i < CTAS * THREADS; i++) {
        assert_int_equal(answer[i / THREADS], LAUNCHED);
        assert_int_equal(out[i], i % THREADS + 11);
    }
}

/* An older driver reports that it does not support cooperative launches. */
static void a_cooperative_launch_runs_or_is_refused(struct contract *c)
{
    device_addr a = contract_words(c, 0, 64);
    const struct contract_parameters add = contract_u64_u32(a, 64);
    struct device_function *f;
    struct device_launch l = {.grid = {2, 1, 1},
                              .block = {32, 1, 1},
                              .parameters = add.block,
                              .parameter_bytes = add.bytes,
                              .is_cooperative = true};

    contract_must(c, c->b->fill(c->stream[0][0], a, 0, 64 * 4, &c->err));
    contract_must(c, c->b->function(c->module[0], "add_one", &f, &c->err));
    enum proact_status status = c->b->launch(c->stream[0][0], f, &l, &c->err);

    if (status) {
        contract_refused(c, status, PROACT_EREFUSED);
        return;
    }
    contract_sync(c);
    assert_int_equal(contract_word(c, 0, a + 4 * 63), 1);
    l.grid[0] = 1 << 20;
    status = c->b->launch(c->stream[0][0], f, &l, &c->err);
    contract_refused(c, status, PROACT_EINVAL);
}

static uint32_t residency(struct contract *c, struct device_function *f, uint32_t threads,
                          uint64_t shared_bytes)
{
    uint32_t ctas = UINT32_MAX;

    contract_must(c, c->b->residency(f, threads, shared_bytes, &ctas, &c->err));
    return ctas;
}

/* A grid whose CTAs wait for each other fits completely, and one more CTA does not. */
static void an_sm_holds_what_is_reported(struct contract *c)
{
    device_addr a = contract_words(c, 0, 64);
    const struct contract_parameters add = contract_u64_u32(a, 64);
    struct device_function_info info;
    struct device_function *f;
    struct device_launch l = {.grid = {1, 1, 1},
                              .block = {64, 1, 1},
                              .parameters = add.block,
                              .parameter_bytes = add.bytes,
                              .is_cooperative = true};

    contract_must(c, c->b->fill(c->stream[0][0], a, 0, 64 * 4, &c->err));
    contract_must(c, c->b->function(c->module[0], "add_one", &f, &c->err));
    contract_must(c, c->b->function_info(f, &info, &c->err));
    assert_in_range(info.threads, 64, 1024);
    assert_int_equal(residency(c, f, 0, 0), 0);
    assert_int_equal(residency(c, f, info.threads + 1, 0), 0);
    assert_int_equal(residency(c, f, 64, UINT64_C(1) << 40), 0);
    const uint32_t ctas = residency(c, f, 64, 0);

    assert_in_range(ctas, 1, c->topology.device.threads_per_sm / 64);
    assert_in_range(residency(c, f, 64, 20000), 1,
                    c->topology.device.shared_bytes_per_sm / 20000);
    l.grid[0] = ctas * c->topology.device.sm_count;
    enum proact_status status = c->b->launch(c->stream[0][0], f, &l, &c->err);

    if (status) {
        contract_refused(c, status, PROACT_EREFUSED);
        return;
    }
    contract_sync(c);
    l.grid[0]++;
    status = c->b->launch(c->stream[0][0], f, &l, &c->err);
    contract_refused(c, status, PROACT_EINVAL);
}

const struct contract_promise contract_launch[] = {
    {"a wrong module is refused", a_wrong_module_is_refused, false},
    {"what a module lacks is not found", missing_module_functions_are_not_found, false},
    {"a failure names what was not found", a_failure_names_what_was_not_found, false},
    {"variables are found and live on their device",
     variables_are_found_and_live_on_their_device, false},
    {"parameters arrive", parameters_arrive, false},
    {"parameters may change after the call", parameters_may_change_after_the_call, false},
    {"wrong launches are refused", wrong_launches_are_refused, false},
    {"every thread knows its place", every_thread_knows_its_place, false},
    {"dynamic shared memory is given", dynamic_shared_memory_is_given, false},
    {"kernels run at the same time", kernels_run_at_the_same_time, false},
    {"what a kernel needs is there before it", what_a_kernel_needs_is_there_before_it,
     false},
    {"kernels and streams wait for each other", kernels_and_streams_wait_for_each_other,
     true},
    {"kernels reach their peers", kernels_reach_their_peers, true},
    {"a cooperative launch runs or is refused", a_cooperative_launch_runs_or_is_refused,
     false},
    {"an SM holds what is said", an_sm_holds_what_is_reported, false},
    {"atomics of all devices add up", atomics_of_all_devices_add_up, false},
    {"a peer compares and swaps", a_peer_compares_and_swaps, true},
    {"kernels launch kernels", kernels_launch_kernels, false},
    {NULL, NULL, false},
};
