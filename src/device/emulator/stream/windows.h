/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/* Window loop of the machine, on one or more host threads. */

#include "device/emulator/machine.h"

/* Runs until `*finished` (NULL: until all streams are empty), or until a failure. */
enum proact_status machine_run(struct device_set *set, const bool *finished,
                               struct proact_error *err);

/* Whether all streams become empty. Without any further change the result is false, which
   is not a fault. */
bool machine_is_idle(struct device_set *set);

/* stall.c: records whether anything changed in the window that ended. False: nothing can
   change any more, and stall_sentence() names what waits. */
struct stall {
    uint64_t changes, looks; /* at the last change */
};
bool stall_check(struct device_set *set, struct stall *s);
/* Whether a stall is likely, well before the wait limit. */
bool stall_is_near(const struct device_set *set);
void stall_sentence(const struct device_set *set, char *into, size_t bytes);
