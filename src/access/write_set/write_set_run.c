/* SPDX-License-Identifier: Apache-2.0 */
/* Write set of a grid, from closed forms or by execution of the slice. The slice's
   addresses refer to no memory. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "access/write_set/write_set_boxes.h"
#include "base/fail.h"
#include "base/hash.h"

/* Addresses in the slice: of variables, then of arrays without an address. They are far
   from each other and from addresses of processes and devices, and small enough that forms
   can add them. */
#define VARIABLES_ADDRESS 0x7000000000000000ull
#define ARRAYS_ADDRESS 0x0002000000000000ull
#define ARRAYS_STEP 0x0001000000000000ull /* exceeds any real distance */
#define LIMIT_DEFAULT (1ull << 26)

struct run {
    const struct write_set_slice *s;
    const struct write_set_launch *launch;
    struct record record;
    unsigned char *parameters;
    unsigned char *allocated;
    unsigned char *image; /* of the module variables, if the slice reads constants */
    const unsigned char **constants; /* by symbol of the slice's module, in `image` */
    uint64_t variables;              /* their address */
    uint32_t grid[3], block[3];
    struct boxes_result found;
};

static enum proact_status check(struct run *r, struct proact_error *err)
{
    const struct write_set_launch *l = r->launch;
    struct execute_kernel_info info = execute_kernel_info(r->s->executable);
    uint64_t ctas = 1, threads = 1;

    if (l->parameter_bytes != info.parameter_bytes)
        return fail(err, PROACT_EINVAL,
                    "kernel '%s' takes %" PRIu32 " bytes of parameters, %zu are given",
                    r->s->kernel, info.parameter_bytes, l->parameter_bytes);
    for (unsigned d = 0; d < 3; d++) {
        r->grid[d] = l->grid[d] ? l->grid[d] : 1;
        r->block[d] = l->block[d] ? l->block[d] : 1;
        ctas *= r->grid[d];
        threads *= r->block[d];
        if (ctas >= UINT32_MAX || threads > info.max_threads)
            return fail(err, PROACT_EINVAL,
                        "kernel '%s': a grid of %" PRIu64 " CTAs of %" PRIu64
                        " threads is too large, CTAs may have %" PRIu32,
                        r->s->kernel, ctas, threads, info.max_threads);
    }
    for (uint32_t n = 0; n < l->pointer_count; n++)
        if (l->pointers[n].array >= l->array_count ||
            l->pointers[n].parameter_offset + (uint64_t)8 > l->parameter_bytes)
            return fail(err, PROACT_EINVAL,
                        "kernel '%s': pointer %" PRIu32 " is to array %" PRIu32
                        " of %" PRIu32 ", at byte %" PRIu32 " of %zu of the parameters",
                        r->s->kernel, n, l->pointers[n].array, l->array_count,
                        l->pointers[n].parameter_offset, l->parameter_bytes);
    r->record.cta_count = (uint32_t)ctas;
    return PROACT_OK;
}

static void place_arrays(struct run *r)
{
    const struct write_set_launch *l = r->launch;
    uint32_t count = l->array_count + r->s->variable_count;
    struct record *record = &r->record;

    record->arrays = must_calloc(count + 1u, sizeof *record->arrays);
    for (uint32_t n = 0; n < l->array_count; n++) {
        struct record_array *a = &record->arrays[record->array_count++];

        a->name = l->arrays[n].name;
        a->bytes = l->arrays[n].bytes;
        a->address =
            l->arrays[n].address ? l->arrays[n].address : ARRAYS_ADDRESS + n * ARRAYS_STEP;
    }
    for (uint32_t n = 0; n < r->s->variable_count; n++) {
        if (r->s->variables[n].is_constant)
            continue;
        struct record_array *a = &record->arrays[record->array_count++];

        a->name = r->s->variables[n].name;
        a->bytes = r->s->variables[n].bytes;
        a->address = r->variables + r->s->variables[n].offset;
        a->is_variable = true;
    }
}

static void lay_parameters(struct run *r)
{
    const struct write_set_launch *l = r->launch;

    r->parameters = must_calloc(l->parameter_bytes + 16, 1);
    if (l->parameter_bytes)
        memcpy(r->parameters, l->parameters, l->parameter_bytes);
    for (uint32_t n = 0; n < l->pointer_count; n++) {
        const uint64_t address =
            r->record.arrays[l->pointers[n].array].address + l->pointers[n].byte;

        memcpy(r->parameters + l->pointers[n].parameter_offset, &address, sizeof address);
    }
}

static void lay_variables(struct run *r)
{
    size_t size = execute_program_bytes(r->s->program);

    r->variables = VARIABLES_ADDRESS;
    if (!r->s->cut.reads_constants)
        return;
    r->allocated = must_calloc(size + 512, 1); /* zero: a large variable costs nothing */
    r->image = r->allocated + (256 - (uintptr_t)r->allocated % 256);
    r->variables = (uint64_t)(uintptr_t)r->image;
    execute_program_initialize(r->s->program, r->variables, r->image);
    for (uint32_t n = 0; n < r->launch->constant_count; n++) {
        const struct write_set_constant *c = &r->launch->constants[n];
        size_t offset, bytes;

        if (execute_variable(r->s->program, c->name, &offset, &bytes))
            memcpy(r->image + offset, c->content, c->bytes < bytes ? c->bytes : bytes);
    }
}

static void find_constants(struct run *r)
{
    const struct ptx_module *m = r->s->module;

    r->constants = must_calloc(m->symbol_count + 1u, sizeof *r->constants);
    for (uint32_t n = 0; n < m->symbol_count && r->image; n++) {
        size_t offset, bytes;

        if (m->symbols[n].space == PTX_SPACE_CONST &&
            execute_variable(r->s->program, m->symbols[n].name, &offset, &bytes))
            r->constants[n] = r->image + offset;
    }
}

static struct execution execution_of(struct run *r)
{
    struct execution e = {.slice = r->s,
                          .parameters = r->parameters,
                          .variables = r->variables,
                          .end = r->record.cta_count,
                          .limit = r->launch->limit ? r->launch->limit : LIMIT_DEFAULT,
                          .threads = r->launch->threads};

    memcpy(e.grid, r->grid, sizeof e.grid);
    memcpy(e.block, r->block, sizeof e.block);
    if (r->s->reads_shared_window) /* the memory itself is not needed */
        e.dynamic_shared_bytes = r->launch->dynamic_shared_bytes;
    return e;
}

static enum proact_status execute(struct run *r, struct proact_error *err)
{
    const struct execution e = execution_of(r);
    enum proact_status status = write_set_execute(&e, &r->record, &r->found.lanes, err);

    r->found.ran = r->record.cta_count;
    r->found.work = write_set_work(&r->record, r->found.lanes);
    return status;
}

static enum proact_status find(struct run *r, struct proact_error *err)
{
    struct access_launch l = {.parameters = r->parameters,
                              .parameter_bytes = r->launch->parameter_bytes,
                              .constants = r->constants};
    struct execution e = execution_of(r);

    memcpy(l.ntid, r->block, sizeof l.ntid);
    memcpy(l.nctaid, r->grid, sizeof l.nctaid);
    e.work_most = r->launch->work_most;
    return boxes_find(&l, &e, &r->record, &r->found, err);
}

/* Whether all arrays are at addresses of this file, far apart: no store can reach one from
   another. */
static bool are_apart(const struct write_set_launch *l)
{
    for (uint32_t n = 0; n < l->array_count; n++)
        if (l->arrays[n].address)
            return false;
    return true;
}

static struct write_set *take(struct run *r)
{
    struct write_set *w = must_calloc(1, sizeof *w);

    w->parted = must_calloc(1, sizeof *w->parted);
    w->cta_count = r->record.cta_count;
    w->array_count = r->record.array_count;
    w->arrays = must_calloc(w->array_count + 1u, sizeof *w->arrays);
    w->is_exact = r->s->is_exact;
    w->ctas_run = r->found.ran;
    w->why_sliced = r->found.why;
    w->why_line = r->found.line;
    w->is_cut_short = r->record.is_cut_short;
    w->stays = !w->is_cut_short && are_apart(r->launch);
    w->places = r->found.places;
    w->lanes = r->found.lanes;
    w->work = r->found.work;
    for (uint32_t n = 0; n < w->array_count; n++) {
        struct record_array *a = &r->record.arrays[n];
        struct write_set_ranges *to = &w->arrays[n];

        to->name = must_strdup(a->name ? a->name : "");
        to->count = a->ranges;
        to->bytes = a->bytes_written;
        to->is_atomic = a->is_atomic;
        to->line = a->line;
        to->is_variable = a->is_variable;
        to->runs = a->runs;
        a->runs = (struct cta_runs){0};
    }
    return w;
}

/* Four independent chains for speed: there may be millions of rows. */
static uint64_t digest_rows(const struct cta_runs *r, uint64_t digest)
{
    uint64_t chains[4] = {digest, digest + 1, digest + 2, digest + 3};

    for (uint32_t n = 0; n < r->row_count; n++) {
        const struct rows *rows = &r->rows[n];
        uint64_t *chain = &chains[n % 4];

        *chain = hash_mix(*chain + hash_mix(rows->first) + 3 * rows->bytes +
                          5 * hash_mix(rows->pitch + rows->count));
    }
    return hash_bytes(chains, sizeof chains, r->row_count);
}

static uint64_t digest_runs(const struct cta_runs *r, uint64_t digest)
{
    for (uint32_t n = 0; n < r->count; n++) {
        const struct cta_run *run = &r->run[n];

        digest = hash_mix(digest + hash_mix((uint64_t)run->cta << 32 | run->count) +
                          3 * hash_mix(run->step) + run->rows);
    }
    return hash_mix(digest + r->count);
}

static uint64_t digest_of(const struct write_set *w)
{
    uint64_t digest = hash_mix(w->cta_count);

    for (uint32_t n = 0; n < w->array_count; n++) {
        const struct write_set_ranges *a = &w->arrays[n];

        digest = hash_mix(digest + 1);
        digest = digest_rows(&a->runs, digest_runs(&a->runs, digest));
    }
    return digest ? digest : 1;
}

static void clear(struct run *r)
{
    for (uint32_t n = 0; n < r->record.array_count; n++)
        record_clear_array(&r->record.arrays[n]);
    free(r->record.of_cta.rows);
    free(r->record.arrays);
    free(r->parameters);
    free(r->allocated);
    free(r->constants);
}

enum proact_status write_set_run(const struct write_set_slice *s,
                                 const struct write_set_launch *launch,
                                 struct write_set **out, struct proact_error *err)
{
    struct run r = {.s = s, .launch = launch, .record.slice = s};
    enum proact_status status = check(&r, err);

    if (status)
        return status;
    lay_variables(&r);
    find_constants(&r);
    place_arrays(&r);
    lay_parameters(&r);
    status = launch->is_sliced ? execute(&r, err) : find(&r, err);
    if (!status) {
        *out = take(&r);
        (*out)->digest = digest_of(*out);
    }
    clear(&r);
    return status;
}

void write_set_destroy(struct write_set *w)
{
    if (!w)
        return;
    for (uint32_t n = 0; n < w->array_count; n++) {
        free((char *)w->arrays[n].name);
        cta_runs_clear(&w->arrays[n].runs);
    }
    free(w->parted->first);
    free(w->parted);
    free(w->arrays);
    free(w);
}
