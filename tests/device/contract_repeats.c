/* SPDX-License-Identifier: Apache-2.0 */
/* Loop capture: repeated operations have the effect of separately queued ones, whatever
   changes and whatever happens between. */
#include <stdio.h>
#include <string.h>

#include "device/contract.h"

enum { WORDS = 3000, TIMES = 6 };

struct repeats {
    struct contract *c;
    struct device_repeat *r;
    device_addr a, b;
};

static bool open_repeats(struct contract *c, struct repeats *out)
{
    if (!c->b->repeat_create)
        return false;
    *out = (struct repeats){
        .c = c, .a = contract_words(c, 0, WORDS), .b = contract_words(c, 0, WORDS)};
    contract_must(c, c->b->repeat_create(c->set, &out->r, &c->err));
    contract_must(c, c->b->fill(c->stream[0][0], out->a, 0, WORDS * 4, &c->err));
    contract_must(c, c->b->fill(c->stream[0][0], out->b, 0, WORDS * 4, &c->err));
    return true;
}

static void close_repeats(const struct repeats *s)
{
    s->c->b->repeat_destroy(s->r);
    s->c->b->free(s->c->set, 0, s->a);
    s->c->b->free(s->c->set, 0, s->b);
}

/* Adds one to that many words with a kernel, on a stream of device 0. */
static void add_one(const struct repeats *s, unsigned stream, device_addr to,
                    uint32_t words)
{
    const struct contract_parameters add = contract_u64_u32(to, words);

    contract_run(s->c, 0, stream, "add_one", WORDS / 100, 100, &add);
}

static void copy(const struct repeats *s, unsigned stream, device_addr to, device_addr from,
                 size_t words)
{
    contract_must(s->c,
                  s->c->b->copy(s->c->stream[0][stream], to, from, words * 4, &s->c->err));
}

static void end(const struct repeats *s)
{
    contract_must(s->c, s->c->b->repeat_end(s->r, &s->c->err));
}

static void expect(const struct repeats *s, device_addr at, uint32_t first, uint32_t last)
{
    assert_int_equal(contract_word(s->c, 0, at), first);
    assert_int_equal(contract_word(s->c, 0, at + (WORDS - 1) * 4), last);
}

static void what_is_the_same_is_done_again(struct contract *c)
{
    struct repeats s;

    if (!open_repeats(c, &s))
        return;
    for (uint32_t i = 1; i <= TIMES; i++) {
        c->b->repeat_begin(s.r);
        for (int n = 0; n < 3; n++)
            add_one(&s, 0, s.a, WORDS);
        copy(&s, 0, s.b, s.a, WORDS);
        add_one(&s, 0, s.b, WORDS / 2);
        contract_must(c, c->b->fill(c->stream[0][0], s.b + 4, 7, 4, &c->err));
        end(&s);
        expect(&s, s.a, 3 * i, 3 * i);
        expect(&s, s.b, 3 * i + 1, 3 * i);
        assert_int_equal(contract_word(c, 0, s.b + 4), 0x07070707);
    }
    close_repeats(&s);
}

/* One difference at a time: count, operand, order or stream. */
static void a_difference_is_detected(struct contract *c)
{
    static const struct other {
        uint32_t words, fill;
        bool to_b, copies_first, twice;
        unsigned stream;
    } others[] = {{.words = WORDS},
                  {.words = 1},
                  {.words = WORDS, .to_b = true},
                  {.words = WORDS, .fill = 1},
                  {.words = WORDS, .fill = 2},
                  {.words = WORDS, .copies_first = true},
                  {.words = WORDS, .twice = true},
                  {.words = WORDS, .stream = 1}};
    struct repeats s;

    if (!open_repeats(c, &s))
        return;
    for (size_t i = 0; i < 4 * sizeof others / sizeof *others; i++) {
        const struct other *o = &others[i / 4];
        device_addr to = o->to_b ? s.b : s.a, from = o->to_b ? s.a : s.b;

        contract_sync(c);
        c->b->repeat_begin(s.r);
        contract_must(c, c->b->fill(c->stream[0][o->stream], to, (unsigned char)o->fill,
                                    WORDS * 4, &c->err));
        if (o->copies_first)
            copy(&s, o->stream, from, to, WORDS);
        for (int n = 0; n < 1 + o->twice; n++)
            add_one(&s, o->stream, to, o->words);
        if (!o->copies_first)
            copy(&s, o->stream, from, to, WORDS);
        end(&s);
        contract_sync(c);
        uint32_t filled = o->fill * 0x01010101, most = filled + 1 + o->twice;

        expect(&s, to, most, o->words == WORDS ? most : filled);
        expect(&s, from, o->copies_first ? filled : most,
               o->copies_first || o->words < WORDS ? filled : most);
    }
    close_repeats(&s);
}

/* Host memory, an event or another stream in the middle: after the earlier operations and
   before the later ones. */
static void what_comes_between_keeps_its_place(struct contract *c)
{
    struct repeats s;
    struct device_event *event;
    uint32_t noted, nine = 9;

    if (!open_repeats(c, &s))
        return;
    contract_must(c, c->b->event_create(c->set, 0, false, &event, &c->err));
    for (uint32_t i = 1; i <= TIMES; i++) {
        c->b->repeat_begin(s.r);
        add_one(&s, 0, s.a, WORDS);
        contract_must(c, c->b->read(c->stream[0][0], &noted, s.a, sizeof noted, &c->err));
        add_one(&s, 0, s.a, WORDS);
        contract_must(c, c->b->record(c->stream[0][0], event, &c->err));
        contract_must(c, c->b->wait_event(c->stream[0][1], event, &c->err));
        copy(&s, 1, s.b, s.a, WORDS);
        contract_must(c, c->b->record(c->stream[0][1], event, &c->err));
        contract_must(c, c->b->wait_event(c->stream[0][0], event, &c->err));
        contract_must(c, c->b->write(c->stream[0][0], s.b, &nine, sizeof nine, &c->err));
        add_one(&s, 0, s.b, WORDS);
        end(&s);
        assert_int_equal(noted, 2 * i - 1);
        expect(&s, s.a, 2 * i, 2 * i);
        expect(&s, s.b, 10, 2 * i + 1);
    }
    c->b->event_destroy(event);
    close_repeats(&s);
}

/* Also between the end and the next begin, operations keep their order. */
static void repeats_are_in_order(struct contract *c)
{
    struct repeats s, t;

    if (!open_repeats(c, &s))
        return;
    contract_must(c, c->b->repeat_create(c->set, &t.r, &c->err));
    for (uint32_t i = 0; i < TIMES; i++) {
        c->b->repeat_begin(s.r);
        add_one(&s, 0, s.a, WORDS);
        add_one(&s, 0, s.a, WORDS);
        end(&s);
        copy(&s, 0, s.b, s.a, WORDS);
        c->b->repeat_begin(t.r);
        add_one(&s, 0, s.b, WORDS);
        copy(&s, 0, s.a, s.b, WORDS);
        contract_must(c, c->b->repeat_end(t.r, &c->err));
    }
    expect(&s, s.a, 3 * TIMES, 3 * TIMES);
    c->b->repeat_destroy(t.r);
    close_repeats(&s);
}

/* Later operations of a stream follow only that stream's part of the loop graph. */
static void each_stream_keeps_its_own(struct contract *c)
{
    struct repeats s;
    uint32_t is;

    if (!open_repeats(c, &s))
        return;
    contract_sync(c);
    for (uint32_t i = 1; i <= TIMES; i++) {
        c->b->repeat_begin(s.r);
        for (int n = 0; n < 3; n++)
            add_one(&s, 0, s.a, WORDS);
        add_one(&s, 1, s.b, WORDS);
        end(&s);
        contract_must(c, c->b->read(c->stream[0][0], &is, s.a, sizeof is, &c->err));
        assert_int_equal(is, 3 * i);
        contract_must(c, c->b->read(c->stream[0][1], &is, s.b, sizeof is, &c->err));
        assert_int_equal(is, i);
    }
    close_repeats(&s);
}

/* A loop graph follows a launched graph of the contract and precedes its next launch. */
static void repeats_and_graphs_are_in_order(struct contract *c)
{
    struct repeats s;
    struct device_graph *g;

    if (!open_repeats(c, &s))
        return;
    contract_sync(c);
    contract_must(c, c->b->capture_begin(c->set, &c->err));
    for (int n = 0; n < 4; n++)
        add_one(&s, 1, s.a, WORDS);
    contract_must(c, c->b->capture_end(c->set, &g, &c->err));
    for (uint32_t i = 1; i <= TIMES; i++) {
        contract_must(c, c->b->graph_launch(g, &c->err));
        c->b->repeat_begin(s.r);
        copy(&s, 0, s.b, s.a, WORDS);
        add_one(&s, 0, s.b, WORDS);
        copy(&s, 0, s.a, s.b, WORDS);
        end(&s);
    }
    expect(&s, s.a, 5 * TIMES, 5 * TIMES);
    c->b->graph_destroy(g);
    close_repeats(&s);
}

/* The kernel of a loop graph may be unloaded, and another kernel may have its address. */
static void a_reloaded_kernel_is_another(struct contract *c)
{
    static const char *const texts[] = {"add.u32 \t%r, %r, 1;", "add.u32 \t%r, %r, 1000;"};
    uint32_t expected = 0;
    struct repeats s;
    char text[512];

    if (!open_repeats(c, &s))
        return;
    for (int n = 0; n < 4; n++) {
        struct device_module *m;
        struct device_function *f;
        const struct device_launch l = {.grid = {1, 1, 1},
                                        .block = {1, 1, 1},
                                        .parameters = &s.a,
                                        .parameter_bytes = sizeof s.a};

        snprintf(text, sizeof text,
                 ".version 6.0\n.target sm_70\n.address_size 64\n"
                 ".visible .entry more(.param .u64 word)\n{\n\t.reg .b32 \t%%r;\n"
                 "\t.reg .b64 \t%%rd;\n\tld.param.u64 \t%%rd, [word];\n"
                 "\tld.global.u32 \t%%r, [%%rd];\n\t%s\n\tst.global.u32 \t[%%rd], %%r;\n"
                 "\tret;\n}\n",
                 texts[n % 2]);
        contract_must(
            c, c->b->module_load(c->set, 0, "more.ptx", text, strlen(text), &m, &c->err));
        contract_must(c, c->b->function(m, "more", &f, &c->err));
        for (int i = 0; i < TIMES; i++) {
            c->b->repeat_begin(s.r);
            for (int k = 0; k < 2; k++)
                contract_must(c, c->b->launch(c->stream[0][0], f, &l, &c->err));
            end(&s);
        }
        expected += TIMES * 2 * (n % 2 ? 1000u : 1u);
        assert_int_equal(contract_word(c, 0, s.a), expected);
        c->b->module_unload(m);
    }
    close_repeats(&s);
}

/* At the latest when the loop ends. */
static void faults_in_a_loop_graph_are_reported(struct contract *c)
{
    struct repeats s;

    if (!open_repeats(c, &s))
        return;
    const struct contract_parameters add = contract_u64_u32(s.a, WORDS);

    for (int i = 0; i < TIMES; i++) {
        c->b->repeat_begin(s.r);
        add_one(&s, 0, s.a, WORDS);
        contract_refused(c, contract_try(c, 0, 0, "add_one", 1, 5000, &add), PROACT_EINVAL);
        add_one(&s, 0, s.a, WORDS);
        end(&s);
    }
    expect(&s, s.a, 2 * TIMES, 2 * TIMES);
    close_repeats(&s);
}

const struct contract_promise contract_repeats[] = {
    {"what is the same is done again", what_is_the_same_is_done_again, false},
    {"a difference is detected", a_difference_is_detected, false},
    {"what comes between keeps its place", what_comes_between_keeps_its_place, false},
    {"repeats are in order", repeats_are_in_order, false},
    {"each stream keeps its own", each_stream_keeps_its_own, false},
    {"repeats and graphs are in order", repeats_and_graphs_are_in_order, false},
    {"a reloaded kernel is another", a_reloaded_kernel_is_another, false},
    {"faults in a loop graph are reported", faults_in_a_loop_graph_are_reported, false},
    {NULL, NULL, false},
};
