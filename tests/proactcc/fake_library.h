/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/* Fake NVIDIA libraries for library_calls.cu. They load the driver themselves, as the real
   ones do, and use only the driver on the device. The first two groups are libcublas.so,
   the others libcusparse.so. */

#ifdef __cplusplus
extern "C" {
#endif

struct fake_handle;

/* Functions with the names of the real ones. Each returns 0. */
int cublasCreate_v2(struct fake_handle **out);
int cublasDestroy_v2(struct fake_handle *h);
int cublasSetStream_v2(struct fake_handle *h, void *stream);
int cublasScopy_v2(struct fake_handle *h, int n, const float *from, int from_step,
                   float *to, int to_step);
const char *cublasGetStatusString(int status);
/* The real function takes a stream in place of the handle. */
int cublasGetVectorAsync(int n, int bytes, const void *from, int from_step, void *to,
                         int to_step, struct fake_handle *h);

/* Functions without a real counterpart: arguments of all kinds, and results in two
   registers. */
double cublasAddAll(int i1, float f1, long i2, double f2, int i3, float f3, long i4,
                    double f4, int i5, float f5, long i6, double f6, int i7, float f7,
                    long i8, double f8, int i9, float f9, long i10, double f10, int i11,
                    float f11, long i12, double f12, int i13, long i14, int i15, long i16,
                    int i17, long i18, int i19, long i20, int i21, long i22, int i23,
                    long i24, int i25, long i26, int i27, long i28);
struct fake_complex {
    double re, im;
};
struct fake_pair {
    long first, second;
};
struct fake_mixed {
    long first;
    double second;
};
struct fake_complex cublasTurn(struct fake_complex z);
struct fake_pair cublasSwapPair(struct fake_pair p);
struct fake_mixed cublasSwapMixed(struct fake_mixed m);
double cublasAddVaried(int count, ...);

/* The handle receives the pointers before the work starts. */
int cusparseCreate(struct fake_handle **out);
int cusparseDestroy(struct fake_handle *h);
int cusparseSetPointers(struct fake_handle *h, int n, const float *from, float *to);
int cusparseDoIt(struct fake_handle *h);

#ifdef __cplusplus
}
#endif
