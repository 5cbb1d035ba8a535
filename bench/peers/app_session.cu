/* SPDX-License-Identifier: Apache-2.0 */
#include "app_session.cuh"

#include <cstdarg>

static enum proact_status app_fail(struct proact_error *err, enum proact_status status,
                                   const char *format, ...)
{
    va_list rest;

    va_start(rest, format);
    if (err)
        std::vsnprintf(err->text, sizeof err->text, format, rest);
    va_end(rest);
    return status;
}

unsigned app_gpu_count = 1, app_first_gpu = 0;

const app_kernel *app_kernel_find(const char *image, const char *name)
{
    static const app_kernel *const tables[] = {
        app_pagerank,     app_jacobi,    app_band,       app_sssp,   app_repeat,
        app_als_gradient, app_als_solve, app_als_errors, app_ct_f32, app_ct_f64};

    for (const app_kernel *table : tables)
        for (const app_kernel *k = table; k->name; k++)
            if (!std::strcmp(k->name, name) && (!k->image || !std::strcmp(k->image, image)))
                return k;
    return nullptr;
}

proact::proact(unsigned parts_, std::vector<unsigned> local_)
    : parts(parts_), local(std::move(local_)), stream(local.size())
{
    for (size_t i = 0; i < local.size(); i++) {
        app_use(local[i]);
        MUST(cudaStreamCreateWithFlags(&stream[i], cudaStreamNonBlocking));
    }
}

proact::~proact()
{
    for (size_t i = 0; i < local.size(); i++) {
        app_use(local[i]);
        MUST(cudaStreamDestroy(stream[i]));
    }
}

void proact::synchronize()
{
    for (size_t i = 0; i < local.size(); i++) {
        app_use(local[i]);
        MUST(cudaStreamSynchronize(stream[i]));
    }
    now_ns = (uint64_t)peer_now_ns();
}

/* Some libraries need equal parts: there is room for a last part that is as long as the
   others. */
bool proact::make(proact_array &a, struct proact_error *err)
{
    a.base.assign(local.size(), nullptr);
    for (size_t i = 0; i < local.size(); i++) {
        app_use(local[i]);
        if (cudaMalloc(&a.base[i], a.bytes + a.bytes / 4 + (1 << 20)) != cudaSuccess) {
            app_fail(err, PROACT_ENOSPACE, "GPU %u has no room for %zu bytes", local[i],
                     a.bytes);
            return false;
        }
    }
    return true;
}

void proact::drop(proact_array &a)
{
    for (size_t i = 0; i < local.size(); i++) {
        app_use(local[i]);
        MUST(cudaFree(a.base[i]));
    }
}

void proact::write(proact_array &a, uint64_t first, const void *from, uint64_t bytes)
{
    for (size_t i = 0; i < local.size(); i++) {
        app_use(local[i]);
        MUST(cudaMemcpyAsync(a.base[i] + first, from, bytes, cudaMemcpyHostToDevice,
                             stream[i]));
    }
}

/* Of an array with halos each part has its own bytes. */
void proact::read(proact_array &a, uint64_t first, void *into, uint64_t bytes)
{
    if (a.first.empty()) {
        app_use(local[0]);
        MUST(cudaMemcpy(into, a.base[0] + first, bytes, cudaMemcpyDeviceToHost));
        return;
    }
    for (unsigned p = 0; p < parts; p++) {
        const uint64_t low = std::max(first, a.first[p]);
        const uint64_t end = std::min(first + bytes, a.first[p + 1]);

        app_use(local[p]);
        if (low < end)
            MUST(cudaMemcpy((char *)into + (low - first), a.base[p] + low, end - low,
                            cudaMemcpyDeviceToHost));
    }
}

/* ---- Arrays ---- */

extern "C" enum proact_status proact_array_create(struct proact *p,
                                                  const struct proact_shape *shape,
                                                  struct proact_array **out,
                                                  struct proact_error *err)
{
    auto *a = new proact_array{
        p,  shape->count, shape->element_bytes, shape->count * shape->element_bytes, {},
        {}, false};

    if (!p->make(*a, err)) {
        delete a;
        return PROACT_ENOSPACE;
    }
    p->arrays.push_back(a);
    *out = a;
    return PROACT_OK;
}

extern "C" void proact_array_destroy(struct proact_array *a)
{
    if (!a)
        return;
    auto &all = a->session->arrays;

    a->session->synchronize();
    a->session->drop(*a);
    all.erase(std::find(all.begin(), all.end(), a));
    delete a;
}

extern "C" enum proact_status proact_array_write(struct proact_array *a, size_t first,
                                                 const void *from, size_t count,
                                                 struct proact_error *)
{
    a->session->write(*a, first * a->element_bytes, from, count * a->element_bytes);
    if (count == a->count)
        a->first.clear();
    return PROACT_OK;
}

extern "C" enum proact_status proact_array_read(struct proact_array *a, size_t first,
                                                void *into, size_t count,
                                                struct proact_error *)
{
    a->session->synchronize();
    a->session->read(*a, first * a->element_bytes, into, count * a->element_bytes);
    return PROACT_OK;
}

/* ---- Kernels ---- */

extern "C" enum proact_status proact_kernel_load(struct proact *p,
                                                 const struct proact_image *image,
                                                 const char *name,
                                                 struct proact_kernel **out,
                                                 struct proact_error *err)
{
    const app_kernel *k = app_kernel_find(image->name ? image->name : "", name);

    if (!k)
        return app_fail(err, PROACT_EREFUSED, "kernel '%s' has no table of its writes here",
                        name);
    *out = new proact_kernel{p, k};
    return PROACT_OK;
}

extern "C" void proact_kernel_destroy(struct proact_kernel *k)
{
    delete k;
}

extern "C" enum proact_status proact_kernel_map(struct proact_kernel *, unsigned,
                                                const struct proact_map *,
                                                struct proact_error *)
{
    return PROACT_OK; /* the tables have it */
}

extern "C" const char *proact_kernel_refusal(struct proact_kernel *)
{
    return nullptr;
}

/* ---- Launches ---- */

/* Equal parts, the last ones shorter. */
static void app_split(proact &p, app_launch &l)
{
    const uint32_t step = p.cta_step(l);
    uint32_t each = (l.ctas + p.parts - 1) / p.parts;

    if (each > step)
        each = (each + step - 1) / step * step;
    l.first_cta.resize(p.parts + 1);
    for (unsigned i = 0; i <= p.parts; i++)
        l.first_cta[i] = std::min((uint64_t)l.ctas, (uint64_t)i * each);
    l.first_cta[p.parts] = l.ctas;
}

static void app_queue(proact &p, const app_launch &l, size_t index, uint32_t first,
                      uint32_t end, const dim3 &threads, bool sends)
{
    const unsigned part_number = p.local[index];
    void *parameters[APP_ARGS_MAX + 1], *address[APP_ARGS_MAX];
    app_ctas part = {first, sends ? l.write_count : 0, {}};

    for (unsigned w = 0; w < part.sends; w++)
        part.sent[w] = {l.array(w).base[index],
                        l.write[w].cta_bytes,
                        l.array(w).bytes,
                        l.write[w].halo_bytes,
                        l.first_byte(w, part_number),
                        l.first_byte(w, part_number + 1)};
    parameters[0] = &part;
    for (unsigned i = 0; i < l.kernel->arg_count; i++) {
        address[i] = l.args[i].array ? l.args[i].array->base[index] : nullptr;
        parameters[i + 1] =
            l.args[i].array ? &address[i] : const_cast<void *>(l.args[i].value);
    }
    app_use(part_number);
    if (first < end)
        MUST(cudaLaunchKernel(l.kernel->function, dim3(end - first), threads, parameters, 0,
                              p.stream[index]));
}

/* Missing last arguments are those of the repeat loop: the partition of an annotated
   kernel. The kernels here do not read it. */
static enum proact_status app_check(const app_kernel &k, const proact_arg *args,
                                    size_t count, proact_arg *full,
                                    struct proact_error *err)
{
    static const char zeros[16] = {0};

    if (count > k.arg_count || k.arg_count - count > 1)
        return app_fail(err, PROACT_EINVAL, "kernel '%s': %zu arguments, it has %u", k.name,
                        count, k.arg_count);
    for (unsigned i = 0; i < k.arg_count; i++) {
        full[i] = i < count ? args[i] : proact_arg{nullptr, zeros, k.arg_bytes[i]};
        if (!full[i].array && full[i].bytes != k.arg_bytes[i])
            return app_fail(err, PROACT_EINVAL, "kernel '%s': argument %u of %zu bytes, %u",
                            k.name, i, full[i].bytes, k.arg_bytes[i]);
    }
    return PROACT_OK;
}

/* A halo must lie in the part of the neighbour. */
static void app_settle_halos(const proact &p, app_launch &l)
{
    for (unsigned w = 0; w < l.write_count; w++)
        for (unsigned i = 0; i < p.parts; i++) {
            const uint64_t part = l.first_byte(w, i + 1) - l.first_byte(w, i);

            if (!p.sends_halos || part < l.write[w].halo_bytes)
                l.write[w].halo_bytes = 0;
        }
}

/* Where the bytes of an array are that has halos. A recorded launch writes when it is
   replayed. */
static void app_note_parts(proact &p, const app_launch &l)
{
    for (unsigned w = 0; w < l.write_count; w++) {
        app_note note = {&l.array(w), {}};

        for (unsigned i = 0; l.write[w].halo_bytes && p.parts > 1 && i <= p.parts; i++)
            note.first.push_back(i < p.parts ? l.first_byte(w, i) : note.array->bytes);
        if (p.is_recording)
            p.notes.push_back(note);
        else
            note.array->first = note.first;
    }
}

extern "C" enum proact_status proact_launch(struct proact_kernel *k,
                                            const struct proact_grid *grid,
                                            const struct proact_arg *args, size_t arg_count,
                                            struct proact_error *err)
{
    proact &p = *k->session;
    proact_arg full[APP_ARGS_MAX];
    app_launch l = {k->kernel, full, std::max(grid->ctas[0], 1u), {}, 0, {}};
    const dim3 threads(std::max(grid->threads[0], 1u));
    const enum proact_status status = app_check(*k->kernel, args, arg_count, full, err);

    if (status)
        return status;
    if (grid->device_count == 1) { /* on the first device of each process */
        l.first_cta = {0, l.ctas};
        p.before_launch(l);
        app_queue(p, l, 0, 0, l.ctas, threads, false);
        p.exchange(l);
        return PROACT_OK;
    }
    l.write_count = k->kernel->writes(full, l.write);
    app_split(p, l);
    app_settle_halos(p, l);
    p.before_launch(l);
    for (size_t i = 0; i < p.local.size(); i++)
        app_queue(p, l, i, l.first_cta[p.local[i]], l.first_cta[p.local[i] + 1], threads,
                  p.parts > 1);
    p.exchange(l);
    app_note_parts(p, l);
    return PROACT_OK;
}

extern "C" enum proact_status proact_wait(struct proact *p, struct proact_error *)
{
    p->synchronize();
    return PROACT_OK;
}

extern "C" uint64_t proact_now_ns(const struct proact *p)
{
    return p->now_ns;
}

/* ---- Recordings: a graph for each GPU ---- */

extern "C" enum proact_status proact_record_begin(struct proact *p,
                                                  struct proact_error *err)
{
    if (!p->may_record || !p->records())
        return app_fail(err, PROACT_EREFUSED, "launches are not recorded here");
    p->synchronize();
    p->is_recording = true;
    p->notes.clear();
    for (size_t i = 0; i < p->local.size(); i++) {
        app_use(p->local[i]);
        MUST(cudaStreamBeginCapture(p->stream[i], cudaStreamCaptureModeRelaxed));
    }
    return PROACT_OK;
}

extern "C" enum proact_status proact_record_end(struct proact *p,
                                                struct proact_recording **out,
                                                struct proact_error *)
{
    auto *r =
        new proact_recording{p, std::vector<cudaGraphExec_t>(p->local.size()), p->notes};

    p->is_recording = false;
    for (size_t i = 0; i < p->local.size(); i++) {
        cudaGraph_t graph;

        app_use(p->local[i]);
        MUST(cudaStreamEndCapture(p->stream[i], &graph));
        MUST(cudaGraphInstantiate(&r->graph[i], graph, 0));
        MUST(cudaGraphDestroy(graph));
    }
    *out = r;
    return PROACT_OK;
}

extern "C" enum proact_status proact_replay(struct proact_recording *r,
                                            struct proact_error *)
{
    for (size_t i = 0; i < r->graph.size(); i++) {
        app_use(r->session->local[i]);
        MUST(cudaGraphLaunch(r->graph[i], r->session->stream[i]));
    }
    for (const app_note &note : r->notes)
        note.array->first = note.first;
    return PROACT_OK;
}

extern "C" void proact_recording_destroy(struct proact_recording *r)
{
    if (!r)
        return;
    r->session->synchronize();
    for (cudaGraphExec_t graph : r->graph)
        MUST(cudaGraphExecDestroy(graph));
    delete r;
}

/* ---- Statistics: none ---- */

extern "C" enum proact_status proact_statistics_get(struct proact *p, unsigned,
                                                    const struct proact_array *,
                                                    struct proact_statistics *out,
                                                    struct proact_error *)
{
    p->synchronize();
    *out = {};
    return PROACT_OK;
}

extern "C" void proact_statistics_reset(struct proact *)
{
}
