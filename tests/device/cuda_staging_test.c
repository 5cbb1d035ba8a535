/* SPDX-License-Identifier: Apache-2.0 */
/* Pinned staging memory of writes, on the fake driver: a block is reused as soon as nothing
   is in flight, and no sooner. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/memory.h"
#include "device/cuda/cuda_set.h"
#include <proact/program.h>

#include "device/fake_cuda_session.h"

enum { BYTES = 512 << 10, WRITES = 100 };

struct stage {
    const struct device_backend *b;
    struct device_set *set;
    struct device_stream *stream, *other;
    device_addr memory[WRITES];
    unsigned char *from, *back;
    struct proact_error err;
};

static void must(const struct stage *s, enum proact_status status)
{
    if (status)
        fail_msg("%s", s->err.text);
}

static void come(struct stage *s)
{
    *s = (struct stage){.b = &device_cuda};
    fake_cuda_set_up("DEVICES=1");
    must(s, s->b->open(&(struct device_options){.wait_limit_ms = 400}, &s->set, &s->err));
    must(s, s->b->stream_create(s->set, 0, &s->stream, &s->err));
    must(s, s->b->stream_create(s->set, 0, &s->other, &s->err));
    for (unsigned i = 0; i < WRITES; i++)
        must(s, s->b->alloc(s->set, 0, BYTES, &s->memory[i], &s->err));
    s->from = must_calloc(BYTES, 1);
    s->back = must_calloc(BYTES, 1);
}

static void go(struct stage *s)
{
    free(s->from);
    free(s->back);
    s->b->close(s->set);
    assert_int_equal(fake_cuda_still_left(), 0);
}

static void write(struct stage *s, unsigned i)
{
    memset(s->from, (int)i, BYTES);
    must(s, s->b->write(s->stream, s->memory[i], s->from, BYTES, &s->err));
}

static void holds(struct stage *s, unsigned i)
{
    must(s, s->b->read(s->stream, s->back, s->memory[i], BYTES, &s->err));
    for (size_t at = 0; at < BYTES; at += 4096)
        assert_int_equal(s->back[at], i);
}

/* A read waits for its stream only, and the set is never idle as a whole. */
static void one_block_suffices_for_synchronous_writes(void **state)
{
    struct stage s;

    (void)state;
    come(&s);
    write(&s, 0);
    holds(&s, 0); /* also allocates the pinned memory of reads */
    const unsigned locked = fake_cuda_calls_of("cuMemHostAlloc");

    for (unsigned i = 1; i < WRITES; i++) {
        write(&s, i);
        holds(&s, i);
    }
    assert_int_equal(fake_cuda_calls_of("cuMemHostAlloc"), locked);
    go(&s);
}

/* Small reads use the end of the block of a write. */
static void small_reads_lock_no_memory(void **state)
{
    enum { SMALL = 64 << 10 };
    struct stage s;

    (void)state;
    come(&s);
    write(&s, 1);
    const unsigned locked = fake_cuda_calls_of("cuMemHostAlloc");

    for (unsigned turn = 0; turn < 2; turn++) {
        memset(s.back, 0, SMALL);
        must(&s, s.b->read(s.stream, s.back, s.memory[1], SMALL, &s.err));
        assert_int_equal(s.back[SMALL - 1], 1);
        assert_int_equal(fake_cuda_calls_of("cuMemHostAlloc"), locked + turn);
        holds(&s, 1); /* larger: locks memory of its own, once */
        write(&s, 1);
    }
    assert_int_equal(fake_cuda_calls_of("cuMemHostAlloc"), locked + 1);
    go(&s);
    assert_int_equal(fake_cuda_calls_of("cuMemFreeHost"), locked + 1);

    come(&s);
    write(&s, 1);
    must(&s, s.b->read(s.stream, s.back, s.memory[1], SMALL, &s.err));
    go(&s);
    assert_int_equal(fake_cuda_calls_of("cuMemFreeHost"),
                     fake_cuda_calls_of("cuMemHostAlloc"));
}

/* All writes are blocked until another stream writes the awaited word. */
static void blocks_in_flight_are_not_reused(void **state)
{
    struct stage s;
    device_addr word;
    const uint32_t one = 1;

    (void)state;
    come(&s);
    must(&s, s.b->alloc(s.set, 0, 64, &word, &s.err));
    must(&s, s.b->fill(s.stream, word, 0, 64, &s.err));
    must(&s, s.b->synchronize(s.set, &s.err));
    must(&s, s.b->wait_value(s.stream, word, one, NULL, &s.err));
    for (unsigned i = 0; i < 40; i++) /* more than two blocks */
        write(&s, i);
    must(&s, s.b->write_value(s.other, word, one, &s.err));
    must(&s, s.b->synchronize(s.set, &s.err));
    for (unsigned i = 0; i < 40; i++)
        holds(&s, i);
    go(&s);
}

/* The driver might wait without a limit for a blocked stream, so the backend waits first,
   with a limit. */
static void host_memory_is_not_locked_during_a_wait(void **state)
{
    static unsigned char here[BYTES];
    struct stage s;
    device_addr word;

    (void)state;
    come(&s);
    must(&s, s.b->alloc(s.set, 0, 64, &word, &s.err));
    must(&s, s.b->fill(s.stream, word, 0, 64, &s.err));
    must(&s, s.b->synchronize(s.set, &s.err));
    must(&s, s.b->wait_value(s.stream, word, 1, NULL, &s.err));
    assert_int_not_equal(s.b->host_lock(s.set, here, BYTES, &s.err), PROACT_OK);
    assert_non_null(strstr(s.err.text, "400 ms"));
    assert_int_equal(fake_cuda_calls_of("cuMemHostRegister_v2"), 0);
    go(&s);
}

/* The session unlocks the memory on request or when it closes. */
static void a_session_locks_host_memory(void **state)
{
    static unsigned char here[2 * BYTES];
    const struct proact_options options = {.machine = "local"};
    struct proact_error err;
    struct proact *p;

    (void)state;
    fake_cuda_set_up("DEVICES=2");
    if (proact_open(&options, &p, &err))
        fail_msg("%s", err.text);
    assert_true(proact_host_register(p, here, BYTES));
    assert_false(proact_host_register(p, here, BYTES));
    assert_true(proact_host_register(p, here + BYTES, BYTES));
    proact_host_unregister(p, here);
    assert_true(proact_host_register(p, here, BYTES));
    assert_int_equal(fake_cuda_calls_of("cuMemHostRegister_v2"), 4);
    assert_int_equal(fake_cuda_calls_of("cuMemHostUnregister"), 1);
    proact_close(p);
    assert_int_equal(fake_cuda_still_left(), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(one_block_suffices_for_synchronous_writes),
        cmocka_unit_test(small_reads_lock_no_memory),
        cmocka_unit_test(blocks_in_flight_are_not_reused),
        cmocka_unit_test(host_memory_is_not_locked_during_a_wait),
        cmocka_unit_test(a_session_locks_host_memory),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
