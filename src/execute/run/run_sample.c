/* SPDX-License-Identifier: Apache-2.0 */
/* Texture sampling as CUDA's programming guide defines it: texel i is at i + 0.5, and a
   linear filter's weights have 8 fractional bits. */
#include <math.h>

#include "execute/run/run_texture.h"

static float half_number(uint32_t half)
{
    const uint32_t exponent = half >> 10 & 31, fraction = half & 1023;
    const float sign = half >> 15 ? -1.0f : 1.0f;

    if (exponent == 31)
        return fraction ? NAN : sign * INFINITY;
    return sign * (exponent ? ldexpf((float)(fraction | 1024), (int)exponent - 25)
                            : ldexpf((float)fraction, -24));
}

static float linear_of_srgb(float v)
{
    return v <= 0.04045f ? v / 12.92f : powf((v + 0.055f) / 1.055f, 2.4f);
}

/* Values of 8 or 16 bits, scaled to [0, 1] or [-1, 1]. */
static float normalized(const struct execute_texture *t, int64_t value)
{
    const bool is_signed = t->texel.kind == PROACT_TEXEL_SIGNED;
    const double most = (double)((INT64_C(1) << (t->texel.bits - is_signed)) - 1);
    const double number = (double)value / most;

    return (float)(number < -1 ? -1 : number);
}

static bool gives_numbers(const struct execute_texture *t)
{
    return t->texel.kind == PROACT_TEXEL_FLOAT ||
           (t->reads_normalized && t->texel.bits < 32);
}

static union texture_channel channel_read(const struct execute_texture *t,
                                          const unsigned char *at, unsigned channel)
{
    const unsigned bits = t->texel.bits;
    union texture_channel out = {0};
    uint32_t raw = 0;

    memcpy(&raw, at + channel * bits / 8, bits / 8);
    int64_t value = raw;

    if (t->texel.kind == PROACT_TEXEL_SIGNED && bits < 64 && raw >> (bits - 1) & 1)
        value -= INT64_C(1) << bits;
    if (t->texel.kind == PROACT_TEXEL_FLOAT && bits == 16)
        out.number = half_number(raw);
    else if (gives_numbers(t) && t->texel.kind != PROACT_TEXEL_FLOAT)
        out.number = normalized(t, value);
    else
        out.bits = (uint32_t)value;
    if (t->is_srgb && channel < 3 && bits == 8 && t->texel.kind == PROACT_TEXEL_UNSIGNED &&
        t->reads_normalized)
        out.number = linear_of_srgb(out.number);
    return out;
}

/* Texel along one axis for index `i`. -1: the border. */
static int64_t texel_on_axis(const struct execute_texture *t, unsigned axis, double i)
{
    const int64_t count = t->size[axis];
    const double far = 1e15;
    const int64_t n = i != i ? 0 : (int64_t)(i < -far ? -far : i > far ? far : i);
    enum proact_address_mode address_mode = t->address_mode[axis];
    int64_t around;

    if (n >= 0 && n < count)
        return n;
    if (!t->has_normalized_coordinates && address_mode != PROACT_ADDRESS_BORDER)
        address_mode = PROACT_ADDRESS_CLAMP;
    switch (address_mode) {
    case PROACT_ADDRESS_WRAP:
        around = n % count;
        return around < 0 ? around + count : around;
    case PROACT_ADDRESS_MIRROR:
        around = n % (2 * count);
        around = around < 0 ? around + 2 * count : around;
        return around < count ? around : 2 * count - 1 - around;
    case PROACT_ADDRESS_BORDER:
        return -1;
    default:
        return n < 0 ? 0 : count - 1;
    }
}

static struct texture_color border_of(const struct execute_texture *t)
{
    struct texture_color out;

    for (unsigned c = 0; c < 4; c++) {
        if (gives_numbers(t))
            out.channel[c].number = t->border[c];
        else
            out.channel[c].bits = (uint32_t)(int64_t)t->border[c];
    }
    return out;
}

/* Absent channels are 0, the last one is 1. */
static struct texture_color texel_read(const struct execute_texture *t, uint64_t layer,
                                       const double at[3], uint64_t *address)
{
    struct texture_color out = {{{0}, {0}, {0}, {0}}};
    uint64_t place = t->base + layer * t->slice;
    int64_t number[3] = {0, 0, 0};

    for (unsigned a = 0; a < t->dimensions; a++)
        if ((number[a] = texel_on_axis(t, a, at[a])) < 0)
            return border_of(t);
    place += (uint64_t)number[0] * (t->texel.bits / 8 * t->texel.channels) +
             (uint64_t)number[1] * t->pitch + (uint64_t)number[2] * t->slice;
    if (!*address)
        *address = place;
    if (gives_numbers(t))
        out.channel[3].number = 1;
    else
        out.channel[3].bits = 1;
    for (unsigned c = 0; c < t->texel.channels; c++)
        out.channel[c] = channel_read(t, (const unsigned char *)(uintptr_t)place, c);
    return out;
}

enum { WHOLE = 256 }; /* weights and their products have 8 fractional bits */

/* First texel of the filter along each axis, and the weight of the second one. */
static void filter_place(const struct execute_texture *t, const struct texture_place *p,
                         double first[3], unsigned behind[3])
{
    for (unsigned a = 0; a < 3; a++) {
        first[a] = 0;
        behind[a] = 0;
        if (a >= t->dimensions)
            continue;
        first[a] = floor(p->at[a] - 0.5);
        const double part = p->at[a] - 0.5 - first[a];

        if (part >= 0 && part <= 1) /* excludes infinity */
            behind[a] = (unsigned)(part * WHOLE + 0.5);
    }
}

static unsigned share(unsigned weight, unsigned part)
{
    return (weight * part + WHOLE / 2) / WHOLE;
}

/* Weights by corner; bit a of the index: the second texel along axis a. Their sum is WHOLE.
   As on an H100: in one and two dimensions every weight is identical; in three, 94 of 100
   are, and the others differ by one. */
static void filter_weights(const unsigned behind[3], unsigned weight[8])
{
    const unsigned x = behind[0], y = behind[1], z = behind[2], both = share(x, z);
    const unsigned plane[2][2] = {{WHOLE - x - z + both, z - both}, {x - both, both}};

    for (unsigned deep = 0; deep < 2; deep++) {
        const unsigned left = plane[0][deep], right = plane[1][deep];
        const unsigned above = share(left, WHOLE - y), below = share(right, y);

        weight[4 * deep] = above;
        weight[4 * deep + 1] = right - below;
        weight[4 * deep + 2] = left - above;
        weight[4 * deep + 3] = below;
    }
}

static struct texture_color filtered(const struct execute_texture *t,
                                     const struct texture_place *p, uint64_t *address)
{
    unsigned behind[3], weight[8];
    double first[3], sum[4] = {0, 0, 0, 0};
    struct texture_color out;

    filter_place(t, p, first, behind);
    filter_weights(behind, weight);
    for (unsigned corner = 0; corner < 8; corner++) {
        double at[3];

        if (!weight[corner])
            continue;
        for (unsigned a = 0; a < 3; a++)
            at[a] = first[a] + (corner >> a & 1);
        const struct texture_color c = texel_read(t, p->layer, at, address);

        for (unsigned n = 0; n < 4; n++)
            sum[n] += weight[corner] * (double)c.channel[n].number;
    }
    for (unsigned n = 0; n < 4; n++)
        out.channel[n].number = (float)(sum[n] / WHOLE);
    return out;
}

struct texture_color texture_sample(const struct execute_texture *t,
                                    const struct texture_place *p, uint64_t *address)
{
    const double at[3] = {floor(p->at[0]), floor(p->at[1]), floor(p->at[2])};

    *address = 0;
    if (t->is_linear && gives_numbers(t))
        return filtered(t, p, address);
    return texel_read(t, p->layer, at, address);
}

struct texture_color texture_gather(const struct execute_texture *t,
                                    const struct texture_place *p, unsigned channel,
                                    uint64_t *address)
{
    static const uint8_t right[4] = {0, 1, 1, 0}, below[4] = {1, 1, 0, 0};
    double first[3];
    unsigned behind[3];
    struct texture_color out;

    *address = 0;
    filter_place(t, p, first, behind);
    for (unsigned n = 0; n < 4; n++) {
        const double at[3] = {first[0] + right[n], first[1] + below[n], 0};

        out.channel[n] = texel_read(t, p->layer, at, address).channel[channel];
    }
    return out;
}
