/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/* Plan of a launch. It obeys the session's constraint, which a user sets by
   proact_plan_set(), and belongs to the binding: bindings of one shape may differ in it. */

#include <proact/status.h>

struct launching;

/* Selects l->plan for a launch that may be split and whose write set, or maps, are known. A
   recorded launch has the plan of its problem for recordings. Copies after the kernel
   replace a plan that no version of the kernel supports, and an automatic plan that does
   not suit the kernel (interleaved_writers.h). */
enum proact_status launch_plan_select(struct launching *l, struct proact_error *err);
