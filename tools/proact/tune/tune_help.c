/* SPDX-License-Identifier: Apache-2.0 */
#include <stdio.h>

#include "tune/tune.h"

static const char tune_text[] =
    "Usage: proact tune [OPTION...] PROGRAM [ARGUMENT...]\n"
    "       proact tune [OPTION...] proact run APPLICATION [ARGUMENT...]\n"
    "       proact tune explain|forget|pin|merge|check ...\n"
    "\n"
    "Run a program, measure how its kernels run fastest, and keep the plans in a profile.\n"
    "Later runs of the program use the plans and measure nothing; results never change.\n"
    "The program runs unchanged, and its exit status is returned. An application of\n"
    "`proact run` runs once for each candidate: method, chunk size and threads of the\n"
    "agent.\n"
    "\n"
    "Examples:\n"
    "  proact tune proact run jacobi --size 128\n"
    "  proact run jacobi --size 128\n"
    "      Search the plans of an application, then use the fastest one.\n"
    "  proact tune explain\n"
    "      Print the plans with their times, and why other candidates were not timed.\n"
    "  proact tune --time 10 --profile box.profile proact run jacobi --size 128\n"
    "  proact run jacobi --size 128 --profile box.profile\n"
    "      Keep the plans in a file of their own.\n"
    "`proact tune ./app` tunes a program of proactcc; its later runs need no option.\n"
    "\n"
    "Options:\n"
    "  --effort E      measure (default): time the candidates that the cost model "
    "predicts\n"
    "                  to be at most twice as slow as the best one; of a program, all\n"
    "                  kernels; exhaustive: time all candidates, and those of a program "
    "at\n"
    "                  least three times; estimate: choose by the model alone; of a\n"
    "                  program, measure within the budget of an ordinary run\n"
    "  --time S        stop measuring after S seconds; the program goes on\n"
    "  --profile FILE  the profile (default: PROACT_PROFILE, or proact/profile in\n"
    "                  $XDG_DATA_HOME or ~/.local/share)\n"
    "  -h, --help      print this text\n"
    "\n"
    "Commands; each accepts --profile FILE and --help:\n"
    "  explain [SHAPE...] [--svg FILE]\n"
    "                  print plans, predicted and measured times, and candidates\n"
    "  forget SHAPE...|--all\n"
    "                  remove entries\n"
    "  pin SHAPE PLAN  set the plan of a shape, such as 'method=polling chunk=65536\n"
    "                  threads=2048'; measurements do not replace it\n"
    "  merge FILE...   add the entries of other profiles\n"
    "  check [FILE...] read profiles; the first malformed line is an error\n"
    "A SHAPE is KERNEL/GRID/BYTES as `explain` prints it, or its first parts.\n"
    "\n"
    "Exit status: that of the program; 1 a failed search or a wrong file, 2 invalid\n"
    "command line, 3 a result that differs from that of one device.\n";

void tune_help(void)
{
    fputs(tune_text, stdout);
}
