/* SPDX-License-Identifier: Apache-2.0 */
/* Versions of a plain kernel with known writes. Each version replaces an annotated kernel
   under the mechanisms that need it. */
#include "runtime/version/runtime_clone.h"

#include <inttypes.h>
#include <stdlib.h>

#include "base/clock.h"
#include "base/fail.h"
#include "base/hash.h"
#include "base/memory.h"
#include "base/text.h"
#include "instrument/instrument.h"
#include "runtime/access_sets/direct.h"
#include "runtime/objects/binding.h"
#include "runtime/objects/kernel.h"
#include "runtime/objects/session.h"
#include "runtime/objects/session_image.h"
#include "runtime/request/launching.h"
#include "runtime/session/lazy_devices.h"
#include "runtime/session/runtime_wait.h"
#include "runtime/variables/module_variable.h"

/* One version with its own PTX, because a driver compiles everything in a module. */
struct clone_part {
    char *text; /* NULL: not created yet */
    size_t bytes;
    bool is_requested; /* its compilation in the background has begun */
    struct device_module *module[PROACT_DEVICES_MAX];
    struct device_function *function[PROACT_DEVICES_MAX];
    uint64_t variables; /* the session's count at the last update of the modules'
                           variables */
};

struct kernel_clones {
    struct instrument_result result;
    struct clone_part part[INSTRUMENT_CLONES][INSTRUMENT_PLACES];
    /* Their ends alone, for launches that replay recorded quanta. */
    struct clone_part end[INSTRUMENT_CLONES][INSTRUMENT_PLACES];
    struct proact_error blocked; /* reason why the last launch used no version, or "" */
};

static enum instrument_clone clone_of(const struct transfer_plan *plan)
{
    uint32_t mode = transfer_plan_mode(plan);

    if (mode & PROACT_MODE_COUNT)
        return mode & PROACT_MODE_SEND ? INSTRUMENT_SEND : INSTRUMENT_COUNT;
    return mode & PROACT_MODE_STORE ? INSTRUMENT_INLINE : INSTRUMENT_GRID;
}

/* A version that launches kernels is parsed again for them, and has one form for all
   grids. */
static enum instrument_places places_of(const struct launching *l,
                                        const struct transfer_plan *plan)
{
    const bool launches = transfer_plan_mode(plan) & PROACT_MODE_LAUNCH;
    const bool is_flat = (l->grid[1] | l->grid[2] | l->threads[1] | l->threads[2]) == 1;

    return is_flat && !launches ? INSTRUMENT_FLAT : INSTRUMENT_LINE;
}

static enum instrument_places inside_places(const struct launching *l)
{
    if (l->grid[2] > 1)
        return INSTRUMENT_PLANES;
    return l->grid[1] > 1 ? INSTRUMENT_ROWS : places_of(l, &l->binding->transfer.plan);
}

/* Creates the text of one version; `result` lists the refusals of all, unless NULL. */
static enum proact_status write_part(struct proact_kernel *k, enum instrument_clone kind,
                                     enum instrument_places places, bool is_end,
                                     struct instrument_result *result,
                                     struct clone_part *out, struct proact_error *err)
{
    struct instrument_request request = {.kernel = k->name,
                                         .slot_count = k->slot_count,
                                         .flags = k->flag_stores,
                                         .joint = k->flag_joints,
                                         .swaps = k->flag_swaps,
                                         .direct = direct_accesses(k),
                                         .owns_atomics = k->owns_atomics && !k->has_maps,
                                         .only = kind,
                                         .places = places,
                                         .is_end = is_end};

    for (unsigned s = 0; s < k->slot_count; s++)
        request.slot_offset[s] = k->slot[s].offset;
    return instrument_kernel(k->image->ptx, &request, result, &out->text, &out->bytes, err);
}

static enum proact_status clones_create(struct proact_kernel *k, enum instrument_clone kind,
                                        struct proact_error *err)
{
    if (k->clones)
        return PROACT_OK;
    struct kernel_clones *c = must_calloc(1, sizeof *c);
    enum proact_status status = write_part(k, kind, INSTRUMENT_LINE, false, &c->result,
                                           &c->part[kind][INSTRUMENT_LINE], err);

    if (status) {
        free(c);
        return status;
    }
    k->clones = c;
    k->partition_offset = c->result.partition_offset;
    return PROACT_OK;
}

static bool is_refused(const struct proact_kernel *k, const struct transfer_plan *plan)
{
    return k->clones->result.refusal[clone_of(plan)].text[0] != '\0';
}

static enum proact_status load_on(const struct proact_kernel *k, enum instrument_clone kind,
                                  struct clone_part *part, unsigned device,
                                  struct proact_error *err)
{
    const struct device_backend *b = k->session->backend;
    enum proact_status status = PROACT_OK;
    struct text name = {0}; /* template instances have names of thousands of letters */

    if (part->function[device])
        return PROACT_OK;
    if (!part->module[device])
        status = b->module_load(k->session->set, device, k->image->ptx->name, part->text,
                                part->bytes, &part->module[device], err);
    text_print(&name, "%s%s", k->name, instrument_suffix(kind));
    if (!status)
        status = b->function(part->module[device], name.data, &part->function[device], err);
    text_clear(&name);
    return status;
}

static bool is_loaded_everywhere(const struct proact_kernel *k,
                                 const struct clone_part *part)
{
    bool is_loaded = true;

    for (unsigned d = 0; d < k->session->devices.count; d++)
        is_loaded &= part->function[d] != NULL;
    return is_loaded;
}

/* An attempt (proact.looks) needs no code. */
static enum proact_status load_part(struct proact_kernel *k, enum instrument_clone kind,
                                    enum instrument_places places, bool is_end,
                                    struct proact_error *err)
{
    struct clone_part *part =
        is_end ? &k->clones->end[kind][places] : &k->clones->part[kind][places];
    enum proact_status status = PROACT_OK;

    if (k->session->looks)
        return PROACT_OK;
    if (!part->text)
        status = write_part(k, kind, places, is_end, NULL, part, err);
    if (!status && !is_loaded_everywhere(k, part))
        status = session_await_queued(k->session, err);
    for (unsigned d = 0; d < k->session->devices.count && !status; d++)
        status = load_on(k, kind, part, d, err);
    return status ? status : module_variables_fetch(k, part->module, &part->variables, err);
}

/* Whether the version is loaded or can be. A driver may load nothing while a kernel waits
   for the host, and an update of variables waits for that kernel. */
static bool may_load(const struct proact_kernel *k, enum instrument_clone kind,
                     enum instrument_places places)
{
    const struct clone_part *part = &k->clones->part[kind][places];

    return (is_loaded_everywhere(k, part) &&
            (!k->session->has_waiting || !module_variables_wait(k, part->variables))) ||
           session_try_quiesce(k->session);
}

/* Whether the version is being compiled in the background, which begins with the first
   question. A failure is left to the load. */
static bool version_compiles(const struct launching *l, enum instrument_clone kind,
                             enum instrument_places places)
{
    struct proact_kernel *k = l->kernel;
    const struct device_backend *b = k->session->backend;
    struct clone_part *part = &k->clones->part[kind][places];

    if (!l->may_wait || !b->module_compile || k->session->looks ||
        is_loaded_everywhere(k, part))
        return false;
    if (part->is_requested && b->is_compiling(k->session->set))
        return true;
    if (!part->text && write_part(k, kind, places, false, NULL, part, NULL))
        return false;
    part->is_requested = true;
    return !b->module_compile(k->session->set, part->text, part->bytes);
}

static bool fits_statically(const struct proact_kernel *k, uint32_t more)
{
    enum { STATIC_MOST = 48 << 10 }; /* CUDA's limit on every GPU */

    return !more || proact_kernel_describe(k).static_shared_bytes + more <= STATIC_MOST;
}

/* Rejects the version for all later launches if its additional shared memory exceeds the
   limit of a CTA or reduces occupancy. */
static void check_room(const struct launching *l)
{
    enum { KEPT_BYTES = 1024 }; /* reserved by the hardware per CTA */
    const struct proact_kernel *k = l->kernel;
    const struct topology_device *t = &k->session->topology.device;
    const enum instrument_clone kind = clone_of(&l->plan);
    const uint32_t more = k->clones->result.shared_bytes[kind];
    const uint64_t all = proact_kernel_describe(k).static_shared_bytes + l->shared_bytes,
                   one = all + KEPT_BYTES;

    if (!more || (fits_statically(k, more) && all + more <= t->shared_bytes_per_cta &&
                  t->shared_bytes_per_sm / one == t->shared_bytes_per_sm / (one + more)))
        return;
    fail(&k->clones->result.refusal[kind], PROACT_EREFUSED,
         "kernel '%s': its CTAs use %" PRIu64 " bytes of shared memory, and counting "
         "threads that return one by one takes %" PRIu32 " more, which do not fit",
         k->name, all, more);
}

enum proact_status launch_supports_plan(const struct launching *l, bool *supports,
                                        struct proact_error *err)
{
    struct proact_kernel *k = l->kernel;
    const enum proact_status status = clones_create(k, clone_of(&l->plan), err);

    if (status)
        return status;
    check_room(l);
    *supports = !is_refused(k, &l->plan);
    return PROACT_OK;
}

enum proact_status launch_is_cloned(struct launching *l, bool *cloned,
                                    struct proact_error *err)
{
    struct proact_kernel *k = l->kernel;
    bool is_supported = false;
    enum proact_status status = launch_supports_plan(l, &is_supported, err);

    *cloned = false;
    if (status)
        return status;
    k->clones->blocked.text[0] = '\0';
    l->is_compiling = false;
    if (!is_supported || lazy_devices_request(k->session))
        return PROACT_OK;
    const enum instrument_clone kind = clone_of(&l->plan);
    const enum instrument_places places = places_of(l, &l->plan);

    l->is_compiling = version_compiles(l, kind, places);
    if (l->is_compiling) {
        fail(&k->clones->blocked, PROACT_ETIMEOUT,
             "kernel '%s': its version for several devices is being compiled", k->name);
        return PROACT_OK;
    }
    if (!may_load(k, kind, places)) {
        fail(&k->clones->blocked, PROACT_ETIMEOUT,
             "kernel '%s': another kernel waits for the host; the versions of this one "
             "are loaded after it has ended",
             k->name);
        return PROACT_OK;
    }
    status = load_part(k, kind, places, false, err);
    *cloned = !status;
    return status;
}

bool launch_version_is_loaded(const struct launching *l)
{
    const struct proact_kernel *k = l->kernel;

    return k->clones &&
           is_loaded_everywhere(
               k, &k->clones->part[clone_of(&l->plan)][places_of(l, &l->plan)]);
}

/* The version that the launch runs; it is bound. */
static enum instrument_clone version_of(const struct launching *l)
{
    return l->is_staged ? INSTRUMENT_STAGE : clone_of(&l->binding->transfer.plan);
}

struct device_function *launch_function(const struct launching *l, unsigned device)
{
    if (!l->binding || l->kernel->is_annotated)
        return l->kernel->function[device];
    const struct kernel_clones *c = l->kernel->clones;
    const enum instrument_places places = places_of(l, &l->binding->transfer.plan);
    const enum instrument_clone kind = version_of(l);

    return (l->quanta.has_end ? c->end : c->part)[kind][places].function[device];
}

bool launch_records_quanta(const struct launching *l)
{
    return version_of(l) == INSTRUMENT_GRID || version_of(l) == INSTRUMENT_INLINE;
}

uint64_t launch_sends_key(const struct launching *l)
{
    const struct kernel_binding *b = l->binding;
    uint64_t key = 1 + b->transfer.plan.elide;

    if (version_of(l) != INSTRUMENT_INLINE)
        return 0;
    for (unsigned s = 0; s < b->transfer.slot_count; s++)
        key = hash_mix(key ^ b->tables[s]->needs) + b->tables[s]->digest;
    return key ? key : 1;
}

enum proact_status launch_end_ready(const struct launching *l,
                                    struct device_quanta_launch *quanta,
                                    struct proact_error *err)
{
    const enum instrument_clone kind = version_of(l);
    const struct transfer_plan *plan = &l->binding->transfer.plan;

    if (kind == INSTRUMENT_GRID || kind == INSTRUMENT_INLINE)
        return PROACT_OK;
    quanta->has_end = true;
    return transfer_plan_mode(plan) & PROACT_MODE_LAUNCH
               ? PROACT_OK
               : load_part(l->kernel, kind, places_of(l, plan), true, err);
}

uint32_t launch_partition_bytes(const struct launching *l)
{
    if (l->kernel->is_annotated)
        return sizeof(struct proact_partition);
    return instrument_partition_bytes(version_of(l), l->kernel->slot_count);
}

uint32_t kernel_stage_more(const struct proact_kernel *k)
{
    return k->clones ? k->clones->result.shared_bytes[INSTRUMENT_STAGE] : 0;
}

bool launch_may_stage(const struct launching *l)
{
    const struct proact_kernel *k = l->kernel;

    return k->clones && !k->clones->result.refusal[INSTRUMENT_STAGE].text[0] &&
           fits_statically(k, kernel_stage_more(k)) &&
           !version_compiles(l, INSTRUMENT_STAGE,
                             places_of(l, &l->binding->transfer.plan)) &&
           may_load(k, INSTRUMENT_STAGE, places_of(l, &l->binding->transfer.plan));
}

enum proact_status launch_stage_ready(const struct launching *l, struct proact_error *err)
{
    return load_part(l->kernel, INSTRUMENT_STAGE, places_of(l, &l->binding->transfer.plan),
                     false, err);
}

enum proact_status launch_inside_ready(const struct launching *l, struct proact_error *err)
{
    const struct proact_kernel *k = l->kernel;

    if (k->is_annotated || k->clones->result.refusal[INSTRUMENT_GRID].text[0] ||
        version_compiles(l, INSTRUMENT_GRID, inside_places(l)) ||
        !may_load(k, INSTRUMENT_GRID, inside_places(l)))
        return PROACT_OK;
    return load_part(l->kernel, INSTRUMENT_GRID, inside_places(l), false, err);
}

struct device_function *launch_inside_function(const struct launching *l, unsigned device)
{
    if (l->kernel->is_annotated)
        return NULL;
    return l->kernel->clones->part[INSTRUMENT_GRID][inside_places(l)].function[device];
}

enum proact_status kernel_split_text(struct proact_kernel *k, const char **out,
                                     size_t *bytes, struct proact_error *err)
{
    const enum instrument_clone kind = clone_of(&k->plan);
    enum proact_status status = PROACT_OK;

    *out = k->image->text;
    *bytes = k->image->bytes;
    if (k->is_annotated)
        return PROACT_OK;
    struct clone_part *part = &k->clones->part[kind][INSTRUMENT_LINE];

    if (k->session->quanta) {
        part = &k->clones->end[kind][INSTRUMENT_LINE];
        if (!part->text)
            status = write_part(k, kind, INSTRUMENT_LINE, true, NULL, part, err);
    }
    *out = part->text;
    *bytes = part->bytes;
    return status;
}

const char *kernel_split_suffix(const struct proact_kernel *k)
{
    return k->is_annotated ? "" : instrument_suffix(clone_of(&k->plan));
}

void kernel_clone_unblock(struct proact_kernel *k)
{
    if (k->clones)
        k->clones->blocked.text[0] = '\0';
}

const char *kernel_clone_refusal(struct proact_kernel *k)
{
    const struct transfer_plan *plan = k->plan_reason ? &k->plan : &k->session->constraint;
    const enum instrument_clone kind = clone_of(plan);

    if (k->is_annotated || (!k->slot_count && !k->direct) || clones_create(k, kind, NULL))
        return NULL;
    if (is_refused(k, plan))
        return k->clones->result.refusal[kind].text;
    return k->clones->blocked.text[0] ? k->clones->blocked.text : NULL;
}

enum proact_status kernel_clones_follow(const struct proact_kernel *k,
                                        struct proact_error *err)
{
    enum proact_status status = PROACT_OK;

    for (int kind = 0; k->clones && kind < INSTRUMENT_CLONES; kind++)
        for (int places = 0; places < INSTRUMENT_PLACES && !status; places++) {
            struct clone_part *part = &k->clones->part[kind][places];

            if (part->module[k->session->devices.count - 1])
                status = module_variables_fetch(k, part->module, &part->variables, err);
        }
    return status;
}

static void drop_part(const struct proact *p, struct clone_part *part)
{
    for (unsigned d = 0; d < p->devices.count; d++)
        if (part->module[d])
            p->backend->module_unload(part->module[d]);
    free(part->text);
}

void kernel_clones_drop(struct proact_kernel *k)
{
    struct kernel_clones *c = k->clones;

    if (!c)
        return;
    for (int kind = 0; kind < INSTRUMENT_CLONES; kind++)
        for (int places = 0; places < INSTRUMENT_PLACES; places++) {
            drop_part(k->session, &c->part[kind][places]);
            drop_part(k->session, &c->end[kind][places]);
        }
    free(c);
    k->clones = NULL;
    k->plan_reason = LAUNCH_PLAN_NONE;
}
