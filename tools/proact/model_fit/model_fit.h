/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/* `proact model fit`. argv[0] is "fit". Returns the exit status of the program. */
int model_fit_command(int argc, char **argv);
