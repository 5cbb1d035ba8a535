/* SPDX-License-Identifier: Apache-2.0 */
/* Recognition of divisions by a constant in the multiplications that compilers emit. For
   any factor and shift a recognized x / c is correct: at the ends of x's range, around
   multiples of c, and for random numbers. */
#include <inttypes.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "access/access.h"
#include "base/text.h"

__extension__ typedef unsigned __int128 wide;
__extension__ typedef __int128 wide_signed;

enum { NUMBERS = 300, TRIES = 400 };

/* A form in which compilers write the division of x, which is in %rd1 and %r1. The result
   is in %rd9. */
struct way {
    const char *what;
    unsigned bits;
    bool is_signed;
    const char *body; /* text with the factor and the shift */
    uint64_t (*come_to)(uint64_t x, uint64_t m, unsigned shift);
};

static uint64_t whole(uint64_t x, uint64_t m, unsigned shift)
{
    return (uint32_t)x * (uint64_t)(uint32_t)m >> shift;
}

static uint64_t upper(uint64_t x, uint64_t m, unsigned shift)
{
    return (uint64_t)((wide)x * m >> 64) >> shift;
}

static uint64_t rounded(uint64_t x, uint64_t m, unsigned shift)
{
    const uint32_t t = (uint32_t)((uint32_t)x * (uint64_t)(uint32_t)m >> 32);

    return (((uint32_t)x - t) / 2 + t) >> shift;
}

static uint64_t rounded_wide(uint64_t x, uint64_t m, unsigned shift)
{
    const uint64_t t = upper(x, m, 0);

    return ((x - t) / 2 + t) >> shift;
}

static uint64_t sign_added(uint64_t x, uint64_t m, unsigned shift)
{
    const int32_t high = (int32_t)((int64_t)(int32_t)x * (int32_t)m >> 32);

    return (uint64_t)(int64_t)((high >> shift) + (high < 0));
}

static uint64_t sign_and_number(uint64_t x, uint64_t m, unsigned shift)
{
    const int64_t product = (int64_t)(int32_t)x * (int32_t)m >> 32;
    const int32_t high = (int32_t)((uint32_t)product + (uint32_t)x);

    return (uint64_t)(int64_t)((high >> shift) + (high < 0));
}

static uint64_t sign_wide(uint64_t x, uint64_t m, unsigned shift)
{
    const int64_t high = (int64_t)((wide_signed)(int64_t)x * (int64_t)m >> 64);

    return (uint64_t)((high >> shift) + (high < 0));
}

#define FACTOR "%%rd2, %%rd1, %" PRId64
#define NARROW "%%r2, %%r1, %" PRId64

static const struct way ways[] = {
    {"the whole product", 32, false,
     "mul.wide.u32 %%rd2, %%r1, %" PRId64 "; shr.u64 %%rd9, %%rd2, %u;", whole},
    {"the upper half", 64, false, "mul.hi.u64 " FACTOR "; shr.u64 %%rd9, %%rd2, %u;",
     upper},
    {"a factor of 33 bits", 32, false,
     "mul.wide.u32 %%rd2, %%r1, %" PRId64 "; shr.u64 %%rd3, %%rd2, 32; "
     "cvt.u32.u64 %%r2, %%rd3; sub.s32 %%r3, %%r1, %%r2; shr.u32 %%r4, %%r3, 1; "
     "add.s32 %%r5, %%r4, %%r2; shr.u32 %%r6, %%r5, %u; cvt.u64.u32 %%rd9, %%r6;",
     rounded},
    {"a factor of 65 bits", 64, false,
     "mul.hi.u64 " FACTOR "; sub.s64 %%rd3, %%rd1, %%rd2; shr.u64 %%rd4, %%rd3, 1; "
     "add.s64 %%rd5, %%rd2, %%rd4; shr.u64 %%rd9, %%rd5, %u;",
     rounded_wide},
    {"of a number with sign", 32, true,
     "mul.hi.s32 " NARROW "; shr.u32 %%r3, %%r2, 31; shr.s32 %%r4, %%r2, %u; "
     "add.s32 %%r5, %%r4, %%r3; cvt.s64.s32 %%rd9, %%r5;",
     sign_added},
    {"of a number with sign, that is added", 32, true,
     "mul.hi.s32 " NARROW "; add.s32 %%r6, %%r2, %%r1; shr.u32 %%r3, %%r6, 31; "
     "shr.s32 %%r4, %%r6, %u; add.s32 %%r5, %%r3, %%r4; cvt.s64.s32 %%rd9, %%r5;",
     sign_and_number},
    {"of a wide number with sign", 64, true,
     "mul.hi.s64 " FACTOR "; shr.u64 %%rd3, %%rd2, 63; shr.s64 %%rd4, %%rd2, %u; "
     "add.s64 %%rd9, %%rd4, %%rd3;",
     sign_wide},
};

enum { WAYS = sizeof ways / sizeof *ways };

/* Returns the divisor, or 0 if none is recognized. `body` leaves its result in %rd9. */
static int64_t recognized_of(const char *body)
{
    struct ptx_module *m;
    struct proact_error err = {""};
    struct text t = {0};
    char form[200] = "", *at;

    text_print(&t,
               ".version 7.0\n.target sm_75\n.address_size 64\n.visible .entry k(.param "
               ".u64 a, .param .u64 x, .param .u32 y)\n{\n.reg .b32 %%r<9>; .reg .b64 "
               "%%rd<10>;\nld.param.u64 %%rd0, [a]; ld.param.u64 %%rd1, [x]; ld.param.u32 "
               "%%r1, [y];\n%s\nadd.s64 %%rd9, %%rd0, %%rd9; st.global.u8 [%%rd9], "
               "1;\nret;\n}\n",
               body);
    if (ptx_parse("division", t.data, t.length, &m, &err))
        fail_msg("%s", err.text);
    text_clear(&t);
    struct access_analysis *a = access_analyze(m, &m->functions[0]);
    const struct access_record *r = &a->records[a->record_count - 1];

    if (r->form)
        access_form_text(a, r->form, form, sizeof form);
    access_destroy(a);
    ptx_destroy(m);
    at = strncmp(form, "div([", 5) ? NULL : strchr(form, ',');
    return at ? strtoll(at + 1, NULL, 10) : 0;
}

static int64_t quotient_value(const struct way *w, uint64_t m, unsigned shift)
{
    const int64_t factor = w->bits == 32 ? (int32_t)(uint32_t)m : (int64_t)m;
    char body[600];

#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wformat-nonliteral"
    snprintf(body, sizeof body, w->body, factor, shift);
#pragma GCC diagnostic pop
    return recognized_of(body);
}

static uint64_t next(uint64_t *state)
{
    *state ^= *state << 13;
    *state ^= *state >> 7;
    *state ^= *state << 17;
    return *state;
}

static uint64_t divided(const struct way *w, uint64_t x, int64_t c)
{
    if (w->is_signed)
        return (uint64_t)((w->bits == 32 ? (int32_t)(uint32_t)x : (int64_t)x) / c);
    return (w->bits == 32 ? (uint32_t)x : x) / (uint64_t)c;
}

/* Numbers at the ends of the range, around multiples, and random. */
static uint64_t number(const struct way *w, unsigned n, int64_t c, uint64_t *state)
{
    const uint64_t end = w->bits == 32 ? UINT32_MAX : UINT64_MAX;

    if (n < 8)
        return n - 4;
    if (n < 16)
        return end / 2 + n - 12;
    if (n < 24)
        return end / 2 / (uint64_t)c * (uint64_t)c + n - 20;
    if (n < 32)
        return end / (uint64_t)c * (uint64_t)c + n - 28;
    return n % 2 ? next(state) : next(state) / (uint64_t)c * (uint64_t)c - n / 2 % 2;
}

static void hold(const struct way *w, uint64_t m, unsigned shift, int64_t c)
{
    uint64_t state = 88172645463325252u;

    for (unsigned n = 0; n < NUMBERS; n++) {
        const uint64_t x = number(w, n, c, &state), is = w->come_to(x, m, shift);

        if (is != divided(w, x, c))
            fail_msg("%s: factor %" PRIu64 ", shift %u: of %" PRIu64 " it is %" PRIu64
                     ", not divided by %" PRId64,
                     w->what, m, shift, x, is, c);
    }
}

/* Factor and shift with which a compiler divides by c in this form; false if it uses
   another form. */
static bool factor_of(const struct way *w, uint64_t c, uint64_t *m, unsigned *shift)
{
    const bool carries = w->come_to == rounded || w->come_to == rounded_wide;
    const bool adds = w->come_to == sign_and_number;
    const wide one = (wide)1 << w->bits;

    for (unsigned s = 0; s + carries < 32; s++) {
        const wide two = one << (s + carries), up = (two + c - 1) / c;

        if (up * c - two > two >> (w->bits - w->is_signed))
            continue;
        if (carries ? up < one || up >= 2 * one
                    : up >= one || (w->is_signed && adds != (up >= one / 2)))
            return false;
        *m = (uint64_t)(carries ? up - one : up);
        *shift = w->come_to == whole ? s + 32 : s;
        return true;
    }
    return false;
}

static void divisions_are_recognized(void **state)
{
    (void)state;
    for (unsigned n = 0; n < WAYS; n++) {
        unsigned known = 0;

        for (uint64_t c = 3; c < 700; c++) {
            uint64_t m;
            unsigned shift;

            if (!(c & (c - 1)) || !factor_of(&ways[n], c, &m, &shift))
                continue;
            if (quotient_value(&ways[n], m, shift) != (int64_t)c)
                fail_msg("%s: a division by %" PRIu64 " is not seen", ways[n].what, c);
            hold(&ways[n], m, shift, (int64_t)c);
            known++;
        }
        if (known < 20)
            fail_msg("%s: tried for %u numbers", ways[n].what, known);
    }
}

/* Factors near those of a division, and random ones. */
static void recognized_quotients_are_right(void **state)
{
    uint64_t random = 3;

    (void)state;
    for (unsigned n = 0; n < WAYS; n++)
        for (unsigned t = 0; t < TRIES; t++) {
            const uint64_t c = 3 + next(&random) % (t % 2 ? 60 : 100000);
            unsigned shift = (unsigned)(next(&random) % 20);
            uint64_t m = next(&random);
            int64_t recognized_as;

            if (t % 8 && factor_of(&ways[n], c, &m, &shift))
                m += next(&random) % 5 - 2;
            if (ways[n].bits == 32)
                m = (uint32_t)m;
            recognized_as = quotient_value(&ways[n], m, shift);
            if (recognized_as)
                hold(&ways[n], m, shift, recognized_as);
        }
}

/* Products with more bits than the result, and wrong operands. */
static void other_products_are_not_divisions(void **state)
{
    static const char *const none[] = {
        "mul.lo.s64 %rd2, %rd1, 2863311531; shr.u64 %rd9, %rd2, 33;",
        "mul.wide.s32 %rd2, %r1, 1431655766; shr.u64 %rd9, %rd2, 32;",
        "mul.hi.s32 %r2, %r1, 1431655766; shr.u32 %r3, %r1, 31; add.s32 %r5, %r2, %r3; "
        "cvt.s64.s32 %rd9, %r5;",
        "mul.hi.s32 %r2, %r1, 1431655766; shr.u32 %r3, %r2, 30; add.s32 %r5, %r2, %r3; "
        "cvt.s64.s32 %rd9, %r5;",
        "mul.hi.s32 %r2, %r1, -1840700269; shr.u32 %r3, %r2, 31; shr.s32 %r4, %r2, 2; "
        "add.s32 %r5, %r4, %r3; cvt.s64.s32 %rd9, %r5;",
        "mul.hi.s32 %r2, %r1, -1840700269; add.s32 %r6, %r2, %r2; shr.u32 %r3, %r6, 31; "
        "shr.s32 %r4, %r6, 2; add.s32 %r5, %r4, %r3; cvt.s64.s32 %rd9, %r5;",
        "mul.hi.u32 %r2, %r1, 613566757; sub.s32 %r3, %r1, %r2; shr.u32 %r4, %r3, 2; "
        "add.s32 %r5, %r4, %r2; shr.u32 %r6, %r5, 2; cvt.u64.u32 %rd9, %r6;",
        "mul.hi.u32 %r2, %r1, 613566757; sub.s32 %r3, %r2, %r1; shr.u32 %r4, %r3, 1; "
        "add.s32 %r5, %r4, %r2; shr.u32 %r6, %r5, 2; cvt.u64.u32 %rd9, %r6;",
        "mul.hi.u32 %r2, %r1, 1431655766; shr.u32 %r3, %r2, 31; add.s32 %r5, %r2, %r3; "
        "cvt.s64.s32 %rd9, %r5;",
    };

    (void)state;
    for (size_t n = 0; n < sizeof none / sizeof *none; n++)
        if (recognized_of(none[n]))
            fail_msg("seen as a division: %s", none[n]);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(divisions_are_recognized),
        cmocka_unit_test(recognized_quotients_are_right),
        cmocka_unit_test(other_products_are_not_divisions),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
