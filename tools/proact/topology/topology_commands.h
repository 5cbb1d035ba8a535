/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/* `proact machines` and `proact topo`. argv[0] is the command's name. Both return an exit
   status of command.h. */

int command_machines(int argc, char **argv);
int command_topo(int argc, char **argv);
