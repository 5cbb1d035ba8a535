/* SPDX-License-Identifier: Apache-2.0 */
/* Kernels in which each thread writes separate elements. */
#include "random/make.h"

enum { DEPTH_MOST = 3 };

static void line(struct make_kernel *k, const char *text)
{
    text_print(&k->body, "    %*s%s\n", (int)(4 * k->depth), "", text);
}

/* The number of elements as the kernel receives it. */
static struct made how_many(struct maker *m, struct make_kernel *k, long n)
{
    if (one_in(m, 6))
        return make_changing(m, k, n - (long)draw(m, (unsigned)n / 2), n);
    return make_number(m, k, n);
}

static void launched(struct maker *m, struct make_kernel *k, long n, long threads)
{
    k->block = make_format(m, "%ld", threads);
    k->grid = make_format(m, "%ld", (n + threads - 1) / threads);
}

static const char *const in_a_row = "blockIdx.x * blockDim.x + threadIdx.x";

/* Elements in one dimension: one for each thread, a few, or a grid-stride loop. */
static void in_line(struct maker *m, struct make_kernel *k)
{
    long threads = one_in(m, 4) ? 33 + (long)draw(m, 200) : 32l << draw(m, 4),
         some = 2 + (long)draw(m, 3);

    k->n = how_many(m, k, m->n);
    k->i = (struct made){"i", 0, k->n.most - 1};
    launched(m, k, k->n.most, threads);
    switch (draw(m, 6)) {
    case 0:
        k->skip = "continue";
        k->grid = make_format(m, "%u", 3 + draw(m, 90));
        line(k, make_format(m, "for (%s i = %s; i < %s; i += blockDim.x * gridDim.x) {",
                            k->index, in_a_row, k->n.text));
        break;
    case 1:
        k->skip = "continue";
        launched(m, k, (k->n.most + some - 1) / some, threads);
        line(k, make_format(m, "for (int k = 0; k < %ld; k++) {", some));
        line(k, make_format(m, "    %s i = (%s) * %ld + k;", k->index, in_a_row, some));
        line(k, make_format(m, "    if (i >= %s) continue;", k->n.text));
        break;
    case 2:
        k->skip = "continue";
        launched(m, k, (k->n.most + some - 1) / some, threads);
        line(k, make_format(m, "for (int k = 0; k < %ld; k++) {", some));
        line(k,
             make_format(m, "    %s i = (blockIdx.x * %ld + k) * blockDim.x + threadIdx.x;",
                         k->index, some));
        line(k, make_format(m, "    if (i >= %s) continue;", k->n.text));
        break;
    case 3:
        line(k, "{");
        line(k,
             make_format(
                 m, "    %s i = (gridDim.x - 1 - blockIdx.x) * blockDim.x + threadIdx.x;",
                 k->index));
        line(k, make_format(m, "    if (i >= %s) return;", k->n.text));
        break;
    case 4:
        line(k, make_format(m, "%s i = %s;", k->index, in_a_row));
        line(k, make_format(m, "if (i < %s) {", k->n.text));
        break;
    default:
        line(k, "{");
        line(k, make_format(m, "    %s i = %s;", k->index, in_a_row));
        line(k, make_format(m, "    if (i >= %s) return;", k->n.text));
    }
    k->depth++;
}

static void sizes(struct maker *m, struct make_kernel *k)
{
    k->w = one_in(m, 8) ? make_changing(m, k, m->w - (long)draw(m, 9), m->w)
                        : make_number(m, k, m->w);
    k->h = one_in(m, 8) ? make_changing(m, k, m->h - (long)draw(m, 9), m->h)
                        : make_number(m, k, m->h);
    k->x = (struct made){"x", 0, m->w - 1};
    k->y = (struct made){"y", 0, m->h - 1};
    k->n = (struct made){make_format(m, "(%s * %s)", k->w.text, k->h.text),
                         k->w.least * k->h.least, m->w * m->h};
    k->i = (struct made){"i", 0, m->w * m->h - 1};
}

/* Coordinates of a thread in a two-dimensional grid, or in a one-dimensional grid split
   into two. */
static void in_plane(struct maker *m, struct make_kernel *k)
{
    long bx = 8l << draw(m, 3), by = 1l << draw(m, 4), gx = (m->w + bx - 1) / bx,
         gy = (m->h + by - 1) / by;
    const char *type = one_in(m, 6) ? "short" : k->index;

    sizes(m, k);
    k->block = make_format(m, "dim3(%ld, %ld)", bx, by);
    k->grid = make_format(m, "dim3(%ld, %ld)", gx, gy);
    switch (draw(m, 5)) {
    case 0:
        k->skip = "continue";
        k->block = make_format(m, "%ld", 32l << draw(m, 3));
        k->grid = make_format(m, "%ld", m->h);
        line(k, make_format(m, "%s y = blockIdx.x;", type));
        line(k, make_format(
                    m, "if (y < %s) for (%s x = threadIdx.x; x < %s; x += blockDim.x) {",
                    k->h.text, type, k->w.text));
        break;
    case 1:
        k->block = make_format(m, "%ld", bx * by);
        k->grid = make_format(m, "%ld", gx * gy);
        line(k, make_format(m, "%s x = blockIdx.x %% %ld * %ld + threadIdx.x %% %ld;", type,
                            gx, bx, bx));
        line(k, make_format(m, "%s y = blockIdx.x / %ld * %ld + threadIdx.x / %ld;", type,
                            gx, by, bx));
        line(k, make_format(m, "if (x < %s && y < %s) {", k->w.text, k->h.text));
        break;
    case 2:
        launched(m, k, m->w * m->h, 32l << draw(m, 4));
        line(k, make_format(m, "%s q = %s, x = q %% %s, y = q / %s;", k->index, in_a_row,
                            k->w.text, k->w.text));
        line(k, make_format(m, "if (y < %s) {", k->h.text));
        break;
    case 3:
        k->grid = make_format(m, "dim3(%ld, %ld)", gy, gx);
        line(k, "{");
        line(k, make_format(m, "    %s x = blockIdx.y * %ld + threadIdx.x;", type, bx));
        line(k, make_format(m, "    %s y = blockIdx.x * %ld + threadIdx.y;", type, by));
        line(k,
             make_format(m, "    if (x >= %s || y >= %s) return;", k->w.text, k->h.text));
        break;
    default:
        line(k, make_format(m, "%s x = %s;", type, in_a_row));
        line(k, make_format(m, "%s y = blockIdx.y * blockDim.y + threadIdx.y;", type));
        line(k, make_format(m, "if (x < %s && y < %s) {", k->w.text, k->h.text));
    }
    k->depth++;
    line(k, make_format(m, "%s i = y * %s + x;", k->index, k->w.text));
}

static void in_volume(struct maker *m, struct make_kernel *k)
{
    long bx = 8l << draw(m, 2), by = 1l << draw(m, 3), bz = 1l << draw(m, 2),
         gx = (m->w + bx - 1) / bx, gy = (m->h + by - 1) / by;
    struct made d = make_number(m, k, m->d);

    sizes(m, k);
    k->z = (struct made){"z", 0, m->d - 1};
    k->n = (struct made){make_format(m, "(%s * %s)", k->n.text, d.text), k->n.least * m->d,
                         m->n};
    k->i.most = m->n - 1;
    line(k, make_format(m, "%s x = %s, y = blockIdx.y * blockDim.y + threadIdx.y;",
                        k->index, in_a_row));
    k->block = make_format(m, "dim3(%ld, %ld)", bx, by);
    k->grid = make_format(m, "dim3(%ld, %ld)", gx, gy);
    if (one_in(m, 2)) {
        k->skip = "continue";
        line(k, make_format(m, "if (x < %s && y < %s) for (int z = 0; z < %s; z++) {",
                            k->w.text, k->h.text, d.text));
    } else {
        k->block = make_format(m, "dim3(%ld, %ld, %ld)", bx, by, bz);
        k->grid = make_format(m, "dim3(%ld, %ld, %ld)", gx, gy, (m->d + bz - 1) / bz);
        line(k, make_format(m, "%s z = blockIdx.z * blockDim.z + threadIdx.z;", k->index));
        line(k, make_format(m, "if (x < %s && y < %s && z < %s) {", k->w.text, k->h.text,
                            d.text));
    }
    k->depth++;
    line(k,
         make_format(m, "%s i = (z * %s + y) * %s + x;", k->index, k->h.text, k->w.text));
}

static const char *condition(struct maker *m, struct make_kernel *k)
{
    switch (draw(m, 6)) {
    case 0:
        return make_format(m, "(v & %u)", 1u << draw(m, 5));
    case 1:
        return make_format(m, "i %% %u == %u", 2 + draw(m, 9), draw(m, 2));
    case 2:
        return make_format(m, "i < %ld", (long)draw(m, (unsigned)m->n));
    case 3:
        return make_format(m, "%s > %u", make_changing(m, k, 0, 9).text, draw(m, 9));
    case 4:
        return make_format(m, "threadIdx.x < %u", 1 + draw(m, 64));
    default:
        return make_format(m, "blockIdx.x >= %u", draw(m, 40));
    }
}

static void joined(struct maker *m, struct make_kernel *k, struct made loop)
{
    const char *how = pick(m, "v * 3 +|v +|v ^|max(v, |mixed(v, ");

    line(k, make_format(m, "v = %s (unsigned)%s%s;", how, make_read(m, k, loop),
                        how[1] == ' ' ? "" : ")"));
}

static void loop(struct maker *m, struct make_kernel *k)
{
    long least = (long)draw(m, 3) - 1, count = 2 + (long)draw(m, 7);
    struct made j = {"j", least, least + count}, end = make_number(m, k, least + count);

    switch (draw(m, 5)) {
    case 0:
        line(k, make_format(m, "for (int j = %s; j > %ld; j--) {", end.text, least));
        break;
    case 1:
        line(k,
             make_format(m, "for (int j = %ld; j < (int)%s; j += 2) {", least, end.text));
        break;
    case 2:
        line(k, make_format(
                    m, "for (int j = %ld, e = (int)((unsigned)%s %% %ld); j < e; j++) {",
                    least, make_read(m, k, (struct made){0}), count));
        break;
    case 3:
        j = (struct made){"j", 1, 64};
        line(k, "for (int j = 64; j > 0; j >>= 1) {");
        break;
    default:
        line(k, make_format(m, "for (int j = %ld; j < (int)%s; j++) {", least, end.text));
    }
    k->depth++;
    joined(m, k, j);
    if (one_in(m, 3))
        line(k, make_format(m, "if (v %% %u == 1) %s;", 3 + draw(m, 20),
                            pick(m, "break|continue")));
    if (one_in(m, 3))
        joined(m, k, j);
    k->depth--;
    line(k, "}");
}

static void statement(struct maker *m, struct make_kernel *k)
{
    unsigned name = k->variables++;

    switch (draw(m, 10)) {
    case 0:
    case 1:
        if (k->depth > DEPTH_MOST)
            return;
        line(k, make_format(m, "if (%s) {", condition(m, k)));
        k->depth++;
        joined(m, k, (struct made){0});
        if (one_in(m, 3))
            statement(m, k);
        k->depth--;
        line(k, "}");
        if (one_in(m, 2))
            return;
        line(k, "else {");
        k->depth++;
        joined(m, k, (struct made){0});
        k->depth--;
        line(k, "}");
        return;
    case 2:
    case 3:
        loop(m, k);
        return;
    case 4:
        line(k, make_format(m, "if (v %% %u == 3) %s;", 17 + draw(m, 90),
                            one_in(m, 9) ? "return" : k->skip));
        return;
    case 5:
        line(k, make_format(m, "int t%u[4] = {%s, %s, 3, (int)v};", name,
                            make_read(m, k, (struct made){0}),
                            make_read(m, k, (struct made){0})));
        line(k, make_format(m, "v += (unsigned)t%u[v & 3];", name));
        return;
    case 6:
        line(k, make_format(m, "auto f%u = [=](int q) { return %s + q; };", name,
                            make_read(m, k, (struct made){"q", 0, 4})));
        line(k,
             make_format(m, "v += (unsigned)(f%u(1) + f%u(%u));", name, name, draw(m, 5)));
        return;
    case 7:
        line(k, make_format(
                    m,
                    "switch (v %% 3) { case 0: v += (unsigned)%s; break; case 1: v++; "
                    "default: v ^= (unsigned)%s; }",
                    make_read(m, k, (struct made){0}), make_read(m, k, (struct made){0})));
        return;
    default:
        joined(m, k, (struct made){0});
    }
}

/* Writes to an element that belongs to the thread. */
static void write(struct maker *m, struct make_kernel *k)
{
    long most = k->i.most + 1;
    const struct make_role *r;
    const char *index = "i";

    switch (draw(m, 8)) {
    case 0:
        index = make_format(m, "%s - 1 - i", k->n.text);
        break;
    case 1:
        index = k->x.text && !k->z.text ? make_format(m, "x * %s + y", k->h.text) : "i";
        break;
    case 2:
        if (2 * most <= 2 * m->n) {
            index = make_format(m, "2 * i + %u", draw(m, 2));
            most *= 2;
        }
        break;
    case 3:
        index = "(i ^ 1)";
        most++;
        break;
    default:
        break;
    }
    r = make_write_role(m, k, most);
    if (r->count < most)
        index = "i";
    if (one_in(m, 6))
        line(k, make_format(m, "v += (unsigned)get(%s[%s]);", r->text, index));
    line(k, make_format(m, "%s%s[%s] = put<%s>(v);",
                        one_in(m, 6) ? make_format(m, "if (%s) ", condition(m, k)) : "",
                        r->text, index, r->type));
}

void make_alone(struct maker *m, struct make_kernel *k)
{
    unsigned count = 1 + draw(m, 4);

    k->is_alone = true;
    k->skip = "return";
    switch (draw(m, 4)) {
    case 0:
    case 1:
        in_line(m, k);
        break;
    case 2:
        in_plane(m, k);
        break;
    default:
        in_volume(m, k);
    }
    line(k, make_format(m, "unsigned v = (unsigned)i * %uu;", draw(m, 4)));
    joined(m, k, (struct made){0});
    for (unsigned i = 0; i < count; i++)
        statement(m, k);
    write(m, k);
    if (one_in(m, 4)) {
        joined(m, k, (struct made){0});
        write(m, k);
    }
    k->depth--;
    line(k, "}");
}
