/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/* Emulated unified memory (model/pages.h) of a session. The replicas of the emulator stay
   current by transfers without a cost; launches wait for pages instead. */

#include <proact/proact.h>

#include "topology/topology.h"

struct pages;
struct transfer_plan;

struct unified {
    struct pages *pages;
    double wait_ns[TOPOLOGY_DEVICES_MAX]; /* of the current launch, by device */
};

/* Does nothing for PROACT_UNIFIED_OFF. PROACT_EREFUSED: GPUs, or a machine file without the
   time of page faults. PROACT_EINVAL: no such hint. */
enum proact_status unified_open(struct proact *p, enum proact_unified hint,
                                struct proact_error *err);
void unified_close(struct proact *p);
/* A plan without a method becomes bulk; any other method is PROACT_EINVAL. */
enum proact_status unified_check_plan(struct transfer_plan *plan, struct proact_error *err);

/* Without unified memory these do nothing. */
void unified_array_add(struct proact_array *a);
void unified_host_access(const struct proact_array *a, uint64_t first, uint64_t end);
void unified_statistics_reset(struct proact *p);

void unified_statistics(const struct proact *p, struct proact_statistics *s);
