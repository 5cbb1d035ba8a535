/* SPDX-License-Identifier: Apache-2.0 */
/* Happens-before in the race checker. Each row is a correct protocol. The tests omit each
   ordering step and narrow each scope in turn, and every such variant must be refused. */
#include <malloc.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "device/emulator/check/check.h"

#define LENGTH(a) (sizeof(a) / sizeof *(a))

enum { BASE = 1 << 20, BYTES = 1 << 20, MESSAGE = BASE + 4096, COPY = BASE + 65536 };

/* Two CTAs of two warps on device 0, one on device 1, and a stream of each device. */
enum who { HOST, A0, A1, B0, B1, P0, P1, S0, S1, WHO_COUNT };
enum what { END, WRITE, READ, STORE, LOAD, ATOMIC, FENCE, BARRIER, JOIN };

struct step {
    enum what what;
    enum who who;
    enum execute_order order;
    enum execute_scope scope;
    uint64_t address; /* of accesses; for JOIN and BARRIER the other actor */
    bool free;        /* not needed by the protocol */
    bool wide;        /* a narrower scope suffices */
};

#define ACCESS(kind, actor, sem, reach, word)                                              \
    {                                                                                      \
        .what = kind, .who = actor, .order = sem, .scope = reach, .address = word          \
    }
#define W(w, word)                                                                         \
    {                                                                                      \
        .what = WRITE, .who = w, .address = word, .free = true                             \
    }
#define R(w, word)                                                                         \
    {                                                                                      \
        .what = READ, .who = w, .address = word, .free = true                              \
    }
#define ST(who, order, scope, word)                                                        \
    ACCESS(STORE, who, EXECUTE_##order, EXECUTE_##scope, word)
#define LD(who, order, scope, word)                                                        \
    ACCESS(LOAD, who, EXECUTE_##order, EXECUTE_##scope, word)
#define ATOM(who, order, scope, word)                                                      \
    ACCESS(ATOMIC, who, EXECUTE_##order, EXECUTE_##scope, word)
#define FENCE(who, order, scope) ACCESS(FENCE, who, EXECUTE_##order, EXECUTE_##scope, 0)
#define BAR(who, other) ACCESS(BARRIER, who, EXECUTE_WEAK, EXECUTE_CTA, other)
#define JOINS(who, other) ACCESS(JOIN, who, EXECUTE_WEAK, EXECUTE_CTA, other)

enum { FLAG = BASE + 512, COUNTER = BASE + 516, ARRIVED = BASE + 520 };

static const struct protocol {
    const char *name;
    struct step steps[16];
} protocols[] = {
    {"barrier", {W(A1, MESSAGE), BAR(A0, A1), R(A0, MESSAGE)}},
    {"barrier before a later write", {R(A1, MESSAGE), BAR(A0, A1), W(A0, MESSAGE)}},
    {"release and acquire in a CTA",
     {W(A0, MESSAGE), ST(A0, RELEASE, CTA, FLAG), LD(A1, ACQUIRE, CTA, FLAG),
      R(A1, MESSAGE)}},
    {"release and acquire",
     {W(A0, MESSAGE), ST(A0, RELEASE, GPU, FLAG), LD(B0, ACQUIRE, GPU, FLAG),
      R(B0, MESSAGE)}},
    {"release and acquire between devices",
     {W(A0, MESSAGE), ST(A0, RELEASE, SYS, FLAG), LD(P0, ACQUIRE, SYS, FLAG),
      R(P0, MESSAGE)}},
    {"a write after a read elsewhere",
     {R(A0, MESSAGE), ST(A0, RELEASE, GPU, FLAG), LD(B0, ACQUIRE, GPU, FLAG),
      W(B0, MESSAGE)}},
    {"fences and relaxed accesses",
     {W(A0, MESSAGE), FENCE(A0, ACQ_REL, GPU), ST(A0, RELAXED, GPU, FLAG),
      LD(B0, RELAXED, GPU, FLAG), FENCE(B0, ACQ_REL, GPU), R(B0, MESSAGE)}},
    {"fences and relaxed accesses between devices",
     {W(A0, MESSAGE), FENCE(A0, SC, SYS), ST(A0, RELAXED, SYS, FLAG),
      LD(P0, RELAXED, SYS, FLAG), FENCE(P0, SC, SYS), R(P0, MESSAGE)}},
    {"fences and volatile accesses",
     {W(A0, MESSAGE), FENCE(A0, SC, GPU), ST(A0, VOLATILE, CTA, FLAG),
      LD(B0, VOLATILE, CTA, FLAG), FENCE(B0, SC, GPU), R(B0, MESSAGE)}},
    {"fence and relaxed store, acquire",
     {W(A0, MESSAGE), FENCE(A0, ACQ_REL, GPU), ST(A0, RELAXED, GPU, FLAG),
      LD(B0, ACQUIRE, GPU, FLAG), R(B0, MESSAGE)}},
    {"release, relaxed load and fence",
     {W(A0, MESSAGE), ST(A0, RELEASE, GPU, FLAG), LD(B0, RELAXED, GPU, FLAG),
      FENCE(B0, ACQ_REL, GPU), R(B0, MESSAGE)}},
    {"atomics carry on what a flag holds",
     {W(A0, MESSAGE),
      ATOM(A0, RELEASE, GPU, COUNTER),
      {.what = ATOMIC,
       .who = A1,
       .order = EXECUTE_RELAXED,
       .scope = EXECUTE_GPU,
       .address = COUNTER,
       .free = true,
       .wide = true},
      ATOM(B0, ACQUIRE, GPU, COUNTER),
      R(B0, MESSAGE)}},
    {"the last of two CTAs announces to a peer",
     {W(A1, MESSAGE), BAR(A0, A1), ATOM(A0, ACQ_REL, GPU, COUNTER),
      ATOM(B0, ACQ_REL, GPU, COUNTER), ST(B0, RELEASE, SYS, FLAG),
      LD(P0, ACQUIRE, SYS, FLAG), R(P0, MESSAGE)}},
    {"fence ahead of a barrier, another one's counter",
     {W(A1, MESSAGE), FENCE(A1, ACQ_REL, GPU), BAR(A0, A1), ATOM(A0, RELAXED, GPU, COUNTER),
      ATOM(B0, ACQUIRE, GPU, COUNTER), R(B0, MESSAGE)}},
    {"leader's fence, counter, agent, copy, arrival",
     {W(A1, MESSAGE), BAR(A0, A1), FENCE(A0, ACQ_REL, GPU), ATOM(A0, RELAXED, GPU, COUNTER),
      LD(B0, ACQUIRE, GPU, COUNTER), R(B0, MESSAGE), W(B0, COPY), FENCE(B0, ACQ_REL, SYS),
      ST(B0, RELAXED, SYS, ARRIVED), LD(P0, ACQUIRE, SYS, ARRIVED), R(P0, COPY)}},
    {"kernel end and stream order",
     {W(A0, MESSAGE), JOINS(S0, A0), JOINS(B0, S0), R(B0, MESSAGE)}},
    {"event between streams of two devices",
     {W(A0, MESSAGE), JOINS(S0, A0), JOINS(S1, S0), JOINS(P0, S1), R(P0, MESSAGE)}},
    {"stream writes a value, a peer's stream waits for it",
     {W(A0, MESSAGE), JOINS(S0, A0), ST(S0, RELEASE, SYS, FLAG), LD(S1, ACQUIRE, SYS, FLAG),
      JOINS(P0, S1), R(P0, MESSAGE)}},
    {"the host reads", {W(P1, MESSAGE), JOINS(S1, P1), JOINS(HOST, S1), R(HOST, MESSAGE)}},
};

struct stage {
    struct check *check;
    uint32_t actor[WHO_COUNT], cta[WHO_COUNT]; /* of warps */
};

static struct stage stage_open(void)
{
    static const struct check_where *nowhere = NULL;
    static const unsigned device[WHO_COUNT] = {0, 0, 0, 0, 0, 1, 1, 0, 1};
    struct stage s = {.check = check_create(BASE, BYTES, 2)};
    char fault[512];

    check_allocated(s.check, BASE, BYTES);
    assert_true(check_write(s.check, CHECK_HOST, BASE, BYTES, false, nowhere, fault, 512));
    for (int i = S0; i <= S1; i++)
        s.actor[i] = check_actor(s.check, "a stream", device[i], CHECK_HOST);
    for (int i = A0; i < S0; i += 2) {
        uint32_t cta =
            check_actor(s.check, "a CTA", device[i], s.actor[S0 + (int)device[i]]);

        s.cta[i] = s.cta[i + 1] = cta;
        s.actor[i] = check_actor(s.check, "warp 0", device[i], cta);
        s.actor[i + 1] = check_actor(s.check, "warp 1", device[i], cta);
    }
    return s;
}

static bool perform(struct stage *s, const struct step *t, char *fault)
{
    static const struct check_where *nowhere = NULL;
    uint32_t actor = s->actor[t->who],
             other = t->address < WHO_COUNT ? s->actor[t->address] : 0;
    bool loads = t->what == LOAD || t->what == ATOMIC;
    bool stores = t->what == STORE || t->what == ATOMIC;

    switch (t->what) {
    case WRITE:
        return check_write(s->check, actor, t->address, 4, false, nowhere, fault, 512);
    case READ:
        return check_read(s->check, actor, t->address, 4, false, nowhere, fault, 512);
    case FENCE:
        check_fence(s->check, actor, t->order, t->scope);
        return true;
    case BARRIER:
        check_meet(s->check, s->cta[t->who],
                   actor < other ? (uint32_t[]){actor, other} : (uint32_t[]){other, actor},
                   2);
        return true;
    case JOIN:
        check_join(s->check, actor, other);
        return true;
    default:
        break;
    }
    if (loads && !check_read(s->check, actor, t->address, 4, true, nowhere, fault, 512))
        return false;
    if (stores && !check_write(s->check, actor, t->address, 4, true, nowhere, fault, 512))
        return false;
    check_strong(s->check, actor, t->address, t->order, t->scope, loads, stores);
    return true;
}

/* Runs the protocol without the step `left_out`, and with a narrower scope in the step
   `narrowed`. */
static bool runs(const struct protocol *p, int left_out, int narrowed, char *fault)
{
    struct stage s = stage_open();
    bool passed = true;

    fault[0] = '\0';
    for (int i = 0; passed && p->steps[i].what != END; i++) {
        struct step t = p->steps[i];

        if (i == narrowed)
            t.scope--;
        if (i != left_out)
            passed = perform(&s, &t, fault);
    }
    check_destroy(s.check);
    return passed;
}

static void right_protocols_pass(void **state)
{
    char fault[512];

    (void)state;
    for (size_t i = 0; i < LENGTH(protocols); i++)
        if (!runs(&protocols[i], -1, -1, fault))
            fail_msg("%s: refused: %s", protocols[i].name, fault);
}

static void every_step_is_needed(void **state)
{
    char fault[512];

    (void)state;
    for (size_t i = 0; i < LENGTH(protocols); i++)
        for (int j = 0; protocols[i].steps[j].what != END; j++) {
            if (protocols[i].steps[j].free)
                continue;
            if (runs(&protocols[i], j, -1, fault))
                fail_msg("%s: passes without step %d", protocols[i].name, j);
            assert_non_null(strstr(fault, "race: "));
        }
}

static void every_scope_is_needed(void **state)
{
    char fault[512];

    (void)state;
    for (size_t i = 0; i < LENGTH(protocols); i++)
        for (int j = 0; protocols[i].steps[j].what != END; j++) {
            const struct step *t = &protocols[i].steps[j];

            if (t->wide || t->scope == EXECUTE_CTA)
                continue;
            if (runs(&protocols[i], -1, j, fault))
                fail_msg("%s: passes with a narrower scope in step %d", protocols[i].name,
                         j);
        }
}

/* A weaker memory order in place of any acquire or release is refused as well. */
static void every_order_is_needed(void **state)
{
    char fault[512];

    (void)state;
    for (size_t i = 0; i < LENGTH(protocols); i++)
        for (int j = 0; protocols[i].steps[j].what != END; j++) {
            struct protocol p = protocols[i];

            if (p.steps[j].what == FENCE || p.steps[j].order < EXECUTE_ACQUIRE)
                continue;
            p.steps[j].order = EXECUTE_RELAXED;
            if (runs(&p, -1, -1, fault))
                fail_msg("%s: passes with step %d relaxed", p.name, j);
        }
}

static void a_plain_store_ends_a_release_sequence(void **state)
{
    static const struct protocol others = {"another's store",
                                           {W(A0, MESSAGE), ST(A0, RELEASE, GPU, FLAG),
                                            ST(B1, RELAXED, GPU, FLAG),
                                            LD(B0, ACQUIRE, GPU, FLAG), R(B0, MESSAGE)}};
    static const struct protocol own = {"its own later store",
                                        {W(A0, MESSAGE), ST(A0, RELEASE, GPU, FLAG),
                                         ST(A0, RELAXED, GPU, FLAG),
                                         LD(B0, ACQUIRE, GPU, FLAG), R(B0, MESSAGE)}};
    char fault[512];

    (void)state;
    assert_false(runs(&others, -1, -1, fault));
    assert_true(runs(&own, -1, -1, fault));
}

static void later_stores_are_not_released(void **state)
{
    static const struct protocol late[] = {
        {"after a release",
         {ST(A0, RELEASE, GPU, FLAG), W(A0, MESSAGE), LD(B0, ACQUIRE, GPU, FLAG),
          R(B0, MESSAGE)}},
        {"between fence and store",
         {FENCE(A0, SC, GPU), W(A0, MESSAGE), ST(A0, RELAXED, GPU, FLAG),
          LD(B0, ACQUIRE, GPU, FLAG), R(B0, MESSAGE)}},
        {"after a barrier", {BAR(A0, A1), W(A1, MESSAGE), R(A0, MESSAGE)}},
        {"after a kernel's end was joined",
         {JOINS(S0, A0), W(A0, MESSAGE), R(S0, MESSAGE)}},
        {"read before it was known",
         {W(A0, MESSAGE), R(B0, MESSAGE), ST(A0, RELEASE, GPU, FLAG),
          LD(B0, ACQUIRE, GPU, FLAG)}},
    };
    char fault[512];

    (void)state;
    for (size_t i = 0; i < LENGTH(late); i++)
        if (runs(&late[i], -1, -1, fault))
            fail_msg("%s: passes", late[i].name);
}

static void quiesce_orders_everything(void **state)
{
    struct stage s = stage_open();
    char fault[512];

    (void)state;
    assert_true(check_write(s.check, s.actor[A0], MESSAGE, 4, false, NULL, fault, 512));
    assert_false(check_read(s.check, s.actor[P0], MESSAGE, 4, false, NULL, fault, 512));
    check_quiesce(s.check);
    uint32_t reader = check_actor(s.check, "a later warp", 1, CHECK_HOST);
    uint32_t writer = check_actor(s.check, "another", 0, CHECK_HOST);

    assert_true(check_read(s.check, reader, MESSAGE, 4, false, NULL, fault, 512));
    assert_false(check_write(s.check, writer, MESSAGE, 4, false, NULL, fault, 512));
    assert_non_null(strstr(fault, "another writes byte 4096 of the allocation"));
    assert_non_null(strstr(fault, "read by a later warp"));
    check_destroy(s.check);
}

/* Launches on four devices that depend on each other only through kernel ends. */
static void clocks_stay_short_and_correct(void **state)
{
    enum { DEVICES = 4, WARPS = 64, LAUNCHES = 40, PART = 64 };
    struct check *c = check_create(BASE, BYTES, DEVICES);
    uint32_t streams[DEVICES], warps[WARPS];
    char fault[512];

    (void)state;
    check_allocated(c, BASE, BYTES);
    for (unsigned d = 0; d < DEVICES; d++)
        streams[d] = check_actor(c, "a stream", d, CHECK_HOST);
    for (int launch = 0; launch < LAUNCHES; launch++) {
        for (unsigned d = 0; d < DEVICES; d++) {
            for (int w = 0; w < WARPS; w++) {
                warps[w] = check_actor(c, "a warp", d, streams[d]);
                uint64_t mine = BASE + (d * WARPS + (unsigned)w) * PART;

                assert_true(check_write(c, warps[w], mine, PART, false, NULL, fault, 512));
                check_strong(c, warps[w], COPY, EXECUTE_ACQ_REL, EXECUTE_GPU, true, true);
            }
            for (int w = 0; w < WARPS; w++)
                check_join(c, streams[d], warps[w]);
        }
        uint32_t stranger = check_actor(c, "a stranger", 0, CHECK_HOST);

        assert_false(check_read(c, stranger, BASE + 17 * PART, 4, false, NULL, fault, 512));
        for (unsigned d = 0; d < DEVICES; d++)
            for (unsigned e = 0; e < DEVICES; e++)
                check_join(c, streams[d], streams[e]);
        for (unsigned d = 0; d < DEVICES; d++)
            assert_true(check_read(c, streams[d], BASE, (uint64_t)DEVICES * WARPS * PART,
                                   false, NULL, fault, 512));
        for (unsigned d = 0; d < DEVICES; d++)
            check_join(c, streams[0], streams[d]);
        for (unsigned d = 0; d < DEVICES; d++)
            check_join(c, streams[d], streams[0]);
    }
    check_destroy(c);
}

/* A clock with many steps is compacted. Compaction adds no knowledge. */
static void a_compacted_clock_knows_no_more(void **state)
{
    enum { WRITERS = 400 };
    struct check *c = check_create(BASE, BYTES, 1);
    uint32_t writer[WRITERS], reader = check_actor(c, "the reader", 0, CHECK_HOST);
    char fault[512];

    (void)state;
    for (uint32_t i = 0; i < WRITERS; i++) {
        writer[i] = check_actor(c, "a writer", 0, CHECK_HOST);
        assert_true(check_write(c, writer[i], BASE + i, 1, false, NULL, fault, 512));
    }
    for (uint32_t i = 0; i < WRITERS; i += 2) {
        check_join(c, reader, writer[i]);
        assert_true(check_write(c, writer[i], BASE + 4096 + i, 1, false, NULL, fault, 512));
    }
    for (uint32_t i = 0; i < WRITERS; i++) {
        assert_int_equal(check_read(c, reader, BASE + i, 1, false, NULL, fault, 512),
                         i % 2 == 0);
        assert_false(i % 2 == 0 &&
                     check_read(c, reader, BASE + 4096 + i, 1, false, NULL, fault, 512));
    }
    check_destroy(c);
}

/* An actor created from a kernel's start knows nothing of earlier actors of that kernel,
   even if these have ended. */
static void a_kernel_start_learns_nothing(void **state)
{
    struct check *c = check_create(BASE, BYTES, 1);
    uint32_t stream = check_actor(c, "a stream", 0, CHECK_HOST);
    char fault[512];

    (void)state;
    assert_true(check_write(c, stream, MESSAGE, 4, false, NULL, fault, 512));
    uint32_t begun = check_actor(c, "a kernel", 0, stream);
    uint32_t first = check_actor(c, "a warp", 0, begun);

    assert_true(check_write(c, first, COPY, 4, false, NULL, fault, 512));
    check_join(c, stream, first);
    check_ended(c, first);
    uint32_t second = check_actor(c, "a warp", 0, begun);

    assert_true(check_read(c, second, MESSAGE, 4, false, NULL, fault, 512));
    assert_false(check_read(c, second, COPY, 4, false, NULL, fault, 512));
    assert_true(check_read(c, stream, COPY, 4, false, NULL, fault, 512));
    check_destroy(c);
}

/* Memory use of a grid of many warps with one value-returning atomic each. */
static void ended_actors_are_freed(void **state)
{
    enum { WARPS = 20000, MOST = 16 << 20 };
    struct check *c = check_create(BASE, BYTES, 1);
    uint32_t stream = check_actor(c, "a stream", 0, CHECK_HOST);
    uint32_t begun = check_actor(c, "a kernel", 0, stream);
    size_t before = mallinfo2().uordblks;

    (void)state;
    for (uint32_t i = 0; i < WARPS; i++) {
        uint32_t warp = check_actor(c, "a warp", 0, begun);
        char fault[512];

        assert_true(check_write(c, warp, COPY, 4, true, NULL, fault, 512));
        check_strong(c, warp, COPY, EXECUTE_ACQ_REL, EXECUTE_GPU, true, true);
        check_join(c, stream, warp);
        check_ended(c, warp);
    }
    assert_true(mallinfo2().uordblks - before < MOST);
    check_destroy(c);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(right_protocols_pass),
        cmocka_unit_test(every_step_is_needed),
        cmocka_unit_test(every_scope_is_needed),
        cmocka_unit_test(every_order_is_needed),
        cmocka_unit_test(a_plain_store_ends_a_release_sequence),
        cmocka_unit_test(later_stores_are_not_released),
        cmocka_unit_test(quiesce_orders_everything),
        cmocka_unit_test(clocks_stay_short_and_correct),
        cmocka_unit_test(a_compacted_clock_knows_no_more),
        cmocka_unit_test(a_kernel_start_learns_nothing),
        cmocka_unit_test(ended_actors_are_freed),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
