/* SPDX-License-Identifier: Apache-2.0 */
#include <stdarg.h>

#include "fake_driver_use.h"

int cublasCreate_v2(struct fake_handle **out)
{
    return start(out);
}

int cublasDestroy_v2(struct fake_handle *h)
{
    free(h);
    return 0;
}

int cublasSetStream_v2(struct fake_handle *h, void *stream)
{
    h->stream = stream;
    return 0;
}

int cublasScopy_v2(struct fake_handle *h, int n, const float *from, int from_step,
                   float *to, int to_step)
{
    return from_step == 1 && to_step == 1 ? copy(h, n, from, to) : 1;
}

int cublasGetVectorAsync(int n, int bytes, const void *from, int from_step, void *to,
                         int to_step, struct fake_handle *h)
{
    (void)bytes;
    return from_step == 1 && to_step == 1 ? copy_out(h, n, from, to) : 1;
}

const char *cublasGetStatusString(int status)
{
    return status == 15 ? "not supported" : "well";
}

/* Each argument contributes its number times its value. */
double cublasAddAll(int i1, float f1, long i2, double f2, int i3, float f3, long i4,
                    double f4, int i5, float f5, long i6, double f6, int i7, float f7,
                    long i8, double f8, int i9, float f9, long i10, double f10, int i11,
                    float f11, long i12, double f12, int i13, long i14, int i15, long i16,
                    int i17, long i18, int i19, long i20, int i21, long i22, int i23,
                    long i24, int i25, long i26, int i27, long i28)
{
    const double i[] = {i1,  (double)i2,  i3,  (double)i4,  i5,  (double)i6,
                        i7,  (double)i8,  i9,  (double)i10, i11, (double)i12,
                        i13, (double)i14, i15, (double)i16, i17, (double)i18,
                        i19, (double)i20, i21, (double)i22, i23, (double)i24,
                        i25, (double)i26, i27, (double)i28};
    const double f[] = {f1, f2, f3, f4, f5, f6, f7, f8, f9, f10, f11, f12};
    double sum = 0;

    for (int k = 0; k < 28; k++)
        sum += (k + 1) * i[k];
    for (int k = 0; k < 12; k++)
        sum += (k + 101) * f[k];
    return sum;
}

struct fake_complex cublasTurn(struct fake_complex z)
{
    return (struct fake_complex){-z.im, z.re};
}

struct fake_pair cublasSwapPair(struct fake_pair p)
{
    return (struct fake_pair){p.second, p.first};
}

struct fake_mixed cublasSwapMixed(struct fake_mixed m)
{
    return (struct fake_mixed){(long)m.second, (double)m.first};
}

double cublasAddVaried(int count, ...)
{
    double sum = 0;
    va_list args;

    va_start(args, count);
    for (int i = 0; i < count; i++)
        sum += va_arg(args, double);
    va_end(args);
    return sum;
}
