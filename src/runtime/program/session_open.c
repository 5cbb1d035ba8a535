/* SPDX-License-Identifier: Apache-2.0 */
#include "runtime/program/session_open.h"
#include "runtime/kernel/used_plans.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/fail.h"
#include "base/memory.h"
#include "base/text.h"
#include "runtime/arrays/texels.h"
#include "runtime/arrays/textures.h"
#include "runtime/autotune/session_profile.h"
#include "runtime/kernel/image_destroy.h"
#include "runtime/objects/session.h"
#include "runtime/objects/session_image.h"
#include "runtime/partition/boundaries.h"
#include "runtime/session/lazy_devices.h"
#include "runtime/session/pace.h"
#include "runtime/session/program_streams.h"
#include "runtime/session/recording.h"
#include "runtime/session/runtime_machine.h"
#include "runtime/session/runtime_repeat.h"
#include "runtime/session/session_event.h"
#include "runtime/session/session_plan.h"
#include "runtime/session/session_quanta.h"
#include "runtime/session/stopwatch.h"
#include "runtime/session/unified.h"

enum { WAIT_LIMIT_MS = 10000 };

/* 1 ns to 11 days: the range of the device clocks without overflow. */
static const double wait_limit_min_ms = 1e-6, wait_limit_max_ms = 1e9;

/* Restricts the machine before the devices are opened. */
static enum proact_status cut_machine(struct proact *p, const struct proact_options *o,
                                      struct proact_error *err)
{
    enum proact_status status = topology_restrict(&p->topology, o->device_count, err);

    if (status)
        return status;
    if (p->topology.device_count > PROACT_DEVICES_MAX)
        return fail(err, PROACT_EINVAL, "machine '%s' has %u devices, 1 to %d possible",
                    p->topology.name, p->topology.device_count, PROACT_DEVICES_MAX);
    return PROACT_OK;
}

static enum proact_status check_wait_limit(double ms, struct proact_error *err)
{
    bool within = ms >= wait_limit_min_ms && ms <= wait_limit_max_ms; /* false for NaN */

    if (ms == 0 || within)
        return PROACT_OK;
    return fail(err, PROACT_EINVAL,
                "a wait timeout of %g ms: 0 (for %d) or %g to %g is possible", ms,
                WAIT_LIMIT_MS, wait_limit_min_ms, wait_limit_max_ms);
}

static enum proact_status check_quanta(const struct device_backend *backend,
                                       const struct proact_options *o,
                                       struct proact_error *err)
{
    if (o->quanta && !backend->is_virtual)
        return fail(err, PROACT_EREFUSED,
                    "recorded quanta are costs of emulated launches; the devices of this "
                    "session are GPUs");
    if (o->quanta && o->check)
        return fail(err, PROACT_EREFUSED,
                    "recorded quanta cannot be checked: they execute no access");
    return PROACT_OK;
}

/* The query takes some microseconds, so it happens once per session. */
static unsigned cores_of(const struct proact_options *o)
{
    enum { CORES_MAX = 32 };
    const long cores =
        o->host_threads ? (long)o->host_threads : sysconf(_SC_NPROCESSORS_ONLN);

    return (unsigned)(cores < 1 ? 1 : cores > CORES_MAX ? CORES_MAX : cores);
}

static uint64_t session_clock(const void *session)
{
    return proact_now_ns(session);
}

/* Hook of the project's own tests: plans that differ from launch to launch
   (launch_plan.c). */
static uint64_t plans_seed(void)
{
    const char *seed = getenv("PROACT_TEST_PLANS");

    return seed ? strtoull(seed, NULL, 10) : 0;
}

static const struct proact_options defaults;

/* Opens the streams of the open devices. */
static enum proact_status open_lanes(struct proact *p, double limit_ms,
                                     struct proact_error *err)
{
    enum proact_status status =
        transfer_open(p->backend, p->set, (uint64_t)(limit_ms * 1e6),
                      p->lazy_devices.are_pending, &p->devices, err);

    return status ? status : order_open(&p->order, &p->devices, 0, devices_here(p), err);
}

static enum proact_status open_on(const struct device_backend *backend,
                                  const struct topology *machine,
                                  const struct proact_options *o, struct proact **out,
                                  struct proact_error *err)
{
    struct proact *p = must_calloc(1, sizeof *p);
    double limit_ms = o->wait_timeout_ms != 0 ? o->wait_timeout_ms : WAIT_LIMIT_MS;
    enum proact_status status;

    p->backend = backend;
    p->threads = o->host_threads;
    p->cores = cores_of(o);
    p->reassociate_floats = o->reassociate_floats;
    p->checks = o->check;
    p->effort = o->effort;
    p->budget = plan_budget_open(session_clock, p);
    p->vary_plans = plans_seed();
    p->quanta = o->quanta;
    p->topology = *machine;
    if ((status = check_wait_limit(o->wait_timeout_ms, err)) ||
        (status = check_quanta(backend, o, err)) || (status = cut_machine(p, o, err)) ||
        (status = unified_open(p, o->unified, err)) ||
        (status = backend->open(
             &(struct device_options){
                 .topology = &p->topology,
                 .seed = o->seed,
                 .check = o->check,
                 .infinite_bandwidth = o->infinite_bandwidth || o->unified,
                 .threads = o->host_threads,
                 .wait_limit_ms = 2 * limit_ms,
                 .kernel_limit_ms = limit_ms > WAIT_LIMIT_MS ? limit_ms : 0,
                 .print = o->on_print,
                 .warn = o->on_warning,
                 .print_context = o->callback_context,
                 .quanta = o->quanta ? o->quanta->recordings : NULL,
                 .lazy_devices = o->lazy_devices},
             &p->set, err)) ||
        (lazy_devices_begin(p), status = open_lanes(p, limit_ms, err)) ||
        (status = session_plan_take(p, &o->plan, err)) ||
        (status = session_profile_open(p, machine, o->profile, err))) {
        proact_close(p);
        return status;
    }
    p->book.device_count = p->devices.count;
    p->book.skip = TRANSFER_OWN_LABELS;
    if (backend->is_virtual) /* tracing is free on virtual machines */
        backend->observe(p->set, span_book_take, &p->book);
    *out = p;
    return PROACT_OK;
}

enum proact_status session_open(const struct device_backend *backend,
                                const struct proact_options *options, struct proact **out,
                                struct proact_error *err)
{
    const struct proact_options *o = options ? options : &defaults;
    struct topology machine;
    enum proact_status status =
        topology_load(o->machine ? o->machine : RUNTIME_MACHINE_DEFAULT, &machine, err);

    return status ? status : open_on(backend, &machine, o, out, err);
}

enum proact_status proact_open(const struct proact_options *options, struct proact **out,
                               struct proact_error *err)
{
    enum proact_status status =
        fail_if_null("proact_open(out)", (const void *[]){out}, err);

    if (status)
        return status;
    const struct proact_options *o = options ? options : &defaults;
    const struct device_backend *backend;
    struct topology machine;
    status = runtime_machine(o->machine, &machine, &backend, err);

    return status ? status : open_on(backend, &machine, o, out, err);
}

static void images_destroy(struct proact *p)
{
    while (p->images) {
        struct session_image *image = p->images;

        p->images = image->next;
        image_destroy(p, image);
    }
}

void proact_close(struct proact *p)
{
    if (!p)
        return;
    if (p->set)
        p->backend->synchronize(p->set, NULL);
    recordings_destroy(p);
    events_destroy(p);
    repeats_destroy(p);
    while (p->kernels)
        proact_kernel_destroy(p->kernels);
    textures_close(p);
    texels_close(p);
    while (p->arrays)
        proact_array_destroy(p->arrays);
    images_destroy(p);
    boundaries_destroy(p);
    session_profile_close(p);
    streams_close(p);
    stopwatch_close(p);
    pace_close(p);
    order_close(&p->order);
    if (p->devices.backend)
        transfer_close(&p->devices);
    if (p->set)
        p->backend->close(p->set);
    span_book_clear(&p->book);
    unified_close(p);
    text_clear(&p->plan_copies);
    used_plans_clear(p);
    free(p->launches);
    session_shapes_clear(p);
    free(p);
}

unsigned proact_device_count(const struct proact *p)
{
    return p->devices.count;
}

bool proact_is_emulated(const struct proact *p)
{
    return p->backend->is_virtual;
}
