/* SPDX-License-Identifier: Apache-2.0 */
#include "access/values/resolve.h"

#include <string.h>

#include "access/values/element.h"
#include "access/values/varies.h"

enum { OPTIONS_MAX = 16, CHOICES_MAX = 8, RING_MAX = 8 };

/* Scope of a resolution: one loop, where unresolvable phis remain, or the complete
   function. */
struct scope {
    struct study *study;
    int32_t loop;   /* -1: the complete function */
    uint32_t taken; /* a phi that is assumed to equal `as`; NULL: none */
    const struct access_form *as;
};

static struct access_symbol symbol_of(const struct study *s, uint32_t symbol)
{
    return s->maker.forms.symbols[symbol];
}

/* Rebuilds a function, a member or a choice from arguments mapped by `of`; NULL if nothing
   changes. */
static const struct access_form *map_arguments(struct study *s,
                                               const struct access_symbol *y,
                                               form_map_function *of, void *context)
{
    struct forms *forms = &s->maker.forms;

    if (y->kind == ACCESS_MEMBER || y->kind == ACCESS_ELEMENT) {
        struct access_symbol other = *y;

        other.left = form_map(forms, y->left, of, context);
        if (!other.left || form_equal(other.left, y->left))
            return NULL;
        return y->kind == ACCESS_ELEMENT && !y->bytes ? element_form(s, other)
                                                      : form_make(forms, &other);
    }
    if (y->kind == ACCESS_FUNCTION) {
        const struct access_form *left = form_map(forms, y->left, of, context);
        const struct access_form *right = form_map(forms, y->right, of, context);

        if (!left || !right || (form_equal(left, y->left) && form_equal(right, y->right)))
            return NULL;
        return function_make(&s->maker, y->function, y->is_signed, y->bits, left, right);
    }
    if (y->kind != ACCESS_CHOICE)
        return NULL;
    struct access_symbol other = *y;
    bool changed = false;

    other.choices = arena_alloc(s->arena, y->choice_count * sizeof *other.choices);
    for (uint32_t i = 0; i < y->choice_count; i++) {
        other.choices[i] = form_map(forms, y->choices[i], of, context);
        if (!other.choices[i])
            other.choices[i] = y->choices[i];
        changed |= !form_equal(other.choices[i], y->choices[i]);
    }
    return changed ? form_make(forms, &other) : NULL;
}

/* After a loop, its values are those of the last iteration. */
struct outside {
    struct study *study;
    uint32_t block;
};

static const struct access_form *leave_loop(void *context, uint32_t symbol)
{
    const struct outside *o = context;
    struct forms *forms = &o->study->maker.forms;
    struct access_symbol y = symbol_of(o->study, symbol);

    if (!(y.holds >> ACCESS_ITERATION & 1))
        return NULL;
    if (y.kind != ACCESS_ITERATION)
        return map_arguments(o->study, &y, leave_loop, context);
    if (o->study->regions->loops[y.loop].contains[o->block])
        return NULL;
    y.kind = ACCESS_TRIPS;
    return form_add(forms, form_make(forms, &y), form_constant(forms, 1), -1);
}

static const struct access_form *resolve_at_block(struct study *s,
                                                  const struct access_form *f,
                                                  uint32_t block)
{
    struct outside o = {s, block};

    return form_map(&s->maker.forms, f, leave_loop, &o);
}

static bool in_scope(const struct scope *c, uint32_t block)
{
    return c->loop < 0 || c->study->regions->loops[c->loop].contains[block];
}

static const struct access_form *replace(void *context, uint32_t symbol);

static const struct access_form *replaced(struct scope *c, const struct access_form *f,
                                          uint32_t block)
{
    return resolve_at_block(c->study, form_map(&c->study->maker.forms, f, replace, c),
                            block);
}

/* Whether the term contains T of a loop that is not entered on the path to `origin`. */
static bool vanishes(const struct study *s, const struct access_term *t, uint32_t origin)
{
    for (uint32_t k = 0; k < t->degree; k++) {
        const struct access_symbol *y = &s->maker.forms.symbols[t->symbols[k]];

        if (y->kind == ACCESS_TRIPS && !regions_reach(s->regions, y->loop, origin))
            return true;
    }
    return false;
}

/* Whether `f`, from another edge, also holds for the edge from `origin` with form `other`:
   they differ only by loops that this path does not enter. */
static bool covers(struct study *s, const struct access_form *f,
                   const struct access_form *other, uint32_t origin)
{
    const struct access_form *d = form_add(&s->maker.forms, f, other, -1);

    for (uint32_t i = 0; d && i < d->count; i++)
        if (!vanishes(s, &d->terms[i], origin))
            return false;
    return d != NULL;
}

/* Distinct resolved options of a value from outside `loop` (-1: all); count 0 if one has no
   form. */
struct options {
    uint32_t count;
    const struct access_form *forms[OPTIONS_MAX];
    uint32_t origins[OPTIONS_MAX];
};

static bool gather(struct scope *c, uint32_t value, int32_t loop, struct options *o)
{
    struct study *s = c->study;
    const struct study_value *v = &s->values[value];
    uint32_t block = s->ssa->values[value].block;

    o->count = 0;
    for (uint32_t i = 0; i < v->option_count; i++) {
        if (loop >= 0 && s->regions->loops[loop].contains[v->origins[i]])
            continue;
        const struct access_form *f = replaced(c, v->options[i], block);

        if (!f || o->count == OPTIONS_MAX)
            return false;
        o->forms[o->count] = f;
        o->origins[o->count++] = v->origins[i];
    }
    return o->count > 0;
}

static const struct access_form *agree(struct study *s, const struct options *o)
{
    for (uint32_t i = 0; i < o->count; i++) {
        bool all = true;

        for (uint32_t k = 0; k < o->count && all; k++)
            all = form_equal(o->forms[i], o->forms[k]) ||
                  covers(s, o->forms[i], o->forms[k], o->origins[k]);
        if (all)
            return o->forms[i];
    }
    return NULL;
}

static const struct access_form *choose(struct study *s, uint32_t value,
                                        const struct options *o)
{
    struct access_symbol y = {.kind = ACCESS_CHOICE, .variable = (int32_t)value};
    uint32_t *origins = arena_alloc(s->arena, o->count * sizeof *origins);
    bool is_phi = s->ssa->values[value].kind == SSA_PHI;

    y.choices = arena_alloc(s->arena, o->count * sizeof *y.choices);
    for (uint32_t i = 0; i < o->count; i++) {
        bool known = false;

        for (uint32_t k = 0; k < y.choice_count; k++)
            if (form_equal(y.choices[k], o->forms[i])) {
                origins[k] = CHOICES_SEVERAL;
                known = true;
            }
        if (known)
            continue;
        origins[y.choice_count] = is_phi ? o->origins[i] : i;
        y.choices[y.choice_count++] = o->forms[i];
    }
    y.loop = (uint32_t)(s->regions->loop_of[s->ssa->values[value].block] + 1);
    y.origins = origins;
    if (y.choice_count > CHOICES_MAX)
        return NULL;
    if (!s->values[value].choice)
        s->values[value].choice = ++s->analysis->choice_count;
    y.choice = s->values[value].choice - 1;
    return form_make(&s->maker.forms, &y);
}

/* Form of a join, or of the start of a loop; NULL: not (yet) known. */
static const struct access_form *join(struct scope *c, uint32_t value, int32_t loop)
{
    struct options o;
    const struct access_form *f;

    if (!gather(c, value, loop, &o))
        return NULL;
    f = agree(c->study, &o);
    return f || c->loop >= 0 ? f : choose(c->study, value, &o);
}

/* Phi of the header that equals the option; -1: none. */
static int64_t value_before_backedge(const struct study *s, const struct access_form *f,
                                     uint32_t header)
{
    if (!f || f->count != 1 || f->terms[0].degree != 1 || f->terms[0].factor != 1)
        return -1;
    const struct access_symbol *y = &s->maker.forms.symbols[f->terms[0].symbols[0]];
    const struct ssa_value *v = &s->ssa->values[y->kind == ACCESS_PHI ? y->variable : 0];

    return y->kind == ACCESS_PHI && v->kind == SSA_PHI && v->block == header ? y->variable
                                                                             : -1;
}

/* Phis of a loop that only exchange their values, such as pointers of double buffering. */
struct ring {
    uint32_t count, phis[RING_MAX];
};

static bool add_to_ring(struct ring *r, int64_t phi)
{
    for (uint32_t n = 0; n < r->count; n++)
        if (r->phis[n] == phi)
            return true;
    if (phi < 0 || r->count == RING_MAX)
        return false;
    r->phis[r->count++] = (uint32_t)phi;
    return true;
}

/* Form of a phi in such a ring: a choice between the initial values of all its phis. */
static const struct access_form *turn(struct scope *c, uint32_t value, uint32_t loop)
{
    struct study *s = c->study;
    const struct region_loop *l = &s->regions->loops[loop];
    struct ring r = {1, {value}};
    struct options all = {0}, o;

    for (uint32_t n = 0; n < r.count; n++) {
        const struct study_value *v = &s->values[r.phis[n]];

        for (uint32_t i = 0; i < v->option_count; i++)
            if (l->contains[v->origins[i]] &&
                !add_to_ring(&r, value_before_backedge(s, v->options[i], l->header)))
                return NULL;
        if (!gather(c, r.phis[n], (int32_t)loop, &o) || all.count + o.count > OPTIONS_MAX)
            return NULL;
        for (uint32_t i = 0; i < o.count; i++) {
            all.forms[all.count] = o.forms[i];
            all.origins[all.count++] = CHOICES_SEVERAL;
        }
    }
    return choose(s, value, &all);
}

static const struct access_form *value_form(struct scope *c, uint32_t value)
{
    struct study *s = c->study;
    struct study_value *v = &s->values[value];
    const struct ssa_value *d = &s->ssa->values[value];
    int32_t loop = d->kind == SSA_PHI ? regions_header_of(s->regions, d->block) : -1;
    const struct access_symbol k = {.kind = ACCESS_ITERATION, .loop = (uint32_t)loop};
    const struct access_form *f = NULL;

    if (loop < 0 || v->step)
        f = join(c, value, loop);
    if (f && loop >= 0)
        f = form_add(&s->maker.forms, f,
                     form_multiply(&s->maker.forms, replaced(c, v->step, d->block),
                                   form_make(&s->maker.forms, &k)),
                     1);
    f = form_light(&s->maker.forms, f);
    if (f || c->loop >= 0 || (loop >= 0 && (f = turn(c, value, (uint32_t)loop))))
        return f;
    return study_opaque(s, d->instruction, value,
                        loop < 0 ? "merges too many expressions"
                                 : "has no closed form over the iterations of its loop");
}

static const struct access_form *replace(void *context, uint32_t symbol)
{
    struct scope *c = context;
    struct study *s = c->study;
    const struct access_symbol y = symbol_of(s, symbol);

    if (!(y.holds >> ACCESS_PHI & 1))
        return NULL;
    if (y.kind != ACCESS_PHI)
        return form_light(&s->maker.forms, map_arguments(s, &y, replace, context));
    uint32_t value = (uint32_t)y.variable, block = s->ssa->values[value].block;
    struct study_value *v = &s->values[value];

    if (c->as && value == c->taken)
        return c->as;
    /* Phis of the loop under resolution remain. */
    if (!in_scope(c, block) || (c->loop >= 0 && s->ssa->values[value].kind == SSA_PHI &&
                                s->regions->loops[c->loop].header == block))
        return NULL;
    if (v->generation != s->generation) {
        v->generation = s->generation;
        v->resolved = NULL; /* also during the resolution, against recursion */
        const struct access_form *f = value_form(c, value);

        s->values[value].resolved = f;
    }
    return v->resolved;
}

/* Whether all edges to the header, back edges included, pass the same loop-invariant form.
   An example is the start value of an inner loop that is computed before the outer loop and
   again at the end of each iteration. */
static bool stays(struct study *s, const struct study_value *v, uint32_t loop)
{
    const struct region_loop *l = &s->regions->loops[loop];
    struct scope c = {.study = s, .loop = (int32_t)loop};
    const struct access_form *same = NULL;

    for (uint32_t i = 0; i < v->option_count; i++) {
        const struct access_form *f = replaced(&c, v->options[i], l->header);

        if (!f || varies_in_loop(s, f, l) || (same && !form_equal(same, f)))
            return false;
        same = f;
    }
    return same;
}

/* Whether the phi keeps its initial value: the assumption that it does at the start of an
   iteration implies that it does at the end. Some paths may reload the value because of a
   possible store. */
static bool keeps(struct study *s, uint32_t value, uint32_t loop)
{
    const struct study_value *v = &s->values[value];
    const struct region_loop *l = &s->regions->loops[loop];
    struct scope c = {.study = s, .loop = (int32_t)loop, .taken = value};
    const struct access_form *outside = NULL, *f;
    bool same = true;

    for (int inside = 0; inside < 2 && same; inside++) {
        c.as = inside ? outside : NULL;
        s->generation++; /* results under the assumption are discarded */
        for (uint32_t i = 0; i < v->option_count && same; i++) {
            if (l->contains[v->origins[i]] != inside)
                continue;
            f = replaced(&c, v->options[i], l->header);
            same = f && !varies_in_loop(s, f, l) && (!outside || form_equal(outside, f));
            outside = outside ? outside : f;
        }
        same &= outside != NULL;
    }
    s->generation++;
    return same;
}

/* Finds the common loop-invariant step that all back edges add. */
static void solve(struct study *s, uint32_t value, uint32_t loop)
{
    struct study_value *v = &s->values[value];
    const struct region_loop *l = &s->regions->loops[loop];
    struct scope c = {.study = s, .loop = (int32_t)loop};
    const struct access_form *step = NULL;

    if (stays(s, v, loop)) {
        v->step = form_constant(&s->maker.forms, 0);
        return;
    }
    for (uint32_t i = 0; i < v->option_count; i++) {
        if (!l->contains[v->origins[i]])
            continue;
        const struct access_form *d =
            form_add(&s->maker.forms, replaced(&c, v->options[i], l->header), v->form, -1);

        if (!d || varies_in_loop(s, d, l) || (step && !form_equal(step, d)))
            return;
        step = d;
    }
    v->step = step;
}

/* Another phi of the loop, with a step, that the form equals up to the loop-invariant
   `rest`; NULL: none. */
static const struct study_value *leader_of(struct study *s, const struct access_form *f,
                                           uint32_t loop, const struct access_form **rest)
{
    const struct region_loop *l = &s->regions->loops[loop];

    for (uint32_t i = 0; f && i < f->count; i++) {
        const struct access_term *t = &f->terms[i];
        const struct access_symbol y =
            t->degree == 1 ? symbol_of(s, t->symbols[0]) : (struct access_symbol){0};

        if (t->degree != 1 || t->factor != 1 || y.kind != ACCESS_PHI ||
            s->ssa->values[y.variable].block != l->header || !s->values[y.variable].step)
            continue;
        *rest = form_add(&s->maker.forms, f, form_of(&s->maker.forms, t->symbols[0]), -1);
        return *rest && !varies_in_loop(s, *rest, l) ? &s->values[y.variable] : NULL;
    }
    return NULL;
}

/* Solves a phi that follows another phi by one iteration, and starts with that phi's value
   before the first. */
static void solve_follower(struct study *s, uint32_t value, uint32_t loop)
{
    struct study_value *v = &s->values[value];
    const struct region_loop *l = &s->regions->loops[loop];
    const struct study_value *of = NULL, *found;
    const struct access_form *rest = NULL, *is;
    struct scope c = {.study = s, .loop = (int32_t)loop};

    for (uint32_t i = 0; i < v->option_count && !v->step; i++) {
        if (!l->contains[v->origins[i]])
            continue;
        found = leader_of(s, replaced(&c, v->options[i], l->header), loop, &is);
        if (!found || of) /* several back edges: not handled */
            return;
        of = found;
        rest = is;
    }
    for (uint32_t i = 0; of && i < v->option_count; i++) {
        if (l->contains[v->origins[i]])
            continue;
        is = form_add(&s->maker.forms, of->options[i], rest, 1);
        is = form_add(&s->maker.forms, is, of->step, -1);
        if (!is || !form_equal(is, v->options[i]))
            return;
    }
    if (of)
        v->step = of->step;
}

void resolve_loops(struct study *s)
{
    for (uint32_t l = 0; l < s->regions->loop_count && !s->regions->irreducible; l++) {
        uint32_t header = s->regions->loops[l].header;

        s->generation++;
        for (uint32_t k = 0; k < s->ssa->phi_count[header]; k++)
            solve(s, (uint32_t)s->ssa->first_phi[header] + k, l);
        for (uint32_t k = 0; k < s->ssa->phi_count[header]; k++)
            solve_follower(s, (uint32_t)s->ssa->first_phi[header] + k, l);
        for (uint32_t k = 0; k < s->ssa->phi_count[header]; k++) {
            const uint32_t value = (uint32_t)s->ssa->first_phi[header] + k;

            if (!s->values[value].step && keeps(s, value, l))
                s->values[value].step = form_constant(&s->maker.forms, 0);
        }
    }
    s->generation++;
}

const struct access_form *resolve_form(struct study *s, const struct access_form *f,
                                       uint32_t block)
{
    struct scope everywhere = {.study = s, .loop = -1};

    return replaced(&everywhere, f, block);
}

const struct access_condition *resolve_condition(struct study *s,
                                                 const struct access_condition *c,
                                                 uint32_t block)
{
    struct access_condition *out = arena_alloc(s->arena, sizeof *out);

    *out = *c;
    if (c->first)
        out->first = resolve_condition(s, c->first, block);
    if (c->second)
        out->second = resolve_condition(s, c->second, block);
    if (c->kind != ACCESS_COMPARE)
        return out;
    out->left = resolve_form(s, c->left, block);
    out->right = resolve_form(s, c->right, block);
    if (!out->left || !out->right)
        *out = (struct access_condition){.kind = ACCESS_UNSURE};
    return out;
}
