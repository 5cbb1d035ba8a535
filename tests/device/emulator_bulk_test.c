/* SPDX-License-Identifier: Apache-2.0 */
/* Bulk stores complete late and in any order, except for what a wait orders. A missing or
   insufficient wait is detected: by the race checker at once, and by wrong bytes with some
   seed. */
#include <string.h>

#include "base/text.h"
#include "device/emulator_testing.h"

enum { LINE_WORDS = 64, LINE_BYTES = 4 * LINE_WORDS, SEEDS = 12 };

/* `send` stores 1000 + i to `to` with bulk stores and then sets a flag. `take` waits for
   the flag and copies the data. A case changes single parts of `send`. */
struct sender {
    const char *order;  /* between the stores to shared memory and the bulk store */
    const char *wait;   /* before thread 0 sets the flag */
    const char *reuse;  /* after that, in all threads */
    const char *at_end; /* in thread 0 */
};

#define HEAD ".version 8.0\n.target sm_90\n.address_size 64\n"
#define REGISTERS ".reg .pred %%p<9>; .reg .b32 %%r<20>; .reg .b64 %%d<9>;\n"
#define ORDER "fence.proxy.async.shared::cta;"
#define WAIT "cp.async.bulk.wait_group 0;"
#define WAIT_READ "cp.async.bulk.wait_group.read 0;"

static const struct sender right = {ORDER, WAIT, "", ""};

static void write_text(const struct sender *s, struct text *into)
{
    text_print(
        into,
        HEAD
        ".visible .entry send(.param .u64 to, .param .u64 flag)\n{\n" REGISTERS
        ".shared .align 128 .b8 line[256];\n"
        "ld.param.u64 %%d1, [to]; ld.param.u64 %%d2, [flag]; mov.u32 %%r1, %%tid.x;\n"
        "mov.u32 %%r2, line; shl.b32 %%r3, %%r1, 2; add.u32 %%r3, %%r3, %%r2;\n"
        "add.u32 %%r4, %%r1, 1000; st.shared.u32 [%%r3], %%r4;\n%s\nbar.sync 0;\n"
        "setp.ne.u32 %%p1, %%r1, 0; @%%p1 bra TELL;\n"
        "cp.async.bulk.global.shared::cta.bulk_group [%%d1], [%%r2], 256;\n"
        "cp.async.bulk.commit_group;\n%s\n"
        "TELL: bar.sync 0;\n%s\n@%%p1 bra OVER;\n"
        "fence.acq_rel.sys; st.relaxed.sys.global.u32 [%%d2], 1;\n%s\nOVER: ret;\n}\n"
        ".visible .entry take(.param .u64 from, .param .u64 flag, .param .u64 to)\n{\n" //
        REGISTERS
        "ld.param.u64 %%d1, [from]; ld.param.u64 %%d2, [flag]; ld.param.u64 %%d3, [to];\n"
        "mov.u32 %%r1, %%tid.x; mul.wide.u32 %%d4, %%r1, 4; add.s64 %%d1, %%d1, %%d4;\n"
        "add.s64 %%d3, %%d3, %%d4;\n"
        "AGAIN: ld.acquire.sys.global.u32 %%r2, [%%d2]; setp.eq.u32 %%p1, %%r2, 0;\n"
        "@%%p1 bra AGAIN; ld.global.u32 %%r3, [%%d1]; st.global.u32 [%%d3], %%r3; "
        "ret;\n}\n",
        s->order, s->wait, s->reuse, s->at_end);
}

/* Sends from device 0 to `receiver`. Returns the status of synchronize. */
struct passage {
    struct emulator_rig rig;
    uint32_t got[LINE_WORDS], landed[LINE_WORDS];
};

static void queue(struct emulator_rig *r, const struct sender *s, unsigned receiver,
                  device_addr data, device_addr flag, device_addr out)
{
    const struct contract_parameters p = emulator_parameters("dd", data, flag),
                                     q = emulator_parameters("ddd", data, flag, out);
    const struct device_launch send = {.grid = {1, 1, 1},
                                       .block = {64, 1, 1},
                                       .parameters = p.block,
                                       .parameter_bytes = p.bytes},
                               take = {.grid = {1, 1, 1},
                                       .block = {64, 1, 1},
                                       .parameters = q.block,
                                       .parameter_bytes = q.bytes};
    struct device_module *m[2];
    struct device_function *f[2];
    struct text text = {NULL, 0, 0};

    write_text(s, &text);
    for (unsigned i = 0; i < 2; i++) {
        unsigned d = i ? receiver : 0;

        emulator_must(r, r->b->module_load(r->set, d, "bulk.ptx", text.data, text.length,
                                           &m[i], &r->err));
        emulator_must(r, r->b->function(m[i], i ? "take" : "send", &f[i], &r->err));
    }
    text_clear(&text);
    emulator_must(r, r->b->launch(r->stream[receiver][1], f[1], &take, &r->err));
    emulator_must(r, r->b->launch(r->stream[0][0], f[0], &send, &r->err));
}

static enum proact_status pass(struct passage *p, const struct sender *s, unsigned receiver,
                               uint64_t seed, bool check)
{
    struct emulator_rig *r = &p->rig;

    emulator_prepare(r, 2);
    r->options.seed = seed;
    r->options.check = check;
    emulator_start(r);
    device_addr data = emulator_words(r, receiver, LINE_WORDS);
    device_addr flag = emulator_words(r, receiver, 1);
    device_addr out = emulator_words(r, receiver, LINE_WORDS);

    queue(r, s, receiver, data, flag, out);
    enum proact_status status = r->b->synchronize(r->set, &r->err);

    if (!status) {
        emulator_must(
            r, r->b->read(r->stream[receiver][0], p->got, out, sizeof p->got, &r->err));
        emulator_must(r, r->b->read(r->stream[receiver][0], p->landed, data,
                                    sizeof p->landed, &r->err));
    }
    emulator_close(r);
    return status;
}

static bool is_whole(const uint32_t *line)
{
    for (uint32_t i = 0; i < LINE_WORDS; i++)
        if (line[i] != 1000 + i)
            return false;
    return true;
}

static void awaited_bytes_have_arrived(void **state)
{
    static const struct sender read_first = {ORDER, WAIT_READ WAIT, "", ""};

    (void)state;
    for (uint64_t seed = 0; seed < SEEDS; seed++)
        for (unsigned receiver = 0; receiver < 2; receiver++) {
            struct passage p;

            if (pass(&p, seed & 1 ? &right : &read_first, receiver, seed, seed & 2))
                fail_msg("seed %d: %s", (int)seed, p.rig.err.text);
            assert_true(is_whole(p.got));
            assert_true(is_whole(p.landed));
        }
}

/* The flag precedes the arrival of the bytes: a completed source read is not sufficient. */
static void a_missing_wait_is_detected(void **state)
{
    static const struct sender early[] = {{ORDER, WAIT_READ, "", ""},
                                          {ORDER, "", "", WAIT},
                                          {ORDER, "cp.async.bulk.wait_group 1;", "", WAIT}};

    (void)state;
    for (size_t i = 0; i < sizeof early / sizeof *early; i++)
        for (unsigned receiver = 0; receiver < 2; receiver++) {
            unsigned wrong = 0;
            struct passage p;

            for (uint64_t seed = 1; seed <= SEEDS; seed++) {
                /* The end of the kernel waits in any case. */
                assert_int_equal(pass(&p, &early[i], receiver, seed, false), PROACT_OK);
                wrong += !is_whole(p.got);
                assert_true(is_whole(p.landed));
                assert_int_equal(pass(&p, &early[i], receiver, seed, true), PROACT_EFAULT);
                if (!strstr(p.rig.err.text, "kernel 'take'"))
                    fail_msg("case %zu: %s", i, p.rig.err.text);
            }
            /* A system-scope fence waits for everything that has left the device. */
            assert_true(wrong || receiver);
        }
}

static void the_source_is_read_late(void **state)
{
    static const char overwrite[] = "st.shared.u32 [%r3], 5;";
    static const struct sender late = {ORDER, "", overwrite, WAIT},
                               in_time = {ORDER, WAIT_READ, overwrite, WAIT};
    unsigned wrong = 0;
    struct passage p;

    (void)state;
    for (uint64_t seed = 1; seed <= SEEDS; seed++) {
        assert_int_equal(pass(&p, &late, 0, seed, false), PROACT_OK);
        wrong += !is_whole(p.landed);
        assert_int_equal(pass(&p, &in_time, seed & 1, seed, false), PROACT_OK);
        assert_true(is_whole(p.landed));
    }
    assert_true(wrong > 0);
}

static void the_proxy_fence_and_the_last_wait_are_required(void **state)
{
    static const struct sender unordered = {"", WAIT, "", ""}, leaves = {ORDER, "", "", ""};
    struct passage p;

    (void)state;
    assert_int_equal(pass(&p, &unordered, 0, 1, true), PROACT_EFAULT);
    assert_non_null(strstr(p.rig.err.text, "with no fence.proxy.async between"));
    for (int check = 0; check < 2; check++)
        for (unsigned receiver = 0; receiver < 2; receiver++) {
            assert_int_equal(pass(&p, &leaves, receiver, 1, check), PROACT_EFAULT);
            if (!check)
                assert_non_null(strstr(p.rig.err.text, "no cp.async.bulk.wait_group"));
        }
}

/* One thread of each CTA sends 4 KB `rounds` times and waits for the source read each
   time. */
static const char stream_text[] =
    HEAD ".visible .entry stream(.param .u64 to, .param .u32 rounds)\n{\n"
         ".reg .pred %p<9>; .reg .b32 %r<20>; .reg .b64 %d<9>; .shared .align 128 .b8 "
         "s[4096];\n"
         "ld.param.u64 %d1, [to]; ld.param.u32 %r1, [rounds]; mov.u32 %r2, %ctaid.x;\n"
         "mul.lo.u32 %r3, %r1, 4096; mul.wide.u32 %d2, %r2, %r3; add.s64 %d1, %d1, %d2;\n"
         "mov.u32 %r4, %tid.x; setp.ne.u32 %p1, %r4, 0; @%p1 bra OVER; mov.u32 %r5, s;\n"
         "AGAIN: cp.async.bulk.global.shared::cta.bulk_group [%d1], [%r5], 4096;\n"
         "cp.async.bulk.commit_group; cp.async.bulk.wait_group.read 1;\n"
         "add.s64 %d1, %d1, 4096; sub.u32 %r1, %r1, 1; setp.ne.u32 %p2, %r1, 0;\n"
         "@%p2 bra AGAIN; cp.async.bulk.wait_group 0;\nOVER: ret;\n}\n";

static double stream_gbps(uint32_t ctas, struct device_traffic *traffic)
{
    enum { ROUNDS = 256 };
    struct emulator_rig r;
    struct device_module *m;
    struct device_function *f;

    emulator_open(&r, 2);
    const uint64_t bytes = (uint64_t)ctas * ROUNDS * 4096;
    device_addr to = emulator_words(&r, 1, bytes / 4);
    const struct contract_parameters p = emulator_parameters("dw", to, ROUNDS);
    const struct device_launch l = {.grid = {ctas, 1, 1},
                                    .block = {32, 1, 1},
                                    .parameters = p.block,
                                    .parameter_bytes = p.bytes};

    emulator_must(&r, r.b->module_load(r.set, 0, "stream.ptx", stream_text,
                                       sizeof stream_text - 1, &m, &r.err));
    emulator_must(&r, r.b->function(m, "stream", &f, &r.err));
    uint64_t before = r.b->now_ns(r.set);

    emulator_must(&r, r.b->launch(r.stream[0][0], f, &l, &r.err));
    emulator_sync(&r);
    double ns = emulator_since(&r, before);

    *traffic = r.b->traffic(r.set, 0, 1);
    emulator_close(&r);
    return (double)bytes / ns;
}

/* Rate of one CTA, and rate of the link: packets of 128 bytes with a header of 32 bytes. */
static void the_rate_is_that_of_the_sm_and_the_link(void **state)
{
    struct device_traffic t;

    (void)state;
    double one = stream_gbps(1, &t);

    assert_int_equal(t.bytes, 256 * 4096);
    assert_int_equal(t.packets, 256 * 4096 / 128);
    double four = stream_gbps(4, &t);

    if (one < 20 * 0.85 || one > 20 || four < 40 * 0.9 || four > 40)
        fail_msg("%.1f GB/s by one CTA, %.1f by four", one, four);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(awaited_bytes_have_arrived),
        cmocka_unit_test(a_missing_wait_is_detected),
        cmocka_unit_test(the_source_is_read_late),
        cmocka_unit_test(the_proxy_fence_and_the_last_wait_are_required),
        cmocka_unit_test(the_rate_is_that_of_the_sm_and_the_link),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
