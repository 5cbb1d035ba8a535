/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/* What happened when: kept while the machine runs, told to the observer when it stands. */

#include "device/emulator/machine.h"

/* `name` is copied. Nothing is kept while nobody observes. */
void span_add(struct emulated *d, enum device_span_kind kind, unsigned lane,
              const char *name, uint64_t start_ps, uint64_t end_ps, uint64_t bytes);
/* The way to a peer was in use; spans that touch become one. */
void span_link(struct emulated *d, unsigned peer, uint64_t start_ps, uint64_t end_ps,
               uint64_t bytes);
void span_log_report(struct device_set *set);
void span_log_clear(struct emulated *d);
