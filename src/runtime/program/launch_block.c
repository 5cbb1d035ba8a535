/* SPDX-License-Identifier: Apache-2.0 */
/* Launch with a parameter buffer that contains addresses, as CUDA programs make it. */
#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "base/fail.h"
#include "base/memory.h"
#include "runtime/arrays/first_device.h"
#include "runtime/arrays/launch_textures.h"
#include "runtime/arrays/textures.h"
#include "runtime/arrays/variable_array.h"
#include "runtime/autotune/choice.h"
#include "runtime/autotune/choice_windows.h"
#include "runtime/autotune/look.h"
#include "runtime/autotune/preparation.h"
#include "runtime/autotune/session_profile.h"
#include "runtime/coherence/fetch.h"
#include "runtime/coherence/launch_partial.h"
#include "runtime/footprint/derive.h"
#include "runtime/footprint/derive_flags.h"
#include "runtime/kernel/recorded_plan.h"
#include "runtime/kernel/stored_plan.h"
#include "runtime/launch/launch.h"
#include "runtime/launch/launch_axis.h"
#include "runtime/launch/launch_measure.h"
#include "runtime/launch/launch_specialize.h"
#include "runtime/launch/launch_tables.h"
#include "runtime/launch/launch_variant.h"
#include "runtime/objects/array.h"
#include "runtime/objects/kernel.h"
#include "runtime/objects/session.h"
#include "runtime/program/choose_order.h"
#include "runtime/program/choose_split.h"
#include "runtime/request/launch_cluster.h"
#include "runtime/request/launch_texture.h"
#include "runtime/request/launching.h"
#include "runtime/session/lazy_devices.h"
#include "runtime/session/program_streams.h"
#include "runtime/session/recording.h"

static enum proact_status check(const struct proact_kernel *k,
                                const struct proact_parameter_buffer *block,
                                struct proact_error *err)
{
    const uint32_t bytes = k->given_bytes;

    if (block->size != bytes)
        return fail(err, PROACT_EINVAL,
                    "kernel '%s': a parameter buffer of %zu bytes, its parameters have %u",
                    k->name, block->size, bytes);
    if ((bytes && !block->bytes) || (block->relocation_count && !block->relocations))
        return fail(err, PROACT_EINVAL, "kernel '%s': the parameter buffer's %s are NULL",
                    k->name, bytes && !block->bytes ? "bytes" : "relocations");
    for (size_t i = 0; i < block->relocation_count; i++) {
        const struct proact_relocation *at = &block->relocations[i];

        if (!at->array)
            return fail(err, PROACT_EINVAL,
                        "kernel '%s': the relocation at byte %u names no array", k->name,
                        at->offset);
        if (at->offset + sizeof(uint64_t) > bytes || at->array->session != k->session)
            return fail(err, PROACT_EINVAL,
                        "kernel '%s': the relocation at byte %u is outside the %u bytes "
                        "of its parameters, or its array belongs to another session",
                        k->name, at->offset, bytes);
    }
    return PROACT_OK;
}

static const struct proact_parameter *parameter_at(const struct proact_kernel_info *k,
                                                   uint32_t offset)
{
    for (unsigned i = 0; i < k->parameter_count; i++)
        if (k->parameters[i].offset == offset)
            return &k->parameters[i];
    return NULL;
}

static enum proact_status launch_annotated(struct proact_kernel *k,
                                           const struct proact_grid *grid,
                                           const struct proact_parameter_buffer *block,
                                           struct proact_error *err)
{
    const struct proact_kernel_info info = proact_kernel_describe(k);
    struct proact_arg *args = must_calloc(info.parameter_count, sizeof *args);
    enum proact_status status = PROACT_OK;

    for (unsigned i = 0; i < info.parameter_count; i++)
        args[i] = (struct proact_arg){.value = (const char *)block->bytes +
                                               info.parameters[i].offset,
                                      .bytes = info.parameters[i].bytes};
    for (size_t i = 0; i < block->relocation_count && !status; i++) {
        const struct proact_relocation *at = &block->relocations[i];
        const struct proact_parameter *parameter = parameter_at(&info, at->offset);

        if (parameter && !at->addend)
            args[parameter - info.parameters].array = at->array;
        else
            status = fail(err, PROACT_EREFUSED,
                          "kernel '%s': the relocation at byte %u of its parameters is "
                          "not at the start of a parameter and of array '%s'",
                          k->name, at->offset, at->array->name);
    }
    if (!status)
        status = proact_launch(k, grid, args, info.parameter_count, err);
    free(args);
    return status;
}

/* Limits of a single GPU also apply to a split launch. */
static enum proact_status check_dimensions(const struct launching *l,
                                           struct proact_error *err)
{
    if (l->grid[1] > UINT16_MAX || l->grid[2] > UINT16_MAX)
        return fail(err, PROACT_EINVAL,
                    "kernel '%s': a grid of %u x %u x %u CTAs, %d x %d x %d possible",
                    l->kernel->name, l->grid[0], l->grid[1], l->grid[2], INT32_MAX,
                    UINT16_MAX, UINT16_MAX);
    if (l->threads[0] > 1024 || l->threads[1] > 1024 || l->threads[2] > 64)
        return fail(err, PROACT_EINVAL,
                    "kernel '%s': %u x %u x %u threads a CTA, 1024 x 1024 x 64 possible",
                    l->kernel->name, l->threads[0], l->threads[1], l->threads[2]);
    return PROACT_OK;
}

static enum proact_status queue_first(struct proact *p, struct device_function *f,
                                      const struct device_launch *launch,
                                      struct proact_error *err)
{
    enum proact_status status = streams_enter(p, err);

    if (!status && !(status = first_await_all(p, err)))
        status =
            p->backend->launch(p->devices.device[0].lane[TRANSFER_MAIN], f, launch, err);
    streams_leave(p);
    return status;
}

/* Records the arrays of a single-device launch. Fails if its arrays are not known. */
static enum proact_status record_first(const struct launching *l, bool keeps,
                                       struct proact_error *err)
{
    struct proact *p = l->kernel->session;
    enum proact_status status = launch_textures_check_recorded(l, err);

    if (status)
        return status;
    if (!keeps || l->is_cooperative)
        return fail(err, PROACT_EINVAL, "kernel '%s': %s, which cannot be recorded",
                    l->kernel->name,
                    keeps ? "it is launched cooperatively"
                          : "it may access memory that no argument refers to");
    for (size_t i = 0; i < l->relocation_count; i++)
        recording_add_array(p, l->relocations[i].array);
    return PROACT_OK;
}

static void first_launched(const struct launching *l)
{
    struct proact *p = l->kernel->session;
    const uint64_t sequence = ++p->sequence;

    if (p->recording)
        recording_add_kernel(p, l->kernel, 0, sequence);
    else
        span_book_launched(&p->book, 0, sequence);
}

/* Fetches the inputs of a single-device launch: only the touched ranges if they are known,
   otherwise all arrays. */
static enum proact_status block_fetch_device0(struct launching *l, bool keeps,
                                              const struct write_set **partial,
                                              struct proact_error *err)
{
    enum proact_status status = l->kernel->texels ? textures_fetch(l->kernel->session, err)
                                : keeps           ? partial_fetch(l, partial, err)
                                                  : PROACT_OK;

    if (status || *partial)
        return status;
    return keeps ? launch_fetch(l, err) : device0_fetch_all(l->kernel->session, err);
}

enum { FEW_BYTES = 256 }; /* parameter bytes that need no allocation */

/* Records whether the kernel may wait for a later write of the host. */
static void note_waiting(struct proact_kernel *k)
{
    struct proact *p = k->session;

    if (k->checked_waits || p->has_waiting)
        return;
    k->checked_waits = true;
    p->has_waiting = kernel_waits(k, NULL) != PROACT_OK;
}

/* Single-device launch on device 0. All its inputs are there, and nothing is sent. */
static enum proact_status launch_first(struct launching *l, struct proact_error *err)
{
    struct proact_kernel *k = l->kernel;
    struct proact *p = k->session;
    unsigned char few[FEW_BYTES],
        *many = k->parameter_bytes > sizeof few ? must_calloc(k->parameter_bytes, 1) : NULL,
        *bytes = many ? many : few;
    struct device_launch launch = {.block = {l->threads[0], l->threads[1], l->threads[2]},
                                   .cluster = {l->cluster[0], l->cluster[1], l->cluster[2]},
                                   .shared_bytes = l->shared_bytes,
                                   .parameters = bytes,
                                   .parameter_bytes = k->whole_bytes,
                                   .label = k->name,
                                   .is_cooperative = l->is_cooperative};

    launch_grid(l, launch.grid);
    memcpy(bytes, l->block, k->parameter_bytes);
    for (size_t i = 0; i < l->relocation_count; i++) {
        uint64_t address = l->relocations[i].array->base[0] + l->relocations[i].addend;

        memcpy(bytes + l->relocations[i].offset, &address, sizeof address);
    }
    launch_textures_fill(l, 0, bytes);
    assert(!l->binding);
    /* While the other devices are not open, all data is on device 0. An analysis of the
       written arrays would not pay. */
    const bool is_alone = devices_here(p) == 1;
    const bool keeps =
        p->devices.count == 1 || (!is_alone && derivation_keeps_to_arguments(l));
    enum proact_status status = p->recording ? record_first(l, keeps, err) : PROACT_OK;

    const struct write_set *partial = NULL;

    if (!status && !is_alone)
        status = block_fetch_device0(l, keeps, &partial, err);
    if (!status)
        status = queue_first(p, k->function[0], &launch, err);
    if (p->devices.count > 1 || p->backend->is_virtual || p->book.observer)
        note_waiting(k);
    free(many);
    if (status)
        return status;
    first_launched(l);
    launch_textures_used(l);
    if (!keeps)
        return first_done_all(p, err);
    if (partial)
        partial_written(l, partial);
    else
        launch_written_whole(l);
    return first_done_some(p, err);
}

/* Reason why a split launch cannot be recorded; NULL: none. A replay does not restore
   idempotent stores and partial results, and the host may have changed host-accessible
   arrays. */
static const char *cannot_replay(const struct launching *l)
{
    if (l->found.flags)
        return "it makes idempotent stores or updates arrays by atomics";
    for (size_t i = 0; i < l->relocation_count; i++)
        if (l->relocations[i].array->is_shared)
            return "the host may change one of its arrays";
    return NULL;
}

/* Records a launch on device 0. */
static enum proact_status record_whole(struct launching *l, struct choice *c,
                                       struct proact_error *err)
{
    const enum proact_status status = launch_first(l, err);

    l->choice = c;
    if (!status)
        recorded_plan_note(l);
    return status;
}

/* Whether a profile says that the launch is recorded on one device. */
static bool is_recorded_whole(const struct launching *l)
{
    const struct profile_entry *e = stored_plan_recorded(l);

    return e && profile_is_decided(e) && e->plan.devices == 1;
}

/* Records the launch as it would run. Fails if the decision is not final or the split would
   differ. */
static enum proact_status record_block(struct launching *l, bool is_chosen,
                                       struct proact_error *err)
{
    const struct proact *p = l->kernel->session;
    struct choice *c = is_chosen ? choice_known(l) : NULL;
    const bool is_made = !is_chosen || (c && choice_is_made(c));
    enum proact_status status;

    recording_note_program(l->kernel->session);
    if (c &&
        ((is_made && !choice_is_split(c)) || c->last == RAN_SMALL || is_recorded_whole(l)))
        return record_whole(l, c, err);
    if ((status = launch_bind(l, err)))
        return status;
    if (p->records_unlike || (l->binding && !is_made))
        return fail(err, PROACT_EINVAL,
                    "kernel '%s': whether it is split is not known yet: launch it a few "
                    "times, then record",
                    l->kernel->name);
    if (!l->binding)
        return record_whole(l, c, err);
    const char *why = cannot_replay(l);

    if (why)
        return fail(err, PROACT_EINVAL, "kernel '%s': %s: its split launch is not recorded",
                    l->kernel->name, why);
    recording_follow_variables(l->kernel->session);
    l->choice = c;
    return launch_queue(l, err);
}

/* Launch while the other devices are not open. */
static enum proact_status launch_alone(struct launching *l, struct proact_error *err)
{
    streams_launched(l->kernel->session);
    l->kernel->session->whole_by = NULL;
    return launch_first(l, err);
}

/* Whether pointer tables may improve the split: the launch is not split, or it has shared
   writes, which may only result from addresses that memory decides. */
static bool may_know_more(const struct launching *l)
{
    return !l->binding || (l->found.flags && !l->original);
}

/* Binds the launch, and charges the host time. `c`: its decision, or NULL. */
static enum proact_status launch_prepare(const struct choice *c, struct launching *l,
                                         struct proact_error *err)
{
    const struct preparation preparation = preparation_begin(c, l);

    l->kernel->found_ns = 0;
    l->is_mode_open = c && !choice_is_made(c);
    l->may_wait = c != NULL;
    const enum proact_status status = launch_bind(l, err);

    preparation_end(&preparation, l);
    return status;
}

static enum proact_status launch_chosen(struct launching *l, const struct proact_grid *grid,
                                        struct proact_error *err)
{
    struct proact *p = l->kernel->session;
    enum proact_status status;

    if (launch_is_in_clusters(l) || l->is_cooperative) {
        preparation_forget(l->kernel);
        p->whole_by = NULL;
        return launch_first(l, err);
    }
    if (p->recording)
        return record_block(l, !grid->device_count, err);
    streams_launched(p);
    const bool is_open = !grid->device_count && p->devices.count > 1,
               may_choose = is_open && devices_here(p) > 1;

    if (is_open && (status = look_at_clock(p, err)))
        return status;
    if (is_open && p->lazy_devices.are_pending && !preparation_is_affordable(p))
        return launch_alone(l, err);

    if (may_choose && (status = windows_step(p, err)))
        return status;
    struct choice *c = may_choose ? choice_next(l) : NULL;

    launch_unblock(l);
    if (c && choice_is_small(c, l)) {
        launch_tables_report(l, false);
        return choice_run_small(c, l, launch_first, err);
    }
    if (c && choice_is_made(c) && !choice_is_split(c)) {
        launch_tables_report(l, false);
        return choice_run(c, l, launch_first, err);
    }
    if (c && choice_is_dear(c, l->kernel)) {
        c->last = RAN_UNMEASURED;
        p->whole_by = NULL;
        return launch_first(l, err);
    }
    if (c && choice_is_untried(c)) {
        launch_tables_report(l, false);
        return choice_run_untried(c, l, launch_first, err);
    }
    if (c && choice_awaits_versions(c, l))
        return choice_run_uncompiled(c, l, launch_first, err);
    if ((status = launch_prepare(c, l, err)))
        return status;
    if (c && !l->binding && l->is_compiling)
        return choice_run_uncompiled(c, l, launch_first, err);
    if (p->lazy_devices.is_opening &&
        p->lazy_devices.are_pending) /* this launch requested the devices */
        return launch_alone(l, err);
    if (!l->binding && launch_axis_reset(l))
        return launch_chosen(l, grid, err);
    launch_tables_report(l, l->binding != NULL);
    if ((!l->binding && launch_specialize(l, true)) ||
        (may_know_more(l) && launch_tables(l, true))) {
        l->binding = NULL;
        l->found = (struct derived){.set = NULL};
        return launch_chosen(l, grid, err);
    }
    if (!l->binding) {
        p->whole_by = NULL;
        return launch_first(l, err);
    }
    if (order_change(l, c))
        return launch_chosen(l, grid, err);
    if (c)
        return choice_run(c, l, launch_first, err);
    return l->measured ? launch_measure(l, err) : launch_queue(l, err);
}

static enum proact_status launch_plain(struct launching *l, const struct proact_grid *grid,
                                       struct proact_error *err)
{
    enum proact_status status;
    bool is_alone;

    preparation_count(l->kernel);
    if ((status = launch_check_grid(l, grid, err)) || (status = check_dimensions(l, err)) ||
        (status = lazy_devices_launch(l->kernel->session, l->over, &is_alone, err)))
        return status;
    if (is_alone)
        return launch_alone(l, err);
    if ((status = launch_variant(l, err)))
        return status;
    launch_specialize(l, false);
    while (launch_tables(l, false))
        ;
    launch_axis_select(l);
    return launch_chosen(l, grid, err);
}

/* Adds the implicit parameters: addresses of variables and the memory of textures. */
static enum proact_status launch_with_more(struct launching *l,
                                           const struct proact_grid *grid,
                                           struct proact_error *err)
{
    const struct proact_kernel *k = l->kernel;
    const size_t most = launch_textures_most(k);
    unsigned char *block = must_calloc(k->parameter_bytes + 1u, 1);
    struct proact_relocation *relocations = must_calloc(
        l->relocation_count + k->variable_count + most + 1, sizeof *relocations);
    struct launch_texture *textures = must_calloc(most + 1, sizeof *textures);

    memcpy(block, l->block, k->given_bytes);
    if (l->relocation_count)
        memcpy(relocations, l->relocations, l->relocation_count * sizeof *relocations);
    variable_relocations(k, relocations, &l->relocation_count);
    l->block = block;
    l->relocations = relocations;
    launch_textures_take(l, textures, relocations);
    enum proact_status status = launch_plain(l, grid, err);

    free(textures);
    free(relocations);
    free(block);
    return status;
}

enum proact_status proact_launch_buffer(struct proact_kernel *k,
                                        const struct proact_grid *grid,
                                        const struct proact_parameter_buffer *block,
                                        struct proact_error *err)
{
    enum proact_status status = fail_if_null("proact_launch_buffer(k, grid, buffer)",
                                             (const void *[]){k, grid, block}, err);

    if (status)
        return status;
    struct launching l = {.kernel = k,
                          .block = block->bytes,
                          .relocations = block->relocations,
                          .relocation_count = block->relocation_count,
                          .is_cooperative = grid->is_cooperative,
                          .is_program = true};
    status = check(k, block, err);

    if (status)
        return status;
    if (k->is_annotated)
        return launch_annotated(k, grid, block, err);
    return k->variable_count || launch_textures_most(k) ? launch_with_more(&l, grid, err)
                                                        : launch_plain(&l, grid, err);
}
