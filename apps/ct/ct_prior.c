/* SPDX-License-Identifier: Apache-2.0 */
#include <math.h>

#include "ct/ct_host.h"

/* The q-GGMRF prior with p = 2 on the host. */

static const double prior_q = 1.2, diagonal_weight = 0.7071067811865475;
static const double prior_delta = 10 * CT_WATER / 1000; /* 10 HU */

static double prior_power(double t)
{
    return pow(fabs(t) / prior_delta, 2 - prior_q);
}

static double prior_psi(double t)
{
    return 0.5 * t * t / (1 + prior_power(t));
}

double ct_prior_sum(const double *image, unsigned size)
{
    double sum = 0;

    for (unsigned row = 0; row < size; row++)
        for (unsigned column = 0; column < size; column++) {
            const double *x = image + (size_t)row * size + column;
            bool below = row + 1 < size, has_right = column + 1 < size;

            if (has_right)
                sum += prior_psi(x[0] - x[1]);
            if (below)
                sum += prior_psi(x[0] - x[size]);
            if (below && column > 0)
                sum += diagonal_weight * prior_psi(x[0] - x[size - 1]);
            if (below && has_right)
                sum += diagonal_weight * prior_psi(x[0] - x[size + 1]);
        }
    return sum;
}

struct ct_slope ct_prior_slope(const double *image, unsigned size, size_t pixel)
{
    int n = (int)size, row = (int)(pixel / size), column = (int)(pixel % size);
    struct ct_slope sum = {0, 0};

    for (int y = -1; y <= 1; y++)
        for (int x = -1; x <= 1; x++) {
            if ((!x && !y) || row + y < 0 || row + y >= n || column + x < 0 ||
                column + x >= n)
                continue;
            double t = image[pixel] - image[(row + y) * n + column + x];
            double a = prior_power(t), weight = x && y ? diagonal_weight : 1;
            double curvature = (1 + 0.5 * prior_q * a) / ((1 + a) * (1 + a));

            sum.slope += weight * t * curvature;
            sum.curvature += weight * curvature;
        }
    return sum;
}

double ct_prior_curvature_max(void)
{
    return 2 * (4 + 4 * diagonal_weight);
}
