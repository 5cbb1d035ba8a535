/* SPDX-License-Identifier: Apache-2.0 */
/* cvt to and from 8-bit floats. The result is the nearest number of the format, found by an
   exhaustive search. */
#include "execute_testing.h"

#include <math.h>

/* Value of a code of e4m3 (four bits of exponent) or e5m2. */
static double number_of(unsigned code, bool is_wide)
{
    int digits = is_wide ? 2 : 3, bias = is_wide ? 15 : 7;
    int exponent = (int)(code & 0x7f) >> digits, mantissa = (int)code & ((1 << digits) - 1);
    double value = ldexp(exponent ? mantissa + (1 << digits) : mantissa,
                         (exponent ? exponent : 1) - bias - digits);

    return code & 0x80 ? -value : value;
}

static unsigned nearest(double value, bool is_wide)
{
    unsigned most = is_wide ? 0x7b : 0x7e, best = 0;

    if (isnan(value))
        return 0x7f;
    if (fabs(value) > number_of(most, is_wide))
        value = copysign(number_of(most, is_wide), value);
    for (unsigned code = 1; code <= most; code++) {
        double is = fabs(fabs(value) - number_of(code, is_wide));
        double was = fabs(fabs(value) - number_of(best, is_wide));

        if (is < was || (is == was && !(code & 1)))
            best = code;
    }
    return best | (signbit(value) ? 0x80 : 0);
}

static uint32_t bits_of(float value)
{
    uint32_t bits;

    memcpy(&bits, &value, sizeof bits);
    return bits;
}

/* Numbers between neighbours and near their middle, numbers outside the range, and NaN. */
static float value_at(unsigned n, bool is_wide)
{
    static const float ends[] = {INFINITY, -INFINITY, NAN,   1e30f, -464,
                                 464,      480,       61440, -0.f};
    static const double between[] = {0, 0.25, 0.499, 0.5, 0.501, 0.75};
    unsigned code = n / 6 % 0x7b;
    double low = number_of(code, is_wide), high = number_of(code + 1, is_wide);
    double value = low + (high - low) * between[n % 6];

    if (n < sizeof ends / sizeof *ends)
        return ends[n];
    return (float)(n & 1 ? -value : value);
}

static void floats_become_the_nearest(void **state)
{
    (void)state;
    for (int is_wide = 0; is_wide < 2; is_wide++)
        for (unsigned from = 0; from < 6 * 0x7b; from += 32) {
            struct text body = {NULL, 0, 0};
            struct rig r;

            text_print(&body,
                       "%s"
                       "ld.global.u32 %%r5, [%%rd1+1024];\n"
                       "ld.global.u32 %%r6, [%%rd1+2048];\n"
                       "cvt.rn.satfinite.%s.f32 %%h1, %%r5, %%r6;\n"
                       "cvt.u32.u16 %%r7, %%h1; st.global.u32 [%%rd1], %%r7;\n}\n",
                       RIG_KERNEL, is_wide ? "e5m2x2" : "e4m3x2");
            rig_open(&r, body.data, true);
            for (unsigned l = 0; l < 32; l++) {
                r.memory[256 + l] = bits_of(value_at(from + l, is_wide));
                r.memory[512 + l] = bits_of(value_at(from + l + 7, is_wide));
            }
            rig_expect(&r, EXECUTE_EXITED);
            for (unsigned l = 0; l < 32; l++)
                assert_int_equal(
                    r.memory[l],
                    nearest((double)value_at(from + l, is_wide), is_wide) << 8 |
                        nearest((double)value_at(from + l + 7, is_wide), is_wide));
            rig_close(&r);
            text_clear(&body);
        }
}

/* Codes converted to a wide type and back with .relu stay the same, except NaN codes. */
static void codes_survive_a_round_trip(void **state)
{
    (void)state;
    for (int is_wide = 0; is_wide < 2; is_wide++)
        for (unsigned from = 0; from < 0x7b; from += 32) {
            const char *type = is_wide ? "e5m2x2" : "e4m3x2";
            struct text body = {NULL, 0, 0};
            struct rig r;

            text_print(&body,
                       "%s"
                       "ld.global.u32 %%r5, [%%rd1+1024];\n"
                       "cvt.u16.u32 %%h1, %%r5;\ncvt.rn.f16x2.%s %%r6, %%h1;\n"
                       "cvt.rn.satfinite.relu.%s.f16x2 %%h2, %%r6;\n"
                       "cvt.u32.u16 %%r7, %%h2; st.global.u32 [%%rd1], %%r7;\n}\n",
                       RIG_KERNEL, type, type);
            rig_open(&r, body.data, true);
            for (unsigned l = 0; l < 32; l++)
                r.memory[256 + l] = (from + l) << 8 | 0x80 | (from + l);
            rig_expect(&r, EXECUTE_EXITED);
            for (unsigned l = 0; l < 32 && from + l <= 0x7b; l++)
                assert_int_equal(r.memory[l], (from + l) << 8);
            rig_close(&r);
            text_clear(&body);
        }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(floats_become_the_nearest),
        cmocka_unit_test(codes_survive_a_round_trip),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
