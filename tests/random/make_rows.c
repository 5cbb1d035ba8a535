/* SPDX-License-Identifier: Apache-2.0 */
/* Kernels in which each thread, warp or CTA writes several elements: rows, planes, tiles,
   fields and triangles, in the styles of public programs. */
#include "random/make.h"

static const char *const in_a_row = "blockIdx.x * blockDim.x + threadIdx.x";

static const char *read_here(struct maker *m, struct make_kernel *k)
{
    return make_read(m, k, (struct made){0});
}

static void over(struct maker *m, struct make_kernel *k, long count, long threads)
{
    k->n = make_number(m, k, count);
    k->i = (struct made){"i", 0, count - 1};
    k->block = make_format(m, "%ld", threads);
    k->grid = make_format(m, "%ld", (count + threads - 1) / threads);
}

static const char *begin(struct maker *m, struct make_kernel *k)
{
    return make_format(
        m, "    %s i = %s;\n    if (i >= %s) return;\n    unsigned v = (unsigned)%s;\n",
        k->index, in_a_row, k->n.text, read_here(m, k));
}

/* A row of a few elements for each thread, or one element in each plane; the number may be
   a parameter. */
static void rows_or_planes(struct maker *m, struct make_kernel *k)
{
    long few = 2 + (long)draw(m, 6), count = m->n / few;
    struct made c = make_number(m, k, few);
    const struct make_role *out;
    bool is_rows = one_in(m, 2);

    over(m, k, count, 32l << draw(m, 4));
    text_print(&k->body, "%s", begin(m, k));
    out = make_write_role(m, k, m->n);
    text_print(&k->body, "%s    for (int j = 0; j < %s; j++) {\n",
               pick(m, "|    #pragma unroll 1\n|    #pragma unroll 2\n"), c.text);
    text_print(&k->body, "        v += (unsigned)%s;\n",
               make_read(m, k, (struct made){"j", 0, few - 1}));
    if (one_in(m, 3))
        text_print(&k->body, "        if (v %% 5 == %u) %s;\n", draw(m, 5),
                   pick(m, "continue|break"));
    if (is_rows)
        text_print(&k->body, "        %s[i * %s + j] = put<%s>(v);\n    }\n", out->text,
                   c.text, out->type);
    else
        text_print(&k->body, "        %s[j * %s + i] = put<%s>(v);\n    }\n", out->text,
                   k->n.text, out->type);
}

/* Four elements at once; the first or the last thread handles the remainder. */
static void wide(struct maker *m, struct make_kernel *k)
{
    struct make_role *out = &k->roles[k->role_count];
    long fours = m->n / 4;

    *out = (struct make_role){.type = "int", .count = m->n, .is_written = true};
    out->name = make_format(m, "out%u", k->role_count++);
    out->text = k->in_struct ? make_format(m, "s.%s", out->name) : out->name;
    over(m, k, fours, 32l << draw(m, 4));
    text_print(&k->body, "%s", begin(m, k));
    text_print(
        &k->body,
        "    reinterpret_cast<int4 *>(%s)[i] = make_int4(v, v * 3, (int)i, v ^ 5);\n"
        "    if (i == %s)\n        for (long t = %ld; t < %ld; t++) %s[t] = (int)t;\n",
        out->text, one_in(m, 2) ? "0" : make_format(m, "%s - 1", k->n.text), fours * 4,
        m->n, out->text);
}

/* CTAs in another order than their index. */
static void swizzled(struct maker *m, struct make_kernel *k)
{
    long threads = 32l << draw(m, 3), group = 2l << draw(m, 3),
         ctas = (m->n + threads * group - 1) / (threads * group) * group;
    const struct make_role *out;

    over(m, k, m->n, threads);
    k->grid = make_format(m, "%ld", ctas);
    switch (draw(m, 4)) {
    case 0:
        text_print(&k->body,
                   "    unsigned b = blockIdx.x %% %ld * %ld + blockIdx.x / %ld;\n", group,
                   ctas / group, group);
        break;
    case 1:
        text_print(&k->body,
                   "    unsigned b = blockIdx.x / %ld * %ld + (%ld - blockIdx.x %% %ld);\n",
                   group, group, group - 1, group);
        break;
    case 2:
        text_print(&k->body, "    unsigned b = blockIdx.x ^ %ld;\n",
                   1 + (long)draw(m, (unsigned)group - 1));
        break;
    default:
        text_print(&k->body, "    unsigned b = blockIdx.x * %ldu %% %ldu;\n", 2 * ctas + 1,
                   ctas);
    }
    text_print(&k->body,
               "    %s i = b * blockDim.x + threadIdx.x;\n    if (i >= %s) return;\n",
               k->index, k->n.text);
    text_print(&k->body, "    unsigned v = (unsigned)%s;\n", read_here(m, k));
    out = make_write_role(m, k, m->n);
    text_print(&k->body, "    %s[i] = put<%s>(v);\n", out->text, out->type);
}

/* A fixed number of CTAs, each of which processes several tiles. */
static void tiles(struct maker *m, struct make_kernel *k)
{
    long threads = 32l << draw(m, 3);
    const struct make_role *out;

    over(m, k, m->n, threads);
    k->grid = make_format(m, "%u", 3 + draw(m, 40));
    text_print(&k->body,
               "    __shared__ unsigned tile[%ld];\n"
               "    for (int t = blockIdx.x; t < (%s + %ld) / %ld; t += gridDim.x) {\n"
               "        %s i = t * %ld + threadIdx.x;\n",
               threads, k->n.text, threads - 1, threads, k->index, threads);
    text_print(&k->body,
               "        tile[threadIdx.x] = i < %s ? (unsigned)%s : 5;\n"
               "        __syncthreads();\n",
               k->n.text, read_here(m, k));
    out = make_write_role(m, k, m->n);
    text_print(&k->body,
               "        if (i < %s) %s[i] = put<%s>(tile[threadIdx.x] +\n"
               "            tile[(threadIdx.x + %u) %% %ld]);\n        __syncthreads();\n"
               "    }\n",
               k->n.text, out->text, out->type, 1 + draw(m, 31), threads);
}

/* Rows of increasing length, as in packed symmetric matrices. */
static void triangle(struct maker *m, struct make_kernel *k)
{
    long side = 1;
    const struct make_role *out;
    bool is_upper = one_in(m, 3);

    while ((side + 1) * (side + 2) / 2 <= m->n && side < 160)
        side++;
    over(m, k, side, 32);
    text_print(&k->body, "%s", begin(m, k));
    out = make_write_role(m, k, m->n);
    if (is_upper)
        text_print(&k->body,
                   "    for (int j = i; j < %s; j++)\n"
                   "        %s[i * (2 * %s - i + 1) / 2 + j - i] = put<%s>(v * 3 + j);\n",
                   k->n.text, out->text, k->n.text, out->type);
    else
        text_print(&k->body,
                   "    for (int j = 0; j <= i; j++)\n"
                   "        %s[i * (i + 1) / 2 + j] = put<%s>(v * 3 + j);\n",
                   out->text, out->type);
}

/* One index split into picture, channel, row and column; a window around the input
   element. */
static void window(struct maker *m, struct make_kernel *k)
{
    long stride = 1 + (long)draw(m, 3), pad = (long)draw(m, 3), size = 1 + (long)draw(m, 4),
         ow = (m->w - 1) / stride + 1, oh = (m->h - 1) / stride + 1, all = ow * oh * m->d;
    struct made w = make_number(m, k, m->w), h = make_number(m, k, m->h);
    const struct make_role *in = make_large_role(m, k, m->n), *out;

    over(m, k, all, 32l << draw(m, 4));
    out = make_write_role(m, k, all);
    text_print(
        &k->body,
        "    for (int i = %s; i < %s; i += blockDim.x * gridDim.x) {\n"
        "        int x = i %% %ld, y = i / %ld %% %ld, c = i / %ld / %ld;\n"
        "        int y0 = y * %ld - %ld, x0 = x * %ld - %ld;\n        unsigned v = 0;\n",
        in_a_row, k->n.text, ow, ow, oh, ow, oh, stride, pad, stride, pad);
    if (one_in(m, 2))
        text_print(
            &k->body,
            "        int y1 = min(y0 + %ld, (int)%s), x1 = min(x0 + %ld, (int)%s);\n"
            "        y0 = max(y0, 0);\n        x0 = max(x0, 0);\n"
            "        for (int r = y0; r < y1; r++)\n"
            "            for (int q = x0; q < x1; q++)\n"
            "                v = v * 3 + (unsigned)get(%s[(c * %s + r) * %s + q]);\n",
            size, h.text, size, w.text, in->text, h.text, w.text);
    else
        text_print(&k->body,
                   "        for (int r = 0; r < %ld; r++)\n"
                   "            for (int q = 0; q < %ld; q++)\n"
                   "                if (y0 + r >= 0 && y0 + r < %s && x0 + q >= 0 && x0 + "
                   "q < %s)\n"
                   "                    v = v * 3 + (unsigned)get(%s[(c * %s + y0 + r) * "
                   "%s + x0 + q]);\n",
                   size, size, h.text, w.text, in->text, h.text, w.text);
    text_print(&k->body, "        %s[i] = put<%s>(v);\n    }\n", out->text, out->type);
    if (one_in(m, 2))
        k->grid = make_format(m, "%u", 2 + draw(m, 30));
}

/* Some bytes of each element; the others keep their value. */
static void fields(struct maker *m, struct make_kernel *k)
{
    struct make_role *out = &k->roles[k->role_count];
    bool is_record = one_in(m, 2);

    *out = (struct make_role){
        .type = is_record ? "record" : "float4", .count = m->n, .is_written = true};
    out->name = make_format(m, "out%u", k->role_count++);
    out->text = k->in_struct ? make_format(m, "s.%s", out->name) : out->name;
    over(m, k, m->n, 32l << draw(m, 4));
    text_print(&k->body, "%s", begin(m, k));
    if (is_record)
        text_print(&k->body, "    %s[i].%s;\n    if (v %% %u) %s[i].%s;\n", out->text,
                   pick(m, "a = (int)v|b = (short)v|e = (unsigned char)v"), 1 + draw(m, 3),
                   out->text, pick(m, "d = (float)(v & 0xffff)|c = (unsigned char)v"));
    else
        text_print(
            &k->body,
            "    %s[i].%s = (float)(v & 255);\n    if (i %% %u == 0) %s[i].%s += 1;\n",
            out->text, pick(m, "x|y"), 1 + draw(m, 4), out->text, pick(m, "z|w"));
}

/* A pointer that advances. */
static void stepping(struct maker *m, struct make_kernel *k)
{
    long threads = 32l << draw(m, 3), few = 2 + (long)draw(m, 4);
    const struct make_role *in = make_large_role(m, k, m->n), *out;

    over(m, k, m->n, threads);
    k->grid = make_format(m, "%ld", (m->n + threads * few - 1) / (threads * few));
    out = make_write_role(m, k, m->n);
    text_print(&k->body,
               "    const %s *p = %s + blockIdx.x * %ld + threadIdx.x, *end = %s + %s;\n"
               "    %s *q = %s + blockIdx.x * %ld + threadIdx.x;\n",
               in->type, in->text, threads * few, in->text, k->n.text, out->type, out->text,
               threads * few);
    if (one_in(m, 2))
        text_print(&k->body,
                   "    for (int j = 0; j < %ld && p < end; j++, p += blockDim.x, q += "
                   "blockDim.x)\n        *q = put<%s>((unsigned)get(*p) + j);\n",
                   few, out->type);
    else
        text_print(&k->body,
                   "    const %s *last = p + %ld;\n    while (p < last) {\n"
                   "        if (p < end) *q = put<%s>((unsigned)get(*p) * 5 + 1);\n"
                   "        p += %ld;\n        q += %ld;\n    }\n",
                   in->type, threads * few, out->type, threads, threads);
}

/* Neighbours with wrapping, selected in each iteration, or with mirroring at both ends. */
static void around(struct maker *m, struct make_kernel *k)
{
    long reach = 1 + (long)draw(m, 6);
    const struct make_role *in = make_large_role(m, k, m->n), *out;
    const char *n;

    over(m, k, m->n, 32l << draw(m, 4));
    n = k->n.text;
    text_print(&k->body, "%s", begin(m, k));
    out = make_write_role(m, k, m->n);
    text_print(&k->body,
               "    for (int j = -%ld; j <= %ld; j++) {\n        int at = (int)i + j;\n",
               reach, reach);
    switch (draw(m, 4)) {
    case 0:
        text_print(
            &k->body,
            "        at = at < 0 ? at + (int)%s : at >= (int)%s ? at - (int)%s : at;\n", n,
            n, n);
        break;
    case 1:
        text_print(&k->body,
                   "        if (at < 0) at = -at;\n"
                   "        if (at >= (int)%s) at = 2 * (int)%s - 2 - at;\n",
                   n, n);
        break;
    case 2:
        text_print(&k->body, "        at = abs(at) %% (int)%s;\n", n);
        break;
    default:
        text_print(&k->body, "        if (at < 0 || at >= (int)%s) continue;\n", n);
    }
    text_print(
        &k->body,
        "        v = v * 3 + (unsigned)get(%s[at]);\n    }\n    %s[i] = put<%s>(v);\n",
        in->text, out->text, out->type);
}

/* One warp for each row; the first lane writes the result. */
static void warp_rows(struct maker *m, struct make_kernel *k)
{
    long warps = 1l << draw(m, 4), rows = m->h * m->d;
    struct made w = make_number(m, k, m->w), h = make_number(m, k, rows);
    const struct make_role *in = make_large_role(m, k, m->n), *out, *sum;

    k->block = one_in(m, 2) ? make_format(m, "%ld", 32 * warps)
                            : make_format(m, "dim3(32, %ld)", warps);
    k->grid = make_format(m, "%ld", (rows + warps - 1) / warps);
    out = make_write_role(m, k, m->n);
    sum = make_write_role(m, k, rows);
    text_print(
        &k->body,
        "    int lane = threadIdx.x %% 32;\n"
        "    %s r = (blockIdx.x * blockDim.x * blockDim.y + threadIdx.y * blockDim.x +\n"
        "        threadIdx.x) / 32;\n    unsigned v = 0;\n    if (r >= %s) return;\n"
        "    for (int c = lane; c < %s; c += 32) {\n"
        "        v = max(v, (unsigned)get(%s[r * %s + c]));\n    }\n"
        "    for (int s = 16; s; s >>= 1) v = max(v, __shfl_xor_sync(~0u, v, s));\n"
        "    for (int c = lane; c < %s; c += 32)\n"
        "        %s[r * %s + c] = put<%s>((unsigned)get(%s[r * %s + c]) - v);\n"
        "    if (lane == 0) %s[r] = put<%s>(v);\n",
        k->index, h.text, w.text, in->text, w.text, w.text, out->text, w.text, out->type,
        in->text, w.text, sum->text, sum->type);
}

/* One of two arrays, selected by the CTA or a parameter. */
static void chosen(struct maker *m, struct make_kernel *k)
{
    struct made c = make_changing(m, k, 0, 1);
    const struct make_role *a = make_write_role(m, k, m->n), *b;
    struct make_role *second = &k->roles[k->role_count];

    *second = *a;
    second->named = NULL;
    second->name = make_format(m, "out%u", k->role_count++);
    second->text = k->in_struct ? make_format(m, "s.%s", second->name) : second->name;
    b = second;
    over(m, k, m->n, 32l << draw(m, 4));
    text_print(&k->body, "%s", begin(m, k));
    text_print(&k->body, "    %s *p = %s ? %s : %s;\n    p[i] = put<%s>(v);\n", a->type,
               one_in(m, 2)   ? make_format(m, "blockIdx.x %% %u", 2 + draw(m, 3))
               : one_in(m, 2) ? c.text
                              : make_format(m, "i %% 3 == %s", c.text),
               a->text, b->text, a->type);
}

void make_rows(struct maker *m, struct make_kernel *k)
{
    static void (*const all[])(struct maker *, struct make_kernel *) = {
        rows_or_planes, wide,     swizzled, tiles,     triangle, window,
        fields,         stepping, around,   warp_rows, chosen};

    all[draw(m, sizeof all / sizeof *all)](m, k);
}
