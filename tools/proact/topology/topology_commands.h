/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/* `proact machines` and `proact topo`. argv[0] is the command's word. They answer the exit
   code, of those in command.h. */

int command_machines(int argc, char **argv);
int command_topo(int argc, char **argv);
