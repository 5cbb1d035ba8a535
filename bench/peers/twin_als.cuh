/* SPDX-License-Identifier: Apache-2.0 */
/* Twins of a sweep of als from the libraries of CUDA, for one side and the other. */
#pragma once

#include "twin_matrix.cuh"

/* Errors at the ratings by cusparseSDDMM, then both gradients by cusparseSpMM. The matrix
   of the items has the same errors in another order, which is not charged. */
template <class T> struct twin_gradient {
    cusparseHandle_t handle;
    cublasHandle_t blas;
    twin_array<int> first, column, other_first, other_column;
    twin_array<T> rating, error, other_error, users, items, users_to, items_to;
    cusparseSpMatDescr_t errors, other_errors;
    cusparseDnMatDescr_t p, q, p_to, q_to;
    char *work[3] = {nullptr, nullptr, nullptr};
    T one = 1, minus = -1, zero = 0;

    twin_gradient(const twin_rows<T> &by_user, const twin_rows<T> &by_item, int64_t rank)
        : first(by_user.first), column(by_user.column), other_first(by_item.first),
          other_column(by_item.column), rating(by_user.value), error(by_user.value),
          other_error(by_item.value), users((size_t)(by_user.rows * rank)),
          items((size_t)(by_item.rows * rank)), users_to(users.count), items_to(items.count)
    {
        const cudaDataType type = twin_type<T>::name;
        const int64_t count = (int64_t)by_user.column.size();
        size_t bytes[3];

        MUST(cusparseCreate(&handle));
        MUST(cublasCreate(&blas));
        MUST(cusparseCreateCsr(&errors, by_user.rows, by_item.rows, count, first.at,
                               column.at, error.at, CUSPARSE_INDEX_32I, CUSPARSE_INDEX_32I,
                               CUSPARSE_INDEX_BASE_ZERO, type));
        MUST(cusparseCreateCsr(&other_errors, by_item.rows, by_user.rows, count,
                               other_first.at, other_column.at, other_error.at,
                               CUSPARSE_INDEX_32I, CUSPARSE_INDEX_32I,
                               CUSPARSE_INDEX_BASE_ZERO, type));
        MUST(cusparseCreateDnMat(&p, by_user.rows, rank, rank, users.at, type,
                                 CUSPARSE_ORDER_ROW));
        MUST(cusparseCreateDnMat(&q, by_item.rows, rank, rank, items.at, type,
                                 CUSPARSE_ORDER_ROW));
        MUST(cusparseCreateDnMat(&p_to, by_user.rows, rank, rank, users_to.at, type,
                                 CUSPARSE_ORDER_ROW));
        MUST(cusparseCreateDnMat(&q_to, by_item.rows, rank, rank, items_to.at, type,
                                 CUSPARSE_ORDER_ROW));
        MUST(cusparseSDDMM_bufferSize(handle, CUSPARSE_OPERATION_NON_TRANSPOSE,
                                      CUSPARSE_OPERATION_TRANSPOSE, &minus, p, q, &one,
                                      errors, type, CUSPARSE_SDDMM_ALG_DEFAULT, &bytes[0]));
        MUST(cusparseSpMM_bufferSize(handle, CUSPARSE_OPERATION_NON_TRANSPOSE,
                                     CUSPARSE_OPERATION_NON_TRANSPOSE, &one, errors, q,
                                     &zero, p_to, type, CUSPARSE_SPMM_CSR_ALG2, &bytes[1]));
        MUST(cusparseSpMM_bufferSize(
            handle, CUSPARSE_OPERATION_NON_TRANSPOSE, CUSPARSE_OPERATION_NON_TRANSPOSE,
            &one, other_errors, p, &zero, q_to, type, CUSPARSE_SPMM_CSR_ALG2, &bytes[2]));
        for (int i = 0; i < 3; i++)
            MUST(cudaMalloc(&work[i], std::max<size_t>(bytes[i], 1)));
    }
    ~twin_gradient()
    {
        for (char *w : work)
            cudaFree(w);
        cusparseDestroyDnMat(p);
        cusparseDestroyDnMat(q);
        cusparseDestroyDnMat(p_to);
        cusparseDestroyDnMat(q_to);
        cusparseDestroySpMat(errors);
        cusparseDestroySpMat(other_errors);
        cublasDestroy(blas);
        cusparseDestroy(handle);
    }
    twin_gradient(const twin_gradient &) = delete;
    twin_gradient &operator=(const twin_gradient &) = delete;

    void sweep()
    {
        const cudaDataType type = twin_type<T>::name;

        MUST(cudaMemcpyAsync(error.at, rating.at, error.count * sizeof(T),
                             cudaMemcpyDeviceToDevice, 0));
        MUST(cusparseSDDMM(handle, CUSPARSE_OPERATION_NON_TRANSPOSE,
                           CUSPARSE_OPERATION_TRANSPOSE, &minus, p, q, &one, errors, type,
                           CUSPARSE_SDDMM_ALG_DEFAULT, work[0]));
        MUST(cusparseSpMM(handle, CUSPARSE_OPERATION_NON_TRANSPOSE,
                          CUSPARSE_OPERATION_NON_TRANSPOSE, &one, errors, q, &zero, p_to,
                          type, CUSPARSE_SPMM_CSR_ALG2, work[1]));
        MUST(cusparseSpMM(handle, CUSPARSE_OPERATION_NON_TRANSPOSE,
                          CUSPARSE_OPERATION_NON_TRANSPOSE, &one, other_errors, p, &zero,
                          q_to, type, CUSPARSE_SPMM_CSR_ALG2, work[2]));
    }
    double time()
    {
        return twin_time([&] { sweep(); });
    }
};

/* Gram matrices and right sides of `count` rows, a CTA for each; rank x rank threads divide
   the entries of the matrix. */
template <class T>
__global__ void twin_gram(const int *first, const int *column, const T *value,
                          const T *other, T *gram, T *right, int from, int rank, T lambda)
{
    extern __shared__ char room[];
    T *q = reinterpret_cast<T *>(room);
    const int row = from + (int)blockIdx.x, begin = first[row], end = first[row + 1];
    T *to = gram + (size_t)blockIdx.x * rank * rank;

    for (int e = (int)threadIdx.x; e < rank * rank; e += (int)blockDim.x)
        to[e] =
            e / rank == e % rank ? (begin == end ? (T)1 : lambda * (T)(end - begin)) : 0;
    for (int k = (int)threadIdx.x; k < rank; k += (int)blockDim.x)
        right[(size_t)blockIdx.x * rank + k] = 0;
    for (int i = begin; i < end; i++) {
        __syncthreads();
        for (int k = (int)threadIdx.x; k < rank; k += (int)blockDim.x)
            q[k] = other[(size_t)column[i] * rank + k];
        __syncthreads();
        for (int e = (int)threadIdx.x; e < rank * rank; e += (int)blockDim.x)
            to[e] += q[e / rank] * q[e % rank];
        for (int k = (int)threadIdx.x; k < rank; k += (int)blockDim.x)
            right[(size_t)blockIdx.x * rank + k] += value[i] * q[k];
    }
}

inline cusolverStatus_t twin_potrf(cusolverDnHandle_t h, int n, float **a, int *info,
                                   int batch)
{
    return cusolverDnSpotrfBatched(h, CUBLAS_FILL_MODE_LOWER, n, a, n, info, batch);
}
inline cusolverStatus_t twin_potrf(cusolverDnHandle_t h, int n, double **a, int *info,
                                   int batch)
{
    return cusolverDnDpotrfBatched(h, CUBLAS_FILL_MODE_LOWER, n, a, n, info, batch);
}
inline cusolverStatus_t twin_potrs(cusolverDnHandle_t h, int n, float **a, float **b,
                                   int *info, int batch)
{
    return cusolverDnSpotrsBatched(h, CUBLAS_FILL_MODE_LOWER, n, 1, a, n, b, n, info,
                                   batch);
}
inline cusolverStatus_t twin_potrs(cusolverDnHandle_t h, int n, double **a, double **b,
                                   int *info, int batch)
{
    return cusolverDnDpotrsBatched(h, CUBLAS_FILL_MODE_LOWER, n, 1, a, n, b, n, info,
                                   batch);
}

/* One side of a sweep: Gram matrices, then batched potrf and potrs of cuSOLVER, in batches
   that fit into memory. The solutions overwrite the right sides. */
template <class T> struct twin_solve {
    enum { BATCH = 16384, GRAM_THREADS = 256 };
    cusolverDnHandle_t handle;
    twin_array<int> first, column;
    twin_array<T> value, other, gram, right;
    twin_array<T *> gram_at, right_at;
    twin_array<int> info;
    int rows, rank;
    double lambda;

    twin_solve(const twin_rows<T> &m, int rank_, double lambda_)
        : first(m.first), column(m.column), value(m.value),
          other((size_t)m.columns * (size_t)rank_),
          gram((size_t)BATCH * (size_t)(rank_ * rank_)),
          right((size_t)BATCH * (size_t)rank_), gram_at(BATCH), right_at(BATCH),
          info(BATCH), rows((int)m.rows), rank(rank_), lambda(lambda_)
    {
        std::vector<T *> a(BATCH), b(BATCH);
        std::vector<T> start(other.count);

        for (int i = 0; i < BATCH; i++) {
            a[(size_t)i] = gram.at + (size_t)i * (size_t)(rank * rank);
            b[(size_t)i] = right.at + (size_t)i * (size_t)rank;
        }
        for (size_t i = 0; i < start.size();
             i++) /* no zeros: they make matrices singular */
            start[i] = (T)((double)(i * 2654435761u % 1000) / 1000 - 0.5);
        MUST(cudaMemcpy(gram_at.at, a.data(), BATCH * sizeof(T *), cudaMemcpyHostToDevice));
        MUST(
            cudaMemcpy(right_at.at, b.data(), BATCH * sizeof(T *), cudaMemcpyHostToDevice));
        MUST(cudaMemcpy(other.at, start.data(), other.count * sizeof(T),
                        cudaMemcpyHostToDevice));
        MUST(cusolverDnCreate(&handle));
    }
    ~twin_solve()
    {
        cusolverDnDestroy(handle);
    }
    twin_solve(const twin_solve &) = delete;
    twin_solve &operator=(const twin_solve &) = delete;

    void side()
    {
        for (int from = 0; from < rows; from += BATCH) {
            const int count = std::min<int>(BATCH, rows - from);

            twin_gram<<<(unsigned)count, GRAM_THREADS, (size_t)rank * sizeof(T)>>>(
                first.at, column.at, value.at, other.at, gram.at, right.at, from, rank,
                (T)lambda);
            MUST(cudaGetLastError());
            MUST(twin_potrf(handle, rank, gram_at.at, info.at, count));
            MUST(twin_potrs(handle, rank, gram_at.at, right_at.at, info.at, count));
        }
    }
    double time()
    {
        return twin_time([&] { side(); });
    }
};
