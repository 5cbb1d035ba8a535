/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/* How anything is timed: warmed up, repeated until a budget is used, median and spread. */

#include "bench.h"

/* Ends the program with the sentence unless `status` is PROACT_OK. */
void bench_must(enum proact_status status, const struct proact_error *err);
/* The same for what the bench itself finds, such as wrong data. */
__attribute__((noreturn, format(printf, 1, 2))) void bench_die(const char *format, ...);

/* For what was asked for and cannot be: 2 is what the program exits with. */
__attribute__((noreturn, format(printf, 1, 2))) void bench_refuse(const char *format, ...);

/* One run of it, in nanoseconds. */
typedef double bench_once(void *context);

/* Whether a name is in a list, with commas between; all are in none (NULL). */
bool bench_list_contains(const char *list, const char *name);
/* For each method of the library that is in the list, then for each pair in it
   ("copy-engine+fused:4M"). */
typedef void bench_visit(void *context, const char *method);
void bench_each_method(const char *list, bench_visit *visit, void *context);

/* A virtual clock gives the same time each run: one is enough. Otherwise at least 3 runs,
   up to 25 while they take less than 0.12 s together. */
struct bench_sample bench_repeat(bench_once *once, void *context, bool is_virtual);

/* The same number, as (scale / value): a rate of a time. */
struct bench_sample bench_rate(struct bench_sample ns, double scale);
