/* SPDX-License-Identifier: Apache-2.0 */
/* Sparse matrices of the applications on GPU 0, as a user of cuSPARSE has them. */
#pragma once

#include <cublas_v2.h>
#include <cusolverDn.h>
#include <cusparse.h>

#include <algorithm>
#include <functional>
#include <vector>

#include "must.cuh"

template <class T> struct twin_type;
template <> struct twin_type<float> {
    static constexpr cudaDataType name = CUDA_R_32F;
};
template <> struct twin_type<double> {
    static constexpr cudaDataType name = CUDA_R_64F;
};

template <class T> struct twin_array {
    T *at = nullptr;
    size_t count = 0;

    explicit twin_array(size_t n) : count(n)
    {
        MUST(cudaMalloc(&at, std::max<size_t>(n, 1) * sizeof(T)));
        MUST(cudaMemset(at, 0, std::max<size_t>(n, 1) * sizeof(T)));
    }
    explicit twin_array(const std::vector<T> &host) : twin_array(host.size())
    {
        MUST(cudaMemcpy(at, host.data(), count * sizeof(T), cudaMemcpyHostToDevice));
    }
    twin_array(const twin_array &) = delete;
    twin_array &operator=(const twin_array &) = delete;
    ~twin_array()
    {
        cudaFree(at);
    }
};

/* Compressed rows on the host. */
template <class T> struct twin_rows {
    int64_t rows, columns;
    std::vector<int> first, column; /* 32 bits: fewer than 2^31 entries */
    std::vector<T> value;
};

/* Median time of `act` in ns, by events; one call warms up. */
inline double twin_time(const std::function<void()> &act, unsigned runs = 11)
{
    cudaEvent_t from, to;
    std::vector<double> ns;

    MUST(cudaEventCreate(&from));
    MUST(cudaEventCreate(&to));
    act();
    for (unsigned i = 0; i < runs; i++) {
        float ms;

        MUST(cudaEventRecord(from, 0));
        act();
        MUST(cudaEventRecord(to, 0));
        MUST(cudaEventSynchronize(to));
        MUST(cudaEventElapsedTime(&ms, from, to));
        ns.push_back(1e6 * ms);
    }
    MUST(cudaEventDestroy(from));
    MUST(cudaEventDestroy(to));
    std::sort(ns.begin(), ns.end());
    return ns[ns.size() / 2];
}

/* Rate of a copy within the memory of GPU 0, reads plus writes, in GB/s. */
inline double twin_copy_gbps()
{
    const size_t bytes = 1ull << 30;
    twin_array<char> from(bytes), to(bytes);

    return 2.0 * (double)bytes / twin_time([&] {
               MUST(cudaMemcpyAsync(to.at, from.at, bytes, cudaMemcpyDeviceToDevice, 0));
           });
}

/* y = A x by cusparseSpMV, CSR, ALG2. */
template <class T> struct twin_spmv {
    cusparseHandle_t handle;
    twin_array<int> first, column;
    twin_array<T> value, x, y;
    cusparseSpMatDescr_t a;
    cusparseDnVecDescr_t from, to;
    char *work = nullptr;
    T one = 1, zero = 0;

    explicit twin_spmv(const twin_rows<T> &m)
        : first(m.first), column(m.column), value(m.value), x((size_t)m.columns),
          y((size_t)m.rows)
    {
        size_t bytes = 0;

        MUST(cusparseCreate(&handle));
        MUST(cusparseCreateCsr(&a, m.rows, m.columns, (int64_t)m.column.size(), first.at,
                               column.at, value.at, CUSPARSE_INDEX_32I, CUSPARSE_INDEX_32I,
                               CUSPARSE_INDEX_BASE_ZERO, twin_type<T>::name));
        MUST(cusparseCreateDnVec(&from, m.columns, x.at, twin_type<T>::name));
        MUST(cusparseCreateDnVec(&to, m.rows, y.at, twin_type<T>::name));
        MUST(cusparseSpMV_bufferSize(handle, CUSPARSE_OPERATION_NON_TRANSPOSE, &one, a,
                                     from, &zero, to, twin_type<T>::name,
                                     CUSPARSE_SPMV_CSR_ALG2, &bytes));
        MUST(cudaMalloc(&work, std::max<size_t>(bytes, 1)));
    }
    ~twin_spmv()
    {
        cusparseDestroyDnVec(from);
        cusparseDestroyDnVec(to);
        cusparseDestroySpMat(a);
        cudaFree(work);
        cusparseDestroy(handle);
    }
    twin_spmv(const twin_spmv &) = delete;
    twin_spmv &operator=(const twin_spmv &) = delete;

    double time()
    {
        return twin_time([&] {
            MUST(cusparseSpMV(handle, CUSPARSE_OPERATION_NON_TRANSPOSE, &one, a, from,
                              &zero, to, twin_type<T>::name, CUSPARSE_SPMV_CSR_ALG2, work));
        });
    }
    /* Fills x, multiplies once, and returns y. */
    std::vector<T> multiply(const std::vector<T> &with)
    {
        std::vector<T> got(y.count);

        MUST(cudaMemcpy(x.at, with.data(), x.count * sizeof(T), cudaMemcpyHostToDevice));
        MUST(cusparseSpMV(handle, CUSPARSE_OPERATION_NON_TRANSPOSE, &one, a, from, &zero,
                          to, twin_type<T>::name, CUSPARSE_SPMV_CSR_ALG2, work));
        MUST(cudaMemcpy(got.data(), y.at, y.count * sizeof(T), cudaMemcpyDeviceToHost));
        return got;
    }
};

/* Rows and columns exchanged, in order. */
template <class T> twin_rows<T> twin_transpose(const twin_rows<T> &m)
{
    twin_rows<T> t = {m.columns, m.rows, std::vector<int>((size_t)m.columns + 1),
                      std::vector<int>(m.column.size()), std::vector<T>(m.value.size())};

    for (int c : m.column)
        t.first[(size_t)c + 1]++;
    for (size_t c = 0; c < (size_t)m.columns; c++)
        t.first[c + 1] += t.first[c];
    std::vector<int> next(t.first.begin(), t.first.end() - 1);

    for (int64_t r = 0; r < m.rows; r++)
        for (int e = m.first[(size_t)r]; e < m.first[(size_t)r + 1]; e++) {
            const int at = next[(size_t)m.column[(size_t)e]]++;

            t.column[(size_t)at] = (int)r;
            t.value[(size_t)at] = m.value[(size_t)e];
        }
    return t;
}
