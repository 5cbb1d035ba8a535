/* SPDX-License-Identifier: Apache-2.0 */
#include "runtime/session/session_plan.h"

#include <string.h>

#include "base/fail.h"
#include "runtime/objects/session.h"
#include "runtime/session/unified.h"

enum {
    CHUNK_BYTES_DEFAULT = 64 << 10,
    CHUNK_BYTES_MIN = 4 << 10,
    CHUNK_BYTES_MAX = 256 << 20,
    THREADS_PER_CTA = 1024,
    THREADS_MIN = 32,
    AGENT_CTAS = 8,      /* default limit, available on every machine */
    AGENT_CTAS_MAX = 48, /* more CTAs were not faster on any measured machine */
    RATIO_MAX = 1000,
    SLEEP_CAPABILITY = 70, /* nanosleep */
};

/* CTAs that saturate the egress of a device, up to AGENT_CTAS. */
static unsigned threads_default(const struct topology *t)
{
    double ctas = t->fabric.sm_gbps_per_cta > 0
                      ? t->fabric.egress_gbps / t->fabric.sm_gbps_per_cta
                      : AGENT_CTAS;

    if (ctas > AGENT_CTAS)
        return AGENT_CTAS * THREADS_PER_CTA;
    return ((unsigned)ctas + (ctas > (unsigned)ctas)) * THREADS_PER_CTA;
}

/* The kernel that an agent waits for needs at least half of the SMs. */
static unsigned threads_most(const struct topology *t)
{
    unsigned ctas = t->device.sm_count / 2;

    ctas = ctas < AGENT_CTAS ? AGENT_CTAS : ctas > AGENT_CTAS_MAX ? AGENT_CTAS_MAX : ctas;
    return ctas * THREADS_PER_CTA;
}

/* How the agent of polling waits. Devices before sm_70 cannot sleep. */
static enum proact_status read_agent(const struct proact *p, const char *name, bool *spins,
                                     struct proact_error *err)
{
    const unsigned capability = p->topology.device.capability;
    const bool sleeps = name && strcmp(name, "sleep") == 0;

    *spins = name ? strcmp(name, "spin") == 0 : capability < SLEEP_CAPABILITY;
    if (name && !sleeps && !*spins)
        return fail(err, PROACT_EINVAL, "no agent '%s': there are sleep and spin", name);
    if (sleeps && capability < SLEEP_CAPABILITY)
        return fail(err, PROACT_EINVAL,
                    "agent 'sleep' requires compute capability %d.%d, the devices have "
                    "%u.%u",
                    SLEEP_CAPABILITY / 10, SLEEP_CAPABILITY % 10, capability / 10,
                    capability % 10);
    return PROACT_OK;
}

enum proact_status session_plan(const struct proact *p, const struct proact_plan *plan,
                                struct transfer_plan *out, struct proact_error *err)
{
    uint64_t chunk = plan->chunk_bytes;
    unsigned threads =
        plan->transfer_threads ? plan->transfer_threads : threads_default(&p->topology);
    const unsigned most = threads_most(&p->topology);
    const double ratio = plan->compute_to_copy_ratio != 0 ? plan->compute_to_copy_ratio : 1;
    struct transfer_plan wanted = {.threads = threads,
                                   .compute_ratio = ratio,
                                   .everywhere = plan->broadcast,
                                   .elide = plan->skip_transfers,
                                   .is_open = !plan->method,
                                   .chunk_is_open = !plan->chunk_bytes,
                                   .threads_are_open = !plan->transfer_threads};
    enum proact_status status = transfer_methods_read(plan->method, &wanted, err);

    if (status || (status = read_agent(p, plan->agent, &wanted.spins, err)))
        return status;
    if (!plan->method && transfer_method_check(wanted.method, &p->devices, NULL))
        wanted.method = transfer_method_whole(); /* no device reaches another */
    if (p->unified && (status = unified_check_plan(&wanted, err)))
        return status;
    if (!chunk && !wanted.method->schedules)
        chunk =
            wanted.method->chunk_bytes ? wanted.method->chunk_bytes : CHUNK_BYTES_DEFAULT;
    if (chunk &&
        (chunk < CHUNK_BYTES_MIN || chunk > CHUNK_BYTES_MAX || (chunk & (chunk - 1))))
        return fail(err, PROACT_EINVAL,
                    "chunk of %llu bytes: a power of two from %d to %d is possible",
                    (unsigned long long)chunk, CHUNK_BYTES_MIN, CHUNK_BYTES_MAX);
    if (threads < THREADS_MIN || threads > most || threads % 32)
        return fail(err, PROACT_EINVAL,
                    "%u transfer threads: a multiple of 32 from %d to %u is possible",
                    threads, THREADS_MIN, most);
    if (!(ratio > 0 && ratio <= RATIO_MAX))
        return fail(err, PROACT_EINVAL,
                    "a compute ratio of %g: more than 0, up to %d is possible", ratio,
                    RATIO_MAX);
    if ((status = transfer_method_check(wanted.method, &p->devices, err)) ||
        (wanted.tail && (status = transfer_method_check(wanted.tail, &p->devices, err))))
        return status;
    wanted.chunk_bytes = chunk;
    *out = wanted;
    return PROACT_OK;
}

static void name_copies(struct proact *p)
{
    text_clear(&p->plan_copies);
    transfer_copies_print(&p->devices, &p->constraint, &p->plan_copies);
}

const char *proact_plan_copies(const struct proact *p)
{
    return p->plan_copies.data;
}

enum proact_status session_plan_take(struct proact *p, const struct proact_plan *plan,
                                     struct proact_error *err)
{
    struct transfer_plan wanted;
    const enum proact_status status = session_plan(p, plan, &wanted, err);

    if (status)
        return status;
    p->constraint = wanted;
    name_copies(p);
    return PROACT_OK;
}

enum proact_status proact_plan_set(struct proact *p, const struct proact_plan *plan,
                                   struct proact_error *err)
{
    enum proact_status status =
        fail_if_null("proact_plan_set(p, plan)", (const void *[]){p, plan}, err);

    return status ? status : session_plan_take(p, plan, err);
}

const char *const *proact_method_names(void)
{
    return transfer_method_names();
}

const char *proact_method_summary(const char *method)
{
    const struct transfer_method *m;

    return transfer_method_find(method, &m, NULL) ? NULL : m->summary;
}
