/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/* The parts of `proact model`. Each receives its own arguments, with its name in argv[0],
   and returns an exit status. */

/* Defaults of a launch in numbers: bytes and threads of a CTA, bytes of a warp's store. */
enum { MODEL_CTA_BYTES = 4096, MODEL_CTA_THREADS = 256, MODEL_RUN_BYTES = 512 };

int model_predict_command(int argc, char **argv);
int model_advise_command(int argc, char **argv);
int model_paper_command(int argc, char **argv);
