/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/* The terms of measurements, as docs/measuring.md defines them (PROACT IV-B, V-C). Every
   command that prints one of them computes it here. */

/* Times of a study in nanoseconds, with the symbols of docs/measuring.md. */
struct terms_base {
    double one;      /* T1; in the microbenchmark T(bulk) */
    double bulk;     /* T(bulk) */
    double uncopied; /* T(bulk) - C: bulk without the copies during which no kernel runs */
    double skipped;  /* E(bulk): bulk without transfers */
    double spread;   /* of T(bulk) between runs; 0: equal */
};

/* An undefined term is NAN. */
struct terms {
    double speedup, captured, overhead, hidden;
};

/* T_ideal: the longer of `uncopied` and `skipped`. */
double terms_ideal_ns(const struct terms_base *base);
/* The speedup of T_ideal. */
double terms_ideal(const struct terms_base *base);
/* Terms of a mechanism with the times T(m) and E(m); without E(m), which is 0, overhead and
   hidden are undefined. Hidden is also undefined if the copies of bulk take less than a
   tenth of its time, or no more than its spread. */
struct terms terms_of(const struct terms_base *base, double time, double skipped);
