/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/* `proact bench figures`. argv[0] is "figures". Returns an exit status. */
int figures_command(int argc, char **argv);
