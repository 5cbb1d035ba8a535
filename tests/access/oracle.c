/* SPDX-License-Identifier: Apache-2.0 */
#include "access/oracle.h"

#include <inttypes.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "access/form/apply.h"
#include "base/text.h"

enum { THREADS_MAX = 1024, CHOICES_MAX = 64, TRIES_MAX = 4096 };

/* An address outside all memory. Bits 32 and up number the loop; the bits below count its
   iterations. */
#define MAGIC (UINT64_C(1) << 62)

static bool is_inside(const struct access_analysis *a, uint32_t loop, uint32_t around)
{
    int32_t up = a->loops[loop].parent;

    while (up >= 0 && (uint32_t)up != around)
        up = a->loops[up].parent;
    return up >= 0;
}

static void count_iteration(const struct access_analysis *a, uint32_t instruction,
                            struct text *t)
{
    for (uint32_t l = 0; l < a->loop_count; l++) {
        if (a->loops[l].header != instruction)
            continue;
        text_print(t, "add.u64 %%oracle_n%u, %%oracle_n%u, 1; ", l, l);
        for (uint32_t k = 0; k < a->loop_count; k++)
            if (is_inside(a, k, l))
                text_print(t, "mov.u64 %%oracle_n%u, 0; ", k);
    }
}

static void report_counters(const struct access_analysis *a, uint32_t instruction,
                            struct text *t)
{
    for (uint32_t r = 0; r < a->record_count; r++)
        for (uint32_t l = 0; l < a->loop_count; l++)
            if (a->records[r].instruction == instruction &&
                a->records[r].state == ACCESS_CLOSED)
                text_print(t,
                           "add.u64 %%oracle_a, %%oracle_n%u, %" PRIu64 "; "
                           "st.global.u8 [%%oracle_a], %%oracle_z; ",
                           l, MAGIC + ((uint64_t)l << 32));
}

/* Inserts code on existing lines only, so that line numbers stay the same. */
static void weave(const struct access_analysis *a, struct text *t)
{
    const struct ptx_function *f = a->function;
    const char *from = a->module->text;
    uint32_t done = f->body.offset;

    text_add(t, from, done);
    text_print(t, " .reg .b64 %%oracle_a; .reg .b16 %%oracle_z; ");
    for (uint32_t l = 0; l < a->loop_count; l++)
        text_print(t, ".reg .b64 %%oracle_n%u; ", l);
    for (uint32_t i = 0; i < f->instruction_count; i++) {
        uint32_t at = f->instructions[i].span.offset;

        text_add(t, from + done, at - done);
        done = at;
        if (!i)
            text_print(t, "mov.u16 %%oracle_z, 0; ");
        for (uint32_t l = 0; !i && l < a->loop_count; l++)
            text_print(t, "mov.u64 %%oracle_n%u, 0; ", l);
        count_iteration(a, i, t);
        report_counters(a, i, t);
    }
    text_add(t, from + done, a->module->bytes - done);
}

static const struct access_form *faulted(struct arena *arena, const struct access_form *f,
                                         enum oracle_fault fault)
{
    struct access_form *g =
        arena_alloc(arena, sizeof *g + (f->count + 1) * sizeof g->terms[0]);

    memcpy(g, f, sizeof *f + f->count * sizeof f->terms[0]);
    if (fault == ORACLE_STEEPER && g->count)
        g->terms[g->count - 1].factor *= 2;
    if (fault == ORACLE_SHIFTED)
        g->terms[g->count++] = (struct access_term){.factor = 1};
    return g;
}

/* Tables by line and by record. */
static void make_tables(struct oracle *o, const char *text, size_t bytes)
{
    struct access_analysis *a = o->analysis;
    uint32_t lines = 1;

    for (size_t i = 0; i < bytes; i++)
        lines += text[i] == '\n';
    o->record_of = must_calloc(lines + 1, sizeof *o->record_of);
    memset(o->record_of, -1, (lines + 1) * sizeof *o->record_of);
    o->forms = must_calloc(a->record_count, sizeof *o->forms);
    for (uint32_t r = 0; r < a->record_count; r++) {
        o->record_of[a->records[r].line] = (int32_t)r;
        if (a->records[r].state == ACCESS_CLOSED)
            o->forms[r] = faulted(&a->arena, a->records[r].form, o->fault);
    }
    o->trips = must_calloc((size_t)THREADS_MAX * (a->loop_count + 1), sizeof *o->trips);
    o->bound = must_calloc(a->loop_count, sizeof *o->bound);
    o->bounds = must_calloc(a->record_count, sizeof *o->bounds);
}

static bool open_oracle(struct oracle *o, const char *name, const char *text, size_t bytes,
                        const char *kernel, struct proact_error *err)
{
    struct text woven = {0};

    if (ptx_parse(name, text, bytes, &o->plain, err) ||
        !ptx_function_find(o->plain, kernel))
        return false;
    o->analysis = access_analyze(o->plain, ptx_function_find(o->plain, kernel));
    make_tables(o, text, bytes);
    weave(o->analysis, &woven);
    bool failed = ptx_parse(name, woven.data, woven.length, &o->woven, err) ||
                  execute_program_create(o->woven, &o->program, err);

    text_clear(&woven);
    return !failed;
}

bool oracle_open(struct oracle *o, const char *name, const char *text, size_t bytes,
                 const char *kernel, enum oracle_fault fault)
{
    struct proact_error err = {""};

    *o = (struct oracle){.fault = fault};
    if (!open_oracle(o, name, text, bytes, kernel, &err))
        fail_msg("%s", err.text);
    o->kernel = execute_kernel_find(o->program, kernel);
    return o->kernel != NULL;
}

bool oracle_open_dry(struct oracle *o, const char *name, const char *text, size_t bytes,
                     const char *kernel)
{
    *o = (struct oracle){.dry = true};
    if (open_oracle(o, name, text, bytes, kernel, NULL))
        o->kernel = execute_kernel_find(o->program, kernel);
    return o->kernel != NULL;
}

void oracle_close(struct oracle *o)
{
    if (o->program)
        execute_program_destroy(o->program);
    access_destroy(o->analysis);
    ptx_destroy(o->plain), ptx_destroy(o->woven);
    free(o->forms), free(o->record_of), free(o->trips);
    free(o->bound), free(o->bounds);
    free(o->constants);
}

static uint64_t base_address(const struct oracle *o, const struct access_record *r)
{
    const struct access_symbol *y = &o->analysis->symbols[r->base_symbol];
    uint64_t address = 0;
    size_t offset, bytes;

    if (r->base == ACCESS_BASE_PARAMETER) {
        assert_true(y->offset + 8 <= o->parameter_bytes);
        memcpy(&address, o->parameters + y->offset, 8);
        return address;
    }
    assert_int_equal(r->base, ACCESS_BASE_VARIABLE);
    const char *name = ptx_symbol(o->plain, o->analysis->function, y->variable)->name;

    assert_true(execute_variable(o->program, name, &offset, &bytes));
    return o->variables + offset;
}

/* Finds the phi values that an expression depends on; `counts` receives the number of
   values of each. */
static void find_choices(const struct oracle *o, const struct access_form *f,
                         uint32_t counts[CHOICES_MAX])
{
    for (uint32_t i = 0; i < f->count; i++)
        for (uint32_t k = 0; k < f->terms[i].degree; k++) {
            const struct access_symbol *y = &o->analysis->symbols[f->terms[i].symbols[k]];

            if (y->kind == ACCESS_FUNCTION) {
                find_choices(o, y->left, counts);
                find_choices(o, y->right, counts);
            }
            if (y->kind != ACCESS_CHOICE)
                continue;
            assert_true(y->choice < CHOICES_MAX);
            if (counts[y->choice] < y->choice_count)
                counts[y->choice] = y->choice_count;
            for (uint32_t c = 0; c < y->choice_count; c++)
                find_choices(o, y->choices[c], counts);
        }
}

/* True if some combination of phi values gives `offset`. It tries them all. */
static bool gives(const struct oracle *o, const struct access_form *f,
                  const struct access_point *at, uint64_t offset)
{
    uint32_t counts[CHOICES_MAX] = {0}, choices[CHOICES_MAX] = {0}, i;
    struct access_point p = *at;
    uint64_t value;

    find_choices(o, f, counts);
    p.choices = choices;
    for (unsigned tries = 0; tries < TRIES_MAX; tries++) {
        if (access_value(o->analysis, f, &p, &value) && value == offset)
            return true;
        for (i = 0; i < CHOICES_MAX && ++choices[i] >= counts[i]; i++)
            choices[i] = 0;
        if (i == CHOICES_MAX)
            return false;
    }
    return false;
}

static void note(struct oracle *o, const struct access_record *r, const char *what,
                 const struct access_point *p, uint64_t offset)
{
    char form[200];

    if (o->first_wrong[0])
        return;
    access_form_text(o->analysis, r->form, form, sizeof form);
    snprintf(o->first_wrong, sizeof o->first_wrong,
             "%s, line %" PRIu32 ": %s; thread (%" PRIu32 ",%" PRIu32 "), CTA (%" PRIu32
             ",%" PRIu32 ") touches byte %" PRId64 ", form %s",
             o->analysis->function->name, r->line, what, p->tid[0], p->tid[1], p->ctaid[0],
             p->ctaid[1], (int64_t)offset, form);
}

static bool has_choice(const struct oracle *o, const struct access_form *f)
{
    for (uint32_t i = 0; f && i < f->count; i++)
        for (uint32_t k = 0; k < f->terms[i].degree; k++)
            if (o->analysis->symbols[f->terms[i].symbols[k]].holds >> ACCESS_CHOICE & 1)
                return true;
    return false;
}

/* True if the condition depends on a phi value; such a condition is not checked. */
static bool chooses(const struct oracle *o, const struct access_condition *c)
{
    return c && (has_choice(o, c->left) || has_choice(o, c->right) ||
                 chooses(o, c->first) || chooses(o, c->second));
}

static bool is_spanned(const struct oracle_bounds *b, int64_t offset, uint32_t bytes)
{
    for (uint32_t n = 0; n < b->span_count; n++)
        if (access_span_holds(&b->spans[n], offset, bytes))
            return true;
    return !b->is_extent;
}

/* Checks that the bounds of the launch contain what happens. */
static void check_bounds(struct oracle *o, const struct access_record *r,
                         const struct access_point *p, uint64_t offset)
{
    const struct oracle_bounds *b = &o->bounds[r - o->analysis->records];

    for (uint32_t l = 0; l < o->analysis->loop_count; l++)
        if (o->bound[l] >= 0 && p->trips[l] > (uint64_t)o->bound[l]) {
            o->bounds_wrong++;
            note(o, r, "more iterations than the bound", p, offset);
        }
    if (b->known && ((int64_t)offset < b->low || (int64_t)offset > b->high)) {
        o->bounds_wrong++;
        note(o, r, "out of the form's bounds", p, offset);
    }
    if (!is_spanned(b, (int64_t)offset, r->bytes)) {
        o->bounds_wrong++;
        note(o, r, "out of its spans", p, offset);
    }
}

static void find_bounds(struct oracle *o, const struct execute_launch *l)
{
    struct access_launch at = {.parameters = o->parameters,
                               .parameter_bytes = o->parameter_bytes,
                               .constants = o->constants};
    struct access_analysis *a = o->analysis;
    struct proact_error err;

    memcpy(at.ntid, l->block, sizeof at.ntid);
    memcpy(at.nctaid, l->grid, sizeof at.nctaid);
    access_trips(a, &at, o->bound);
    o->closed = o->bounded = o->unwrapped = 0;
    for (uint32_t i = 0; i < a->record_count; i++) {
        const struct access_record *r = &a->records[i];
        struct oracle_bounds *b = &o->bounds[i];

        if (r->state != ACCESS_CLOSED)
            continue;
        b->known = access_bounds(a, r->form, r->guards, r->guard_count, &at, o->bound,
                                 &b->low, &b->high);
        b->unwrapped = !access_check_wrap(a, r, &at, o->bound, &err);
        b->is_extent = access_extent(a, r, &at, o->bound, b->spans, &b->span_count);
        o->closed++;
        o->bounded += b->known;
        o->unwrapped += b->unwrapped;
    }
}

/* True if the assumptions of an expression hold here; otherwise nothing is claimed. */
static bool is_assumed(const struct oracle *o, const struct access_record *r,
                       const struct access_point *p)
{
    uint64_t value;

    for (uint32_t n = 0; n < r->range_count + o->analysis->range_count; n++) {
        const struct access_range *w =
            n < r->range_count ? &r->ranges[n] : &o->analysis->ranges[n - r->range_count];

        if (has_choice(o, w->form) || !access_value(o->analysis, w->form, p, &value) ||
            w->bits >= 64 || apply_cut(value, w->bits, w->is_signed) != value)
            return false;
    }
    return true;
}

static void check_claims(struct oracle *o, const struct access_record *r,
                         struct access_point *p, uint64_t offset)
{
    uint64_t value;

    if (o->dry && !is_assumed(o, r, p))
        return;
    o->claimed++;
    if (!gives(o, o->forms[r - o->analysis->records], p, offset)) {
        o->wrong++;
        note(o, r, "another address", p, offset);
    }
    check_bounds(o, r, p, offset);
    for (uint32_t g = 0; g < r->guard_count; g++)
        if (!chooses(o, r->guards[g].condition) &&
            access_holds(o->analysis, r->guards[g].condition, p) == r->guards[g].negated) {
            o->guards_wrong++;
            note(o, r, "a guard does not hold", p, offset);
        }
    for (uint32_t n = 0; n < r->range_count; n++) {
        const struct access_range *w = &r->ranges[n];

        if (!has_choice(o, w->form) && access_value(o->analysis, w->form, p, &value) &&
            apply_cut(value, w->bits, w->is_signed) != value) {
            o->ranges_wrong++;
            note(o, r, "a narrow part wrapped", p, offset);
        }
    }
}

static void check_lane(struct oracle *o, struct execute_warp *w,
                       const struct execute_access *a, unsigned lane,
                       const struct execute_launch *l)
{
    const struct execute_cta *cta = execute_warp_cta(w);
    int32_t number = o->record_of[a->line];
    const struct access_record *r;
    struct access_point p = {.parameters = o->parameters,
                             .parameter_bytes = o->parameter_bytes,
                             .constants = o->constants};
    size_t thread;

    memcpy(p.ntid, l->block, sizeof p.ntid);
    memcpy(p.nctaid, l->grid, sizeof p.nctaid);
    memcpy(p.ctaid, cta->id, sizeof p.ctaid);
    execute_warp_thread(w, lane, p.tid);
    thread = p.tid[0] + (size_t)l->block[0] * (p.tid[1] + (size_t)l->block[1] * p.tid[2]);
    uint64_t *trips = o->trips + thread * o->analysis->loop_count;

    if (a->address[lane] - MAGIC < (uint64_t)o->analysis->loop_count << 32) {
        trips[(a->address[lane] - MAGIC) >> 32] = (uint32_t)a->address[lane];
        return;
    }
    if (o->dry && a->address[lane] < EXECUTE_WINDOWS_END)
        return;
    if (number < 0)
        fail_msg("%s, line %" PRIu32 ": no record", o->analysis->function->name, a->line);
    r = &o->analysis->records[number];
    p.trips = trips;
    if (r->state != ACCESS_CLOSED) {
        o->silent++;
        return;
    }
    if (o->dry && r->base != ACCESS_BASE_PARAMETER)
        return;
    assert_int_equal(r->bytes, a->bytes);
    check_claims(o, r, &p, a->address[lane] - base_address(o, r));
}

struct oracle_run {
    struct oracle *oracle;
    const struct execute_launch *launch;
};

static enum execute_verdict on_access(void *context, struct execute_warp *w,
                                      const struct execute_access *a)
{
    const struct oracle_run *run = context;

    for (unsigned lane = 0; lane < 32; lane++)
        if (a->mask >> lane & 1)
            check_lane(run->oracle, w, a, lane, run->launch);
    return run->oracle->dry || a->address[__builtin_ctz(a->mask)] >= MAGIC ? EXECUTE_TAKEN
                                                                           : EXECUTE_GO;
}

static enum execute_verdict on_remote(void *context, struct execute_warp *w,
                                      const struct execute_access *a,
                                      const struct execute_op *op,
                                      const unsigned char *operands)
{
    static const unsigned char zeros[32 * 32];

    (void)context, (void)op, (void)operands; /* report of a counter, or a dry run */
    if (a->kind == EXECUTE_LOAD || a->kind == EXECUTE_ATOMIC)
        execute_complete(w, a->mask, zeros);
    return EXECUTE_TAKEN;
}

static void run_cta(const struct oracle *o, struct execute_cta *cta)
{
    enum execute_stop stop;

    if (o->dry) { /* a mutant may loop forever or stop for any reason */
        execute_cta_run(cta, 3000, cta->number);
        return;
    }
    do
        stop = execute_cta_run(cta, 100000, cta->number);
    while (stop == EXECUTE_BUDGET || stop == EXECUTE_STRONG);
    if (stop != EXECUTE_EXITED)
        fail_msg("stopped with %d: %s", (int)stop, cta->fault);
}

/* Constants are zeros, because nothing is stored to them; see on_remote(). */
static void find_constants(struct oracle *o)
{
    static const unsigned char zeros[1 << 16];
    const struct ptx_module *m = o->plain;

    free(o->constants);
    o->constants = must_calloc(m->symbol_count + 1u, sizeof *o->constants);
    for (uint32_t n = 0; n < m->symbol_count; n++) {
        const unsigned char *all = (const unsigned char *)(uintptr_t)o->variables;
        size_t offset, bytes;

        if (m->symbols[n].space == PTX_SPACE_CONST &&
            execute_variable(o->program, m->symbols[n].name, &offset, &bytes))
            o->constants[n] = o->dry ? zeros : all + offset;
    }
}

void oracle_run(struct oracle *o, const uint32_t grid[3], const uint32_t block[3],
                const unsigned char *parameters, size_t bytes, uint64_t variables)
{
    struct execute_launch l = {.kernel = o->kernel,
                               .parameters = parameters,
                               .variables = variables,
                               .sm_count = 1};
    struct oracle_run run = {o, &l};
    struct execute_host host = execute_host_quiet(&run);

    host.access = on_access;
    host.remote = on_remote;
    l.host = &host;
    o->parameters = parameters;
    o->parameter_bytes = bytes;
    o->variables = variables;
    find_constants(o);
    memcpy(l.grid, grid, sizeof l.grid);
    memcpy(l.block, block, sizeof l.block);
    assert_true(block[0] * block[1] * block[2] <= THREADS_MAX);
    find_bounds(o, &l);
    struct execute_grid *g = execute_grid_create(&l);
    struct execute_pool *pool = execute_pool_create();

    for (uint32_t i = 0; i < grid[0] * grid[1] * grid[2]; i++) {
        const uint32_t id[3] = {i % grid[0], i / grid[0] % grid[1], i / grid[0] / grid[1]};
        struct execute_cta *cta = execute_cta_create(g, pool, id, 0);

        run_cta(o, cta);
        execute_cta_destroy(cta);
    }
    execute_grid_destroy(g);
    execute_pool_destroy(pool);
}
