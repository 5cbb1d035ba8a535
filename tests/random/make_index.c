/* SPDX-License-Identifier: Apache-2.0 */
/* Index expressions in common styles, each with the bounds of its value and the guard that
   keeps it inside its array. */
#include "random/make.h"

static long power_below(long count)
{
    long p = 1;

    while (p * 2 <= count)
        p *= 2;
    return p;
}

struct made make_number(struct maker *m, struct make_kernel *k, long value)
{
    struct make_number *number = &k->numbers[k->number_count];
    unsigned how = draw(m, 10), name = k->number_count;
    struct made is = {make_format(m, "%ld", value), value, value};

    if (how < 3 || k->number_count == MAKE_NUMBERS)
        return is;
    if (how == 3 && !k->template_name) {
        k->template_name = "N";
        k->template_value = value;
        return (struct made){"N", value, value};
    }
    k->number_count++;
    number->given = is.text;
    is.text = make_format(m, k->in_struct ? "s.n%u" : "n%u", name);
    if (how == 4) {
        is.text = make_format(m, "k%u_c%u", k->name, name);
        text_print(&m->constants, "__constant__ int %s = %ld;\n", is.text, value);
        number->declared = NULL;
    } else {
        number->declared = make_format(
            m, "%s n%u", pick(m, "int|int|int|unsigned|size_t|long long|short"), name);
        if (value > 32767)
            number->declared =
                make_format(m, "%s n%u", pick(m, "int|unsigned|size_t"), name);
    }
    number->is = is;
    return is;
}

struct made make_changing(struct maker *m, struct make_kernel *k, long least, long most)
{
    struct make_number *number = &k->numbers[k->number_count];
    unsigned name = k->number_count;
    long step = 1 + (long)draw(m, 9);

    if (k->number_count == MAKE_NUMBERS)
        return (struct made){make_format(m, "%ld", least), least, least};
    k->number_count++;
    *number = (struct make_number){
        {make_format(m, k->in_struct ? "s.n%u" : "n%u", name), least, most},
        make_format(m, "%s n%u", pick(m, "int|int|long long"), name),
        make_format(m, "%ld + it / %u * %ld %% %ld", least, 1 + draw(m, 3), step,
                    most - least + 1)};
    return number->is;
}

/* An arbitrary 32-bit number, from a table in memory or in constant memory. */
static struct made looked_up(struct maker *m, struct make_kernel *k)
{
    const long far = 1l << 31;

    if (one_in(m, 3))
        return (struct made){make_format(m, "(int)(%s + table[(%s) & %d])", k->i.text,
                                         pick(m, "threadIdx.x|blockIdx.x"), MAKE_TABLE - 1),
                             0, k->i.most + MAKE_TABLE};
    return (struct made){make_read(m, k, (struct made){0}), -far, far - 1};
}

static struct made in_line(struct maker *m, struct make_kernel *k)
{
    static const int shifts[] = {1, 1, 1, 2, 3, 17, 64};
    struct made i = k->i;
    long c = draw(m, 2) ? shifts[draw(m, 7)] : -shifts[draw(m, 7)], f = 2 + draw(m, 4);

    switch (draw(m, 13)) {
    case 0:
    case 1:
        return (struct made){
            make_format(m, "%s %c %ld", i.text, c < 0 ? '-' : '+', c < 0 ? -c : c),
            i.least + c, i.most + c};
    case 2:
        return (struct made){make_format(m, "%s - 1 - %s", k->n.text, i.text), 0,
                             k->n.most - 1};
    case 3:
        return (struct made){make_format(m, "%s * %ld + %u", i.text, f, draw(m, 3)), 0,
                             i.most * f + 2};
    case 4:
        return (struct made){make_format(m, "%s / %ld", i.text, f), 0, i.most / f};
    case 5:
        f = 5 + draw(m, 300);
        return (struct made){make_format(m, "%s %% %ld", i.text, f), 0, f - 1};
    case 6:
        return (struct made){make_format(m, "(%s ^ %d)", i.text, 1 << draw(m, 8)), 0,
                             i.most + 256};
    case 7:
        f = (1 << (1 + draw(m, 6))) - 1;
        return (struct made){
            make_format(m, "(%s %s %ld)", i.text, one_in(m, 2) ? "|" : "& ~", f), 0,
            i.most + f};
    case 8: {
        struct made s = make_changing(m, k, -(long)draw(m, 70), (long)draw(m, 70));

        return (struct made){make_format(m, "%s + %s", i.text, s.text), i.least + s.least,
                             i.most + s.most};
    }
    case 9:
        f = 1 + draw(m, 900);
        return (struct made){make_format(m, "(%s * %ldu + %u) %% %ldu", i.text, f * 2 + 1,
                                         draw(m, 99), k->n.least),
                             0, k->n.least - 1};
    case 10:
        return (struct made){
            make_format(m, "(%s %s ? %s : %s)", i.text,
                        pick(m, "% 2|& 4|< 700|>= 1000|== 0"), i.text,
                        k->n.text ? make_format(m, "%s - 1", k->n.text) : "0"),
            0, k->n.most > i.most ? k->n.most : i.most};
    case 11:
        return looked_up(m, k);
    default:
        return i;
    }
}

/* One of two or three coordinates, shifted a little and kept inside by itself. */
static const char *moved(struct maker *m, struct make_kernel *k, struct made at,
                         struct made count, const char **guard)
{
    static const int shifts[] = {0, 0, 0, 1, 1, 2};
    long c = shifts[draw(m, 6)];
    const char *text = at.text;

    (void)k;
    if (c == 0)
        return text;
    if (draw(m, 2))
        c = -c;
    text = make_format(m, "((int)%s %c %ld)", at.text, c < 0 ? '-' : '+', c < 0 ? -c : c);
    switch (draw(m, 3)) {
    case 0:
        *guard = make_format(m, "%s%s%s >= 0 && %s < (int)%s", *guard ? *guard : "",
                             *guard ? " && " : "", text, text, count.text);
        return text;
    case 1:
        return make_format(m, "min(max(%s, 0), (int)%s - 1)", text, count.text);
    default:
        return make_format(m, "(%s + (int)%s) %% (int)%s", text, count.text, count.text);
    }
}

static struct made in_plane(struct maker *m, struct make_kernel *k, const char **guard)
{
    const char *x = moved(m, k, k->x, k->w, guard), *y = moved(m, k, k->y, k->h, guard);
    long most = k->w.most * k->h.most - 1;

    if (k->z.text && !one_in(m, 5)) {
        const char *z = k->z.text;

        most = (most + 1) * (k->z.most + 1) - 1;
        if (one_in(m, 2))
            z = make_format(m, "(%s > 0 ? %s - 1 : 0)", z, z);
        return (struct made){
            make_format(m, "(%s * %s + %s) * %s + %s", z, k->h.text, y, k->w.text, x), 0,
            most};
    }
    switch (draw(m, 6)) {
    case 0:
        return (struct made){make_format(m, "%s * %s + %s", x, k->h.text, y), 0, most};
    case 1:
        return (struct made){y, 0, k->h.most - 1};
    case 2:
        return (struct made){x, 0, k->w.most - 1};
    default:
        return (struct made){make_format(m, "%s * %s + %s", y, k->w.text, x), 0, most};
    }
}

const char *make_bounded(struct maker *m, struct make_kernel *k, struct made at, long count,
                         const char **guard)
{
    const char *limit;

    *guard = NULL;
    if (at.least >= 0 && at.most < count && !one_in(m, 8))
        return at.text;
    limit = make_number(m, k, count).text;
    switch (draw(m, 5)) {
    case 0:
        return make_format(m, "min(max((int)(%s), 0), (int)%s - 1)", at.text, limit);
    case 1:
        *guard = make_format(m, "%s >= 0 && %s < %s", at.text, at.text, limit);
        return at.text;
    case 2:
        if (at.least >= -count && at.most < 2 * count)
            return make_format(m, "(%s + %s) %% %s", at.text, limit, limit);
        return make_format(m, "(unsigned)(%s) %% (unsigned)%s", at.text, limit);
    case 3:
        return make_format(m, "(%s) & %ld", at.text, power_below(count) - 1);
    default:
        return make_format(m, "((int)(%s) %% (int)%s + (int)%s) %% (int)%s", at.text, limit,
                           limit, limit);
    }
}

const char *make_read(struct maker *m, struct make_kernel *k, struct made loop)
{
    const struct make_role *r = make_read_role(m, k);
    const char *guard = NULL, *other = NULL, *index, *name = r->text, *value;
    struct made at = k->x.text && !one_in(m, 4) ? in_plane(m, k, &guard) : in_line(m, k);

    if (loop.text && !one_in(m, 4)) {
        struct made f = make_number(m, k, one_in(m, 2) ? 1 : 1 + (long)draw(m, 70));

        at = (struct made){make_format(m, "%s + %s * %s", at.text, loop.text, f.text),
                           at.least + f.most * (loop.least < 0 ? loop.least : 0),
                           at.most + f.most * loop.most};
    }
    at.text = make_format(m, "(%s)", at.text);
    index = make_bounded(m, k, at, r->count, &other);
    switch (draw(m, 7)) {
    case 0:
        value = make_format(m, "get(*(%s + (%s)))", name, index);
        break;
    case 1:
        value = make_format(m, "fetched(%s, (int)(%s))", name, index);
        break;
    case 2:
        value = make_format(m, "sum_of(&%s[%s], 1)", name, index);
        break;
    default:
        value = make_format(m, "get(%s[%s])", name, index);
    }
    if (guard && other)
        guard = make_format(m, "%s && %s", guard, other);
    else if (other)
        guard = other;
    return guard ? make_format(m, "(%s ? %s : %u)", guard, value, draw(m, 9)) : value;
}
