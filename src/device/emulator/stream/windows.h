/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/* Runs the machine, window by window, on one or more host threads. */

#include "device/emulator/machine.h"

/* Until `*finished` (NULL: until all streams are empty), or something broke. */
enum proact_status machine_run(struct device_set *set, const bool *finished,
                               struct proact_error *err);

/* Whether all streams come to be empty: not where nothing changes any more, which is no
   fault then. */
bool machine_is_idle(struct device_set *set);

/* stall.c: notes whether anything changed in the window that just ended; false when nothing
   can change any more, and stall_sentence() then names who waits. */
struct stall {
    uint64_t changes, looks; /* when anything last changed */
};
bool stall_check(struct device_set *set, struct stall *s);
/* The same, without waiting for as long as a wait may last. */
bool stall_is_near(const struct device_set *set);
void stall_sentence(const struct device_set *set, char *into, size_t bytes);
