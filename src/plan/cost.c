/* SPDX-License-Identifier: Apache-2.0 */
#include "plan/cost.h"

#include <math.h>

/* Form of the problem for the model, of the device that sends most. */
struct plan_form {
    uint64_t sent[PLAN_DEVICES_MAX * PLAN_DEVICES_MAX];
    struct model_problem problem;
};

/* Bytes from device to device, the devices that send, and the receivers of the one that
   sends most. */
static void plan_form_traffic(const struct plan_problem *p, struct plan_form *f)
{
    const unsigned count = p->device_count;
    struct model_problem *m = &f->problem;
    uint64_t most = 0;

    for (unsigned from = 0; from < count; from++) {
        uint64_t sum = 0;
        unsigned receivers = 0;

        for (unsigned to = 0; to < count; to++) {
            uint64_t *sent = &f->sent[from * count + to];

            for (unsigned a = 0; a < p->array_count; a++)
                *sent += p->arrays[a].sent[from][to];
            sum += *sent;
            receivers += *sent != 0;
        }
        m->senders += receivers > 0;
        if (receivers > m->receivers)
            m->receivers = receivers;
        most = sum > most ? sum : most;
    }
    if (m->receivers)
        m->bytes = (most + m->receivers - 1) / m->receivers;
    m->sent = f->sent;
}

static uint64_t plan_array_bytes(const struct plan_problem *p, const struct plan_array *a)
{
    uint64_t sum = 0;

    for (unsigned from = 0; from < p->device_count; from++)
        for (unsigned to = 0; to < p->device_count; to++)
            sum += a->sent[from][to];
    return sum;
}

bool plan_sends(const struct plan_problem *p)
{
    bool sends = false;

    for (unsigned a = 0; a < p->array_count; a++)
        sends |= plan_array_bytes(p, &p->arrays[a]) > 0;
    return sends;
}

/* Sums over the arrays that have receivers. */
struct plan_totals {
    double bytes, pieces, stored; /* sent; consecutive pieces and stores of them */
    double written, stores;       /* of all CTAs; of a thread */
};

static struct plan_totals plan_form_arrays(const struct plan_problem *p,
                                           struct model_problem *m)
{
    struct plan_totals t = {0};

    m->slots = p->array_count;
    for (unsigned n = 0; n < p->array_count; n++) {
        const struct plan_array *a = &p->arrays[n];
        const uint64_t sent = plan_array_bytes(p, a), run = a->run_bytes ? a->run_bytes : 1;
        const double width = a->store_width ? a->store_width : sizeof(uint32_t);

        if (!sent)
            continue;
        m->arrays++;
        m->copies += a->copies;
        m->has_lists |= a->has_lists;
        m->regions = a->regions > m->regions ? a->regions : m->regions;
        const uint64_t extent = a->extent.bytes ? a->extent.bytes : a->range_bytes;

        if (extent > m->extent_bytes) {
            m->extent_bytes = extent;
            m->extent_ranges = a->extent.ranges;
        }
        m->extent_share = fmax(m->extent_share, a->extent.share);
        m->chunk_share = fmax(m->chunk_share, a->chunk_share);
        t.bytes += (double)sent;
        t.pieces += (double)sent / (double)run;
        t.stored +=
            (double)sent / (a->store_bytes && a->store_bytes < run ? (double)a->store_bytes
                            : a->store_bytes                       ? (double)run
                                                                   : sizeof(uint32_t));
        t.written += (double)a->range_bytes * (double)p->ctas;
        t.stores += a->stores > 0
                        ? a->stores
                        : ceil((double)a->range_bytes / width / fmax(p->cta_threads, 1));
    }
    return t;
}

static void plan_form_fill(const struct plan_problem *p, struct plan_form *f)
{
    struct model_problem *m = &f->problem;

    *f = (struct plan_form){.problem = {.devices = p->device_count,
                                        .ctas = p->ctas_most,
                                        .threads = p->cta_threads,
                                        .kernel_ns = p->kernel_ns,
                                        .is_kernel_only = true,
                                        .is_recorded = p->is_recorded,
                                        .is_queued = p->is_queued && !p->is_recorded}};
    plan_form_traffic(p, f);
    const struct plan_totals t = plan_form_arrays(p, m);

    if (t.bytes <= 0)
        return;
    m->run_bytes = (uint64_t)fmax(t.bytes / t.stored, 1);
    m->piece_bytes = (uint64_t)(t.bytes / t.pieces);
    m->stores = p->repeats_stores ? t.stores : 0;
    m->sent_share = fmin(t.bytes / m->receivers / fmax(t.written, 1), 1);
}

/* CTAs count even if no device reads the output. */
static struct model_time plan_unsent_time(const struct plan_problem *p,
                                          const struct plan_method *m)
{
    const bool counts = m && model_sends_chunks(m->initiator);

    return model_single_time(
        p->kernel_ns + (counts ? model_count_ns(&p->topology->device) : 0), 0, 0);
}

struct model_time plan_cost_of(const struct plan_problem *p, const struct plan *plan)
{
    const struct plan_method *m = plan_method_find(p, plan->method);
    const struct model_plan by = {.who = m ? m->initiator : MODEL_SEND_COPY,
                                  .chunks = {plan->chunk_first, plan->chunk_step},
                                  .threads = plan->threads};
    struct plan_form f;

    plan_form_fill(p, &f);
    if (!f.problem.bytes)
        return plan_unsent_time(p, m);
    const struct model_candidate c = model_candidate_of(p->topology, &f.problem, &by);

    return model_candidate_time(&c);
}

/* The modelled time of the kernel rises with that without transfers, by bisection. */
double plan_kernel_ns(const struct plan_problem *p, const struct plan *plan,
                      double measured_ns)
{
    enum { STEPS = 12 };
    static const double part_least = 0.25;
    double low = part_least * measured_ns, high = measured_ns;
    struct plan_problem q = *p;

    for (int i = 0; i < STEPS; i++) {
        q.kernel_ns = (low + high) / 2;
        if (plan_cost_of(&q, plan).kernel_ns > measured_ns)
            high = q.kernel_ns;
        else
            low = q.kernel_ns;
    }
    return high;
}

double plan_copy_ratio(const struct plan_problem *p)
{
    struct plan_form f;

    plan_form_fill(p, &f);
    const struct model_problem *m = &f.problem;

    return m->bytes ? p->kernel_ns / ((double)m->bytes *
                                      model_gap_to_all(p->topology, m, MODEL_COPY_ENGINE, 0,
                                                       m->piece_bytes))
                    : 0;
}

double plan_split_least_ns(const struct topology *t, struct plan_grid grid,
                           double single_ns)
{
    enum { SMS_PER_CTA = 4 };

    if (SMS_PER_CTA * grid.ctas <= t->device.sm_count || !grid.ctas)
        return single_ns;
    return single_ns * (double)grid.ctas_most / (double)grid.ctas;
}
