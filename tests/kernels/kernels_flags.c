/* SPDX-License-Identifier: Apache-2.0 */
#include <string.h>

#include "kernels/kernels_fill.h"

enum { THREADS = 64 };

static const int32_t *numbers(struct samples_case *c, bool large, int *n)
{
    *n = kernels_size(c, large, 900);
    return kernels_ints(c, "in", *n, -99, 99);
}

static void pass(struct samples_case *c, int n)
{
    samples_pass_all(c);
    samples_pass_int(c, n);
    kernels_line(c, n, THREADS);
}

void kernel_flag_changed(struct samples_case *c, bool large)
{
    int n;
    const int32_t *in = numbers(c, large, &n);
    int32_t *out = kernels_zeros(c, "out", SAMPLES_I32, n, 0);
    int32_t *changed = kernels_zeros(c, "changed", SAMPLES_I32, 1, 0);

    for (int i = 0; i < n; i++) {
        out[i] = in[i] / 2;
        if (out[i] != in[i])
            *changed = 1;
    }
    pass(c, n);
}

void kernel_flag_over(struct samples_case *c, bool large)
{
    int n;
    const int32_t *in = numbers(c, large, &n);
    int32_t *out = kernels_zeros(c, "out", SAMPLES_I32, n, 0);
    unsigned char *over = kernels_zeros(c, "over", SAMPLES_U8, 1, 0);

    for (int i = 0; i < n; i++)
        if (in[i] > 90) {
            out[i] = in[i];
            *over = 1;
        }
    pass(c, n);
}

void kernel_flags_several(struct samples_case *c, bool large)
{
    int n;
    const int32_t *in = numbers(c, large, &n);
    int32_t *out = kernels_zeros(c, "out", SAMPLES_I32, n, 0);
    int32_t *flags = kernels_zeros(c, "flags", SAMPLES_I32, 8, 0);

    flags[3] = 7;
    for (int i = 0; i < n; i++) {
        out[i] = -in[i];
        if (in[i] > 95)
            flags[2] = 7;
        if (in[i] < -95)
            flags[5] = -1;
    }
    samples_pass_all(c);
    samples_pass_int(c, n);
    kernels_line(c, n / 2, THREADS);
}

void kernel_flag_in_data(struct samples_case *c, bool large)
{
    int n, place, round = 77;
    const int32_t *in = numbers(c, large, &n);
    int32_t *out = kernels_zeros(c, "out", SAMPLES_I32, n, 0);

    place = n - 5;
    for (int i = 0; i < n; i++) {
        if (i != place)
            out[i] = in[i] + 1;
        if (in[i] == 0)
            out[place] = round;
    }
    samples_pass_all(c);
    samples_pass_int(c, place);
    samples_pass_int(c, round);
    samples_pass_int(c, n);
    kernels_line(c, n, THREADS);
}

void kernel_flags_alone(struct samples_case *c, bool large)
{
    int n;
    const int32_t *in = numbers(c, large, &n);
    uint16_t *low = kernels_zeros(c, "low", SAMPLES_U16, 4, 0);
    int64_t *high = kernels_zeros(c, "high", SAMPLES_I64, 2, 0);

    kernels_zeros(c, "real", SAMPLES_F64, 1, 0);
    for (int i = 0; i < n; i++) {
        if (in[i] < 0)
            low[1] = 65535;
        if (in[i] > 0)
            high[1] = 0x123456789abcll;
    }
    pass(c, n);
}

void kernel_flag_by_cta(struct samples_case *c, bool large)
{
    int n;
    const int32_t *in = numbers(c, large, &n);
    int32_t *out = kernels_zeros(c, "out", SAMPLES_I32, n, 0);
    unsigned char *again = kernels_zeros(c, "again", SAMPLES_U8, 5, 0);

    for (int i = 0; i < n; i++) {
        out[i] = in[i] & 15;
        if (in[i] == 17)
            again[3] = 255;
    }
    pass(c, n);
}

/* Common part of cases whose condition is false for all numbers. */
static void copies(struct samples_case *c, bool large, const char *flag)
{
    int n;
    const int32_t *in = numbers(c, large, &n);
    int32_t *out = kernels_zeros(c, "out", SAMPLES_I32, n, 0);

    memcpy(out, in, (size_t)n * sizeof *out);
    if (flag)
        kernels_zeros(c, flag, SAMPLES_I32, 1, 0);
    pass(c, n);
}

void kernel_flag_of_two(struct samples_case *c, bool large)
{
    copies(c, large, "sign");
}

void kernel_flag_and_data(struct samples_case *c, bool large)
{
    copies(c, large, NULL);
}

void kernel_flag_of_address(struct samples_case *c, bool large)
{
    int n;
    const int32_t *in = numbers(c, large, &n);
    int32_t *out = kernels_zeros(c, "out", SAMPLES_I32, n, 0);

    memcpy(out, in, (size_t)n * sizeof *out);
    kernels_add(c, "where", SAMPLES_I64, 1);
    pass(c, n);
}

void kernel_flag_read(struct samples_case *c, bool large)
{
    copies(c, large, "stop");
}

/* Words with values before the launch; the expected values are those after it. */
static int32_t *words(struct samples_case *c, const char *name, int count, int32_t first)
{
    int32_t *word = kernels_words(c, name, count);

    for (int i = 0; i < count; i++)
        word[i] = first + i;
    return samples_output(c, 0);
}

void kernel_flag_or(struct samples_case *c, bool large)
{
    int n;
    const int32_t *in = numbers(c, large, &n);
    int32_t *out = kernels_zeros(c, "out", SAMPLES_I32, n, 0);
    int32_t *changed = words(c, "changed", 1, 3);

    for (int i = 0; i < n; i++) {
        out[i] = in[i] / 2;
        if (out[i] != in[i])
            *changed = 7;
    }
    pass(c, n);
}

/* For each operation one value that changes the word, and one that does not. */
void kernel_flags_joined(struct samples_case *c, bool large)
{
    int n, round = 6;
    const int32_t *in = numbers(c, large, &n);
    int32_t *bits = words(c, "bits", 5, 8), *least = words(c, "least", 2, -8);
    int32_t *most = words(c, "most", 2, -1);
    int64_t *low = kernels_zeros(c, "low", SAMPLES_I64, 2, 0);
    int64_t *high = kernels_zeros(c, "high", SAMPLES_I64, 2, 0);

    least[1] = -7;
    most[1] = 7;
    for (int i = 0; i < n; i++) {
        bits[1] |= in[i] > 90 ? round : 0;
        bits[2] &= in[i] < -90 ? ~8 : -1;
        bits[3] = in[i] == 0 ? round : bits[3];
        low[1] = in[i] == 17 ? -0x123456789all : low[1];
        high[1] = in[i] == 18 ? (int64_t)0xf000000000000000u : high[1];
    }
    samples_pass_all(c);
    samples_pass_int(c, round);
    samples_pass_int(c, n);
    kernels_line(c, n / 2, THREADS);
}

void kernel_flags_in_loop(struct samples_case *c, bool large)
{
    int n;
    const int32_t *in = numbers(c, large, &n);
    int32_t *out = kernels_zeros(c, "out", SAMPLES_I32, 3 * n, 0);
    int32_t *set = words(c, "set", 2, -5);

    set[0] = 5;
    for (int i = 0; i < 3 * n; i++) {
        out[i] = in[i / 3] >> i % 3;
        if (in[i / 3] > 20 * (i % 3))
            set[1] = -2;
    }
    pass(c, n);
}

void kernel_flags_guarded(struct samples_case *c, bool large)
{
    int n;
    const int32_t *in = numbers(c, large, &n);
    int32_t *bits = words(c, "bits", 3, 8);
    int64_t *low = kernels_zeros(c, "low", SAMPLES_I64, 2, 0);

    for (int i = 0; i < n; i++) {
        bits[1] |= in[i] > 90 ? 6 : 0;
        bits[2] &= in[i] > 90 ? -1 : -9;
        low[0] = in[i] > 90 ? 5 : low[0];
        low[1] = in[i] > 90 ? low[1] : -9;
    }
    pass(c, n);
}

void kernel_flags_of_several(struct samples_case *c, bool large)
{
    int n, round = 64, place = 0;
    const int32_t *in = numbers(c, large, &n);
    int32_t *bits = words(c, "bits", 4, 9), *least = words(c, "least", 1, -6);
    int64_t *most = kernels_zeros(c, "most", SAMPLES_I64, 1, 0);

    *most = 7;
    bits[3] |= 256;
    for (int i = 0; i < n; i++) {
        bits[0] |= in[i] > 90 ? 16 : in[i] < -90 ? 32 : 0;
        bits[place] |= in[i] == 0 ? round : 0;
        bits[1] &= (in[i] & 1 ? ~1 : -1) & (in[i] & 2 ? ~8 : -1);
        *least = in[i] < -50 ? -9 : in[i] > 50 && *least > -7 ? -7 : *least;
        *most = in[i] == 17 ? (int64_t)0xf000000000000000u : *most;
    }
    samples_pass_all(c);
    samples_pass_int(c, round);
    samples_pass_int(c, place);
    samples_pass_int(c, n);
    kernels_line(c, n / 2, THREADS);
}

void kernel_flags_compared(struct samples_case *c, bool large)
{
    int n, round = 2;
    const int32_t *in = numbers(c, large, &n);
    int32_t *set = words(c, "set", 3, 0);

    kernels_zeros(c, "wide", SAMPLES_I64, 1, 0);
    for (int i = 0; i < n; i++)
        set[0] = in[i] > 90 ? 5 : set[0];
    set[2] = -1;
    samples_pass_all(c);
    samples_pass_int(c, round);
    samples_pass_int(c, n);
    kernels_line(c, n, THREADS);
}

static void nothing_set(struct samples_case *c, bool large)
{
    int n;

    numbers(c, large, &n);
    kernels_zeros(c, "set", SAMPLES_I32, 1, 0);
    pass(c, n);
}

void kernel_flags_compared_two(struct samples_case *c, bool large)
{
    nothing_set(c, large);
}

void kernel_flag_or_and(struct samples_case *c, bool large)
{
    nothing_set(c, large);
}

void kernel_flag_or_and_set(struct samples_case *c, bool large)
{
    copies(c, large, "sign");
}

void kernel_flag_turned(struct samples_case *c, bool large)
{
    copies(c, large, "odd");
}

void kernel_flag_queried(struct samples_case *c, bool large)
{
    copies(c, large, "seen");
}

void kernel_flag_or_read(struct samples_case *c, bool large)
{
    copies(c, large, "stop");
}

void kernel_flag_and_count(struct samples_case *c, bool large)
{
    int n;
    const int32_t *in = numbers(c, large, &n);
    int32_t *out = kernels_zeros(c, "out", SAMPLES_I32, n, 0);

    memcpy(out, in, (size_t)n * sizeof *out);
    *(int32_t *)kernels_zeros(c, "most", SAMPLES_I32, 1, 0) = 3;
    *(int32_t *)kernels_zeros(c, "count", SAMPLES_I32, 1, 0) = n;
    pass(c, n);
}
