/* SPDX-License-Identifier: Apache-2.0 */
/* The time of an application on one GPU next to its twin, the routine of CUDA's libraries
   that a specialist would call for the same input, and next to a floor. Prints JSON. Usage
   as apps_copies; --one-device-ns N states the time of an iteration instead of measuring
   it. */
#include <cmath>

#include "app_main.cuh"
#include "twin_als.cuh"

extern "C" {
#include "ct/ct_host.h"
}

/* Floors are stated for an H200 and scale by the rate of copies. */
static const double h200_gbps = 4300, stream_share = 0.7, updates_per_ns = 100,
                    forward_updates_per_ns = 64.5, edges_per_ns = 50, limit = 1.25;

struct twin {
    const char *name;
    double ns;       /* of an iteration */
    double floor_ns; /* a faster result is wrong; or the least time that is possible */
    /* Largest relative difference of the twin's result from the host's; negative: it was
       not compared. */
    double error;
};

static double copy_gbps;

static double scaled(double h200_ns)
{
    return h200_ns * h200_gbps / copy_gbps;
}

/* At 70 % of the rate of copies. */
static double stream_ns(double bytes)
{
    return bytes / (stream_share * copy_gbps);
}

/* A x against the host, for x = 1, 2, 3, 1, ... */
template <class T> static double spmv_error(twin_spmv<T> &spmv, const twin_rows<T> &m)
{
    std::vector<T> x((size_t)m.columns);
    double worst = 0;

    for (size_t i = 0; i < x.size(); i++)
        x[i] = (T)(1 + i % 3);
    const std::vector<T> got = spmv.multiply(x);

    for (size_t r = 0; r < (size_t)m.rows; r++) {
        double sum = 0, moduli = 0;

        for (int e = m.first[r]; e < m.first[r + 1]; e++) {
            const double term =
                (double)m.value[(size_t)e] * (double)x[(size_t)m.column[(size_t)e]];

            sum += term;
            moduli += std::fabs(term);
        }
        if (moduli > 0)
            worst = std::max(worst, std::fabs((double)got[r] - sum) / moduli);
    }
    return worst;
}

template <class T> static twin time_spmv(const twin_rows<T> &m, double floor_ns)
{
    twin_spmv<T> spmv(m);
    const double error = spmv_error(spmv, m);

    return {"cusparseSpMV CSR ALG2", spmv.time(), floor_ns, error};
}

/* Incoming edges by vertex; weights, or ones. */
template <class T> static twin_rows<T> rows_of(const graph &g)
{
    twin_rows<T> m = {g.vertex_count, g.vertex_count,
                      std::vector<int>(g.in_first, g.in_first + g.vertex_count + 1),
                      std::vector<int>(g.source, g.source + g.edge_count),
                      std::vector<T>(g.edge_count, (T)1)};

    for (size_t e = 0; e < g.edge_count && g.weight; e++)
        m.value[e] = (T)g.weight[e];
    return m;
}

static twin twin_pagerank(const app_job &job)
{
    const double floor_ns = scaled(job.graph.edge_count / edges_per_ns);

    return job.pagerank.type == PAGERANK_F32
               ? time_spmv(rows_of<float>(job.graph), floor_ns)
               : time_spmv(rows_of<double>(job.graph), floor_ns);
}

/* A source and a weight for each edge. */
static twin twin_sssp(const app_job &job)
{
    return time_spmv(rows_of<float>(job.graph), stream_ns(8.0 * job.graph.edge_count));
}

template <class T> static twin_rows<T> rows_of(const band_system &s)
{
    twin_rows<T> m = {s.rows, s.rows, {0}, {}, {}};

    if (s.first) {
        m.first.assign(s.first, s.first + s.rows + 1);
        m.column.assign(s.column, s.column + s.first[s.rows]);
        m.value.assign(s.value, s.value + s.first[s.rows]);
        return m;
    }
    for (uint32_t i = 0; i < s.rows; i++) {
        for (uint32_t k = 0; k < 2 * s.half_width + 1; k++) {
            const int64_t column = (int64_t)i - s.half_width + k;

            if (column < 0 || column >= s.rows)
                continue;
            m.column.push_back((int)column);
            m.value.push_back((T)s.diagonals[(size_t)k * s.rows + i]);
        }
        m.first.push_back((int)m.column.size());
    }
    return m;
}

template <class T> static twin twin_band_of(const band_system &s)
{
    const twin_rows<T> m = rows_of<T>(s);
    /* A sparse matrix also has the number of each column. */
    const double bytes = (double)m.value.size() * (sizeof(T) + (s.first ? sizeof(int) : 0));

    return time_spmv(m, stream_ns(bytes));
}

static twin twin_band(const app_job &job)
{
    return job.band_options.type == BAND_F32 ? twin_band_of<float>(job.band)
                                             : twin_band_of<double>(job.band);
}

template <class T> static twin_rows<T> rows_of(const rating_rows &r, uint32_t columns)
{
    const uint32_t count = r.first[r.row_count];

    return {r.row_count, columns, std::vector<int>(r.first, r.first + r.row_count + 1),
            std::vector<int>(r.index, r.index + count),
            std::vector<T>(r.value, r.value + count)};
}

template <class T> static twin twin_als_of(const app_job &job)
{
    const rating_set &set = job.ratings;
    const twin_rows<T> by_user = rows_of<T>(set.by_user, set.item_count);
    const twin_rows<T> by_item = rows_of<T>(set.by_item, set.user_count);
    const double bytes = 2.0 * (double)set.training_count *
                         (4 + sizeof(T) + sizeof(T) * (double)job.als.rank);
    const double floor_ns = bytes / copy_gbps;

    if (job.als.update == ALS_GRADIENT)
        return {"cusparseSDDMM and 2 cusparseSpMM",
                twin_gradient<T>(by_user, by_item, job.als.rank).time(), floor_ns, -1};
    const double users = twin_solve<T>(by_user, (int)job.als.rank, job.als.lambda).time();

    return {"cusolverDn potrfBatched and potrsBatched",
            users + twin_solve<T>(by_item, (int)job.als.rank, job.als.lambda).time(),
            floor_ns, -1};
}

static twin twin_als(const app_job &job)
{
    return job.als.is_single ? twin_als_of<float>(job) : twin_als_of<double>(job);
}

/* The matrix of one slice by pixels: all views. */
template <class T> static twin_rows<T> rows_of(const ct_geometry &g)
{
    twin_rows<T> m = {(int64_t)g.size * g.size, (int64_t)g.views * g.channels, {0}, {}, {}};
    struct ct_tables tables;

    ct_tables_init(&tables, &g);
    for (unsigned pixel = 0; pixel < g.size * g.size; pixel++) {
        const unsigned row = pixel / g.size, column = pixel % g.size;

        for (unsigned v = 0; v < g.views && ct_in_field(g.size, row, column); v++) {
            struct ct_row r;

            ct_row_make(&tables, v, row, column, &r);
            for (unsigned i = 0; i < r.count; i++) {
                m.column.push_back((int)(v * g.channels + r.first + i));
                m.value.push_back((T)r.weight[i]);
            }
        }
        m.first.push_back((int)m.column.size());
    }
    ct_tables_clear(&tables);
    return m;
}

template <class T> static twin twin_ct_of(const app_job &job)
{
    const ct_geometry &g = job.scan.geometry;
    const double updates = (double)g.size * g.size * g.views;
    const double floor_ns =
        scaled(updates / updates_per_ns + updates / forward_updates_per_ns);
    const twin_rows<T> back = rows_of<T>(g);
    const twin t = time_spmv(back, floor_ns * job.scan.slices);

    return {"cusparseSpMV of the stored matrix and of its transpose",
            (t.ns + twin_spmv<T>(twin_transpose(back)).time()) * job.scan.slices,
            t.floor_ns, t.error};
}

static twin twin_ct(const app_job &job)
{
    return job.ct.single ? twin_ct_of<float>(job) : twin_ct_of<double>(job);
}

int main(int argc, char **argv)
{
    static twin (*const twins[APPS])(const app_job &) = {twin_pagerank, twin_sssp, nullptr,
                                                         twin_band,     twin_als,  twin_ct};
    app_program program(argc, argv);
    const app_job &job = program.job;

    if (!twins[job.app]) {
        std::fprintf(stderr, "%s has no twin in CUDA's libraries\n", job.name);
        return 77;
    }
    if (job.one_device_ns > 0)
        program.one_ns = job.one_device_ns;
    else
        program.start();
    const double one_ns =
        program.one_ns / (job.one_device_ns > 0 ? 1 : std::max(program.one.iterations, 1u));

    MUST(cudaSetDevice(0));
    copy_gbps = twin_copy_gbps();
    const twin t = twins[job.app](job);
    char error[32] = "null";

    if (t.error >= 0)
        std::snprintf(error, sizeof error, "%.3g", t.error);

    std::printf("{\n  \"application\": \"%s\",\n  \"input\": \"%s\",\n  \"twin\": \"%s\",\n"
                "  \"twin_ns\": %.0f,\n  \"one_device_ns\": %.0f,\n  \"ratio\": %.4g,\n"
                "  \"limit\": %.4g,\n  \"floor_ns\": %.0f,\n  \"copy_gbps\": %.4g,\n"
                "  \"twin_error\": %s\n}\n",
                job.name, job.file ? job.file : "generated", t.name, t.ns, one_ns,
                one_ns / t.ns, limit, t.floor_ns, copy_gbps, error);
    app_job_close(&program.job);
    return 0;
}
