/* SPDX-License-Identifier: Apache-2.0 */
#include "runtime/version/launch_stage.h"

#include "access/access.h"
#include "access/write_set.h"
#include "plan/rules/rules.h"
#include "runtime/access_sets/launch_stores.h"
#include "runtime/access_sets/needs.h"
#include "runtime/objects/array.h"
#include "runtime/objects/binding.h"
#include "runtime/objects/kernel.h"
#include "runtime/objects/session.h"
#include "runtime/request/launching.h"
#include "runtime/version/runtime_clone.h"

/* An NVLink packet has PACKET_BYTES, which one warp fills at once or never. The hardware
   reserves KEPT_BYTES of shared memory per CTA. */
enum { PACKET_BYTES = 128, WARP = 32, KEPT_BYTES = 1024, UNIT = 16 };

static uint64_t round_up(uint64_t bytes)
{
    return (bytes + UNIT - 1) / UNIT * UNIT;
}

static bool is_aligned(const struct proact *p, const struct proact_array *a, uint64_t first)
{
    bool is = first % UNIT == 0;

    for (unsigned d = 0; d < p->devices.count; d++)
        is &= a->base[d] % UNIT == 0;
    return is;
}

/* Whether the CTAs write consecutive ranges of equal length, the last one possibly
   shorter. */
static bool find_run(const struct cta_runs *r, struct stage_run *out)
{
    uint32_t next = 0;

    if (!r->count)
        return true;
    if (r->run->cta || r->rows->bytes % UNIT || r->rows->bytes > UINT32_MAX)
        return false;
    *out = (struct stage_run){
        .first = r->rows->first, .end = r->rows->first, .bytes = (uint32_t)r->rows->bytes};
    for (uint32_t n = 0; n < r->count; n++) {
        const struct cta_run *run = &r->run[n];
        const struct rows *row = &r->rows[run->first];

        if (run->cta != next || run->rows != 1 || row->count > 1 ||
            row->first != out->end || row->bytes > out->bytes ||
            (next && (out->end - out->first) % out->bytes) ||
            (run->count > 1 && (run->step != out->bytes || row->bytes != out->bytes)))
            return false;
        next = run->cta + run->count;
        out->end = row->first + (run->count - 1) * run->step + row->bytes;
    }
    return true;
}

static bool is_array_of_another(const struct launching *l, uint32_t slot)
{
    for (uint32_t s = 0; s < slot; s++)
        if (launching_slot_array(l, s) == launching_slot_array(l, slot))
            return true;
    return false;
}

/* Two slots with the same array have no separate ranges, so they are not staged. */
void launch_stage_find(const struct launching *l, struct kernel_binding *b)
{
    const struct write_set *w = l->found.set;
    const struct proact *p = l->kernel->session;
    const uint32_t slots = b->transfer.slot_count;
    struct binding_stage stage = {0};
    uint64_t bytes = 0;

    if (!w || !w->is_exact || slots > PROACT_STAGED_MAX)
        return;
    for (uint32_t s = 0; s < slots; s++) {
        const struct proact_array *a = b->array[s];
        struct stage_run *run = &stage.run[s];

        if (is_array_of_another(l, s) ||
            !find_run(&w->arrays[launching_number(l, a)].runs, run) ||
            !is_aligned(p, a, run->first))
            return;
        run->at = (uint32_t)bytes;
        bytes += run->bytes;
        if (bytes > p->topology.device.shared_bytes_per_cta)
            return;
    }
    stage.bytes = (uint32_t)bytes;
    b->stage = stage;
}

/* Distance between adjacent lanes of a warp in one term; PACKET_BYTES if it is not
   constant. */
static int64_t term_apart(const struct access_analysis *a, const struct access_term *t)
{
    int64_t apart = 0;

    for (uint32_t k = 0; k < t->degree; k++) {
        const struct access_symbol *s = &a->symbols[t->symbols[k]];

        if (s->kind == ACCESS_SPECIAL && s->special == PTX_TID_X)
            apart = t->degree == 1 ? t->factor : PACKET_BYTES;
    }
    return apart;
}

/* Whether a symbol of the term may depend on thread indices. */
static bool is_made(const struct access_analysis *a, const struct access_term *t)
{
    bool is = false;

    for (uint32_t k = 0; k < t->degree; k++) {
        const struct access_symbol *s = &a->symbols[t->symbols[k]];

        is |= s->kind != ACCESS_SPECIAL && s->holds & 1u << ACCESS_SPECIAL;
    }
    return is;
}

/* Whether the lanes of a warp store contiguously and fill a packet. Without a symbolic
   expression the answer is yes. */
static bool fills_packets(const struct access_analysis *a, const struct access_record *r)
{
    int64_t apart = 0;

    if (r->state != ACCESS_CLOSED)
        return true;
    for (uint32_t t = 0; t < r->form->count; t++) {
        if (is_made(a, &r->form->terms[t]))
            return true;
        apart += term_apart(a, &r->form->terms[t]);
    }
    return apart == r->bytes && apart * WARP >= PACKET_BYTES;
}

static bool is_narrow(struct proact_kernel *k)
{
    if (k->checked_narrow_stores)
        return k->is_narrow;
    const struct access_analysis *a = needs_analysis(k);

    for (uint32_t n = 0; n < a->record_count; n++) {
        const struct access_record *r = &a->records[n];
        const bool is_flag = k->flag_stores && k->flag_stores[r->instruction];

        k->is_narrow |= r->kind == ACCESS_WRITE && r->base == ACCESS_BASE_PARAMETER &&
                        !is_flag && !fills_packets(a, r);
    }
    k->checked_narrow_stores = true;
    return k->is_narrow;
}

/* Whether staging keeps occupancy: the CTAs that fit by threads still fit, and half of the
   combined shared memory and L1 cache stays free. */
static bool keeps_residency(const struct launching *l)
{
    const struct topology_device *t = &l->kernel->session->topology.device;
    const uint64_t stage = l->binding->stage.bytes,
                   own = proact_kernel_describe(l->kernel).static_shared_bytes +
                         kernel_stage_more(l->kernel),
                   all = own + round_up(l->shared_bytes) + stage;
    uint64_t ctas = t->threads_per_sm / (l->threads[0] * l->threads[1] * l->threads[2]);

    ctas = ctas < t->ctas_per_sm ? ctas : t->ctas_per_sm;
    return all <= t->shared_bytes_per_cta && 2 * ctas * stage <= t->shared_bytes_per_sm &&
           ctas * (all + KEPT_BYTES) <= t->shared_bytes_per_sm;
}

/* The shortest stores to all arrays. */
static struct plan_staging stage_stores(const struct launching *l)
{
    struct plan_staging s = {
        .bytes = l->binding->stage.bytes, .store_bytes = PACKET_BYTES, .store_width = UNIT};

    for (unsigned slot = 0; slot < l->kernel->slot_count; slot++) {
        const struct launch_store one = launch_store_find(l, slot);

        if (one.warp_bytes && one.warp_bytes < s.store_bytes)
            s.store_bytes = one.warp_bytes;
        if (one.thread_bytes && one.thread_bytes < s.store_width)
            s.store_width = one.thread_bytes;
    }
    return s;
}

/* The planner's decision, which holds for all launches of the binding. */
static void stage_decide(const struct launching *l, struct binding_stage *stage)
{
    const struct proact *session = l->kernel->session;
    const uint32_t *first = l->binding->cta_first;
    const struct plan_staging staging = stage_stores(l);
    struct plan_problem p = {.topology = &session->topology,
                             .device_count = session->devices.count,
                             .cta_threads = l->threads[0] * l->threads[1] * l->threads[2],
                             .staging = &staging};
    struct plan plan = {0};

    for (unsigned d = 0; d < session->devices.count; d++)
        if (first[d + 1] - first[d] > p.ctas_most)
            p.ctas_most = first[d + 1] - first[d];
    plan_rule_staging.expand(&p, &plan, &plan, 1);
    stage->is_decided = true;
    stage->pays = plan.staging;
    stage->staged_ns = plan_staging_ns(&p, true);
    stage->plain_ns = plan_staging_ns(&p, false);
}

bool launch_stages(const struct launching *l)
{
    struct kernel_binding *b = l->binding;
    struct proact_kernel *k = l->kernel;

    k->staging.staged_ns = k->staging.plain_ns = 0;
    if (!b || transfer_plan_mode(&b->transfer.plan) != PROACT_MODE_STORE ||
        !b->stage.bytes || !is_narrow(k) || !keeps_residency(l))
        return false;
    if (!b->stage.is_decided)
        stage_decide(l, &b->stage);
    k->staging.staged_ns = b->stage.staged_ns;
    k->staging.plain_ns = b->stage.plain_ns;
    return b->stage.pays;
}

uint32_t launch_shared_bytes(const struct launching *l)
{
    if (!l->is_staged)
        return l->shared_bytes;
    return (uint32_t)round_up(l->shared_bytes) + l->binding->stage.bytes;
}

void launch_stage_partition(const struct launching *l, unsigned device,
                            struct proact_partition *partition)
{
    const struct kernel_binding *b = l->binding;

    for (uint32_t s = 0; s < b->transfer.slot_count; s++) {
        const struct stage_run *from = &b->stage.run[s];
        unsigned char *base = (unsigned char *)(uintptr_t)b->transfer.slot[s].base[device];

        partition->staged.range[s] = (struct proact_staged_range){
            .first = base + from->first + (uint64_t)b->cta_first[device] * from->bytes,
            .end = base + from->end,
            .bytes = from->bytes,
            .shared_offset = (uint32_t)round_up(l->shared_bytes) + from->at};
    }
}
