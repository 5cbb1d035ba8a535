/* SPDX-License-Identifier: Apache-2.0 */
/* `proact model`: selects the part; each part has a file. */
#include "model/model_command.h"

#include <stdio.h>
#include <string.h>

#include "command.h"
#include "model_fit/model_fit.h"

static const struct {
    const char *name;
    int (*run)(int argc, char **argv);
} model_parts[] = {
    {"predict", model_predict_command},
    {"advise", model_advise_command},
    {"paper", model_paper_command},
    {"fit", model_fit_command},
};
enum { MODEL_PARTS = sizeof model_parts / sizeof *model_parts };

static const char model_help[] =
    "Usage: proact model predict|advise|paper|fit [OPTION...]\n"
    "\n"
    "Predict the time of launches from the description of a machine (LogGOP, Groves et "
    "al. 2020).\n"
    "Only fit measures.\n"
    "\n"
    "Examples:\n"
    "  proact model predict --machine h200x4 --bytes 64M --ratio 1\n"
    "  proact model advise --machine v100x4 --bytes 64K\n"
    "  proact model paper\n"
    "\n"
    "Parts:\n"
    "  predict     time of a launch by method and chunk, split into terms\n"
    "              (proact model predict --help)\n"
    "  advise      five priorities for performance, with the figures of a machine\n"
    "              (proact model advise --help)\n"
    "  paper       the figures of the LogGOP paper, recomputed from its tables, next to\n"
    "              the printed ones\n"
    "  fit         measured parameters next to those of the description, and descriptions\n"
    "              from the output of other tools (proact model fit --help)\n"
    "\n"
    "  -h, --help  print this text\n";

int command_model(int argc, char **argv)
{
    if (argc < 2)
        return usage_error("model", "model needs a part: predict, advise, paper or fit");
    if (strcmp(argv[1], "--help") == 0 || strcmp(argv[1], "-h") == 0) {
        fputs(model_help, stdout);
        return EXIT_FINE;
    }
    for (int i = 0; i < MODEL_PARTS; i++)
        if (strcmp(argv[1], model_parts[i].name) == 0)
            return model_parts[i].run(argc - 1, argv + 1);
    return usage_error(
        "model", "model: no part '%s': there are predict, advise, paper and fit", argv[1]);
}
