/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/* The parts of `proact model`. Each receives its own arguments, with its name in argv[0],
   and returns an exit status. */

int model_predict_command(int argc, char **argv);
int model_advise_command(int argc, char **argv);
int model_paper_command(int argc, char **argv);
