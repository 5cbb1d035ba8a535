/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/* What several commands look at before minutes of work. */

#include "topology/topology.h"

/* The first `devices` (0: all) of a machine, as proact_open() takes its name. Otherwise
   says why, and returns what the program exits with. */
int check_machine(const char *command, const char *machine, unsigned devices,
                  struct topology *out);
/* Can a file be written there? NULL is fine. */
enum proact_status check_folder(const char *path, struct proact_error *err);
/* Where --json FILE goes: for "-" to stdout, and all else that is printed to stderr from
   now on. The name is good for the process; one output may be taken so. */
const char *take_output(const char *path);
