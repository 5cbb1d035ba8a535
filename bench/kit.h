/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/* Timing of a function: it is warmed up and repeated until a budget is used; the result is
   median and spread. */

#include "bench.h"

/* Prints the error and ends the program unless `status` is PROACT_OK. */
void bench_must(enum proact_status status, const struct proact_error *err);
/* The same for an error of the bench itself, such as wrong data. */
__attribute__((noreturn, format(printf, 1, 2))) void bench_die(const char *format, ...);

/* The same for an impossible request; the exit status is 2. */
__attribute__((noreturn, format(printf, 1, 2))) void bench_refuse(const char *format, ...);

/* One run, in nanoseconds. */
typedef double bench_once(void *context);

/* True if the comma-separated list contains the name. NULL contains every name. */
bool bench_list_contains(const char *list, const char *name);
/* Visits each method of the library that is in the list, then each pair in the list
   ("copy-engine+fused:4M"). */
typedef void bench_visit(void *context, const char *method);
void bench_each_method(const char *list, bench_visit *visit, void *context);

/* A virtual clock returns equal times, so one run suffices. Otherwise there are at least 3
   runs, and up to 25 within 0.12 s. */
struct bench_sample bench_repeat(bench_once *once, void *context, bool is_virtual);

/* A rate: scale / time. */
struct bench_sample bench_rate(struct bench_sample ns, double scale);
