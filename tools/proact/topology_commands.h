/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/* `proact machines` and `proact topo`. argv[0] is the command's word. They answer the exit
   code: 0, 1 (a machine cannot be read), 2 (wrong usage). */

int command_machines(int argc, char **argv);
int command_topo(int argc, char **argv);
