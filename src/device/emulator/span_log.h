/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/* Trace intervals. They are logged while the machine runs and reported to the observer when
   it stops. */

#include "device/emulator/machine.h"

/* Logs an interval; `name` is copied. No-op without an observer. */
void span_add(struct emulated *d, enum device_span_kind kind, unsigned lane,
              const char *name, uint64_t start_ps, uint64_t end_ps, uint64_t bytes);
/* Logs the use of the link to a peer; adjacent intervals are joined. */
void span_link(struct emulated *d, unsigned peer, uint64_t start_ps, uint64_t end_ps,
               uint64_t bytes);
void span_log_report(struct device_set *set);
void span_log_clear(struct emulated *d);
