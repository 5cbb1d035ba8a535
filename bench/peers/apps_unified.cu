/* SPDX-License-Identifier: Apache-2.0 */
/* Unified memory with each of four hints. All GPUs access one copy of every array, and the
   driver moves pages. */
#include "app_main.cuh"

enum { PAGE_BYTES = 64 << 10 }; /* the driver's migration unit */
enum hint { NO_HINT, PREFERRED, READ_MOSTLY, PREFETCH, HINTS };
static const char *const hint_names[HINTS] = {"none", "preferred location", "read-mostly",
                                              "prefetch"};
static const uint64_t most_bytes = 8ull << 30;

#if CUDART_VERSION >= 13000
static cudaMemLocation location(unsigned device)
{
    return {cudaMemLocationTypeDevice, (int)app_gpu(device)};
}
static cudaError_t prefetch(const char *at, size_t bytes, unsigned device, cudaStream_t s)
{
    return cudaMemPrefetchAsync(at, bytes, location(device), 0, s);
}
#else
static int location(unsigned device)
{
    return (int)app_gpu(device);
}
static cudaError_t prefetch(const char *at, size_t bytes, unsigned device, cudaStream_t s)
{
    return cudaMemPrefetchAsync(at, bytes, location(device), s);
}
#endif

/* Half of the free memory of the fullest GPU, at most 8 GB. */
static uint64_t unified_limit(unsigned devices)
{
    uint64_t limit = most_bytes;

    for (unsigned d = 0; d < devices; d++) {
        size_t free_bytes, total;

        app_use(d);
        MUST(cudaMemGetInfo(&free_bytes, &total));
        limit = std::min<uint64_t>(limit, free_bytes / 2);
    }
    return limit;
}

struct unified_session : proact {
    enum hint hint;
    uint64_t limit, used = 0;
    std::vector<cudaEvent_t> made;

    unified_session(unsigned devices, enum hint hint_)
        : proact(devices, app_all_parts(devices)), hint(hint_),
          limit(unified_limit(devices)), made(devices)
    {
        for (unsigned d = 0; d < devices; d++) {
            app_use(d);
            MUST(cudaEventCreateWithFlags(&made[d], cudaEventDisableTiming));
        }
    }
    ~unified_session() override
    {
        for (cudaEvent_t event : made)
            MUST(cudaEventDestroy(event));
    }

    bool make(proact_array &a, struct proact_error *err) override
    {
        char *base;

        used += a.bytes;
        if (used > limit) {
            if (err)
                std::snprintf(err->text, sizeof err->text,
                              "unified memory: the arrays have %llu bytes, %llu are "
                              "possible: half of the free memory, at most 8 GB",
                              (unsigned long long)used, (unsigned long long)limit);
            return false;
        }
        MUST(cudaMallocManaged(&base, a.bytes));
        a.base.assign(parts, base);
        if (hint == READ_MOSTLY || hint == PREFETCH)
            MUST(cudaMemAdvise(base, a.bytes, cudaMemAdviseSetReadMostly, location(0)));
        for (unsigned d = 0; d < parts && hint == PREFERRED; d++)
            MUST(cudaMemAdvise(base, a.bytes, cudaMemAdviseSetAccessedBy, location(d)));
        return true;
    }
    void drop(proact_array &a) override
    {
        used -= a.bytes;
        MUST(cudaFree(a.base[0]));
    }
    void write(proact_array &a, uint64_t first, const void *from, uint64_t bytes) override
    {
        synchronize();
        std::memcpy(a.base[0] + first, from, bytes);
    }
    void read(proact_array &a, uint64_t first, void *into, uint64_t bytes) override
    {
        std::memcpy(into, a.base[0] + first, bytes);
    }
    bool records() const override
    {
        return false;
    }

    /* Parts of large arrays begin at pages. */
    uint32_t cta_step(const app_launch &l) override
    {
        uint64_t step = 1;

        for (unsigned w = 0; w < l.write_count; w++)
            for (uint64_t bytes = step * l.write[w].cta_bytes;
                 l.array(w).bytes >= (uint64_t)parts * PAGE_BYTES && bytes % PAGE_BYTES &&
                 step * parts < l.ctas;
                 bytes = step * l.write[w].cta_bytes)
                step *= 2;
        return (uint32_t)step;
    }

    void advise(const app_launch &l, unsigned w)
    {
        proact_array &a = l.array(w);

        for (unsigned d = 0; d < parts && !a.is_advised; d++) {
            const uint64_t first = l.first_byte(w, d) / PAGE_BYTES * PAGE_BYTES;
            const uint64_t end = l.first_byte(w, d + 1);

            if (first < end)
                MUST(cudaMemAdvise(a.base[0] + first, end - first,
                                   cudaMemAdviseSetPreferredLocation, location(d)));
        }
        a.is_advised = true;
    }

    /* What a device reads: its part with a halo of arrays that such a launch writes, else
       everything. */
    void prefetch_reads(const app_launch &l)
    {
        for (unsigned i = 0; i < l.kernel->arg_count; i++) {
            const proact_array *a = l.args[i].array;

            for (unsigned d = 0; a && d < parts; d++) {
                uint64_t first = 0, end = a->bytes;

                for (unsigned w = 0; w < l.write_count; w++)
                    if (l.array(w).bytes == a->bytes && l.write[w].halo_bytes) {
                        const uint64_t halo = l.write[w].halo_bytes;

                        first = l.first_byte(w, d);
                        first = first > halo ? first - halo : 0;
                        end = std::min<uint64_t>(l.first_byte(w, d + 1) + halo, a->bytes);
                    }
                app_use(d);
                if (first < end)
                    MUST(prefetch(a->base[0] + first, end - first, d, stream[d]));
            }
        }
    }

    void before_launch(const app_launch &l) override
    {
        for (unsigned w = 0; w < l.write_count && hint == PREFERRED; w++)
            advise(l, w);
        if (hint == PREFETCH && l.write_count)
            prefetch_reads(l);
    }

    /* A launch follows the previous one on all devices. */
    void exchange(const app_launch &) override
    {
        for (unsigned d = 0; d < parts; d++) {
            app_use(d);
            MUST(cudaEventRecord(made[d], stream[d]));
        }
        for (unsigned d = 0; d < parts; d++)
            for (unsigned other = 0; other < parts; other++)
                if (other != d)
                    MUST(cudaStreamWaitEvent(stream[d], made[other], 0));
    }
};

int main(int argc, char **argv)
{
    app_program program(argc, argv);

    program.start();
    for (int h = 0; h < HINTS; h++)
        program.measure("unified", hint_names[h], [&](unsigned devices) {
            return std::unique_ptr<proact>(new unified_session(devices, (enum hint)h));
        });
    return program.finish();
}
