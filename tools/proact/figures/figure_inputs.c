/* SPDX-License-Identifier: Apache-2.0 */
#include <string.h>

#include "figures/figure_session.h"

/* The inputs: [0] of the paper's size, [1] with --quick. A row for an application that
   run_applications.c lacks has no effect; an application without a row has no figures. */
static const struct figure_input inputs[] = {
    {.application = "pagerank",
     .make = {"wiki --vertices 3566907", "wiki --vertices 20000"},
     .run = {"--iterations 16 --tolerance 0", "--iterations 12 --tolerance 0"},
     .suffix = ".mtx.gz"},
    {.application = "sssp",
     .make = {"wiki --vertices 2017169 --edges 283073458", "wiki --vertices 10000"},
     .run = {"--weights hash", "--weights hash"},
     .suffix = ".mtx.gz"},
    {.application = "jacobi",
     .run = {"--size 8192 --iterations 40 --tolerance 0",
             "--size 768 --iterations 24 --tolerance 0"}},
    {.application = "band",
     .run = {"--rows 4194304 --half-width 128 --iterations 20 --tolerance 0",
             "--rows 65536 --half-width 16 --iterations 16 --tolerance 0"}},
    {.application = "als",
     .make = {"ratings --users 480189 --items 17770 --draws 100000000",
              "ratings --users 2000 --items 500 --draws 20000"},
     .run = {"--update gradient --rank 16 --iterations 4",
             "--update gradient --rank 16 --iterations 4"},
     .suffix = ".mtx.gz"},
    {.application = "ct",
     .run = {"--size 512 --views 984 --subsets 24 --iterations 2",
             "--size 48 --views 72 --subsets 6 --iterations 2"}},
};

const struct figure_input *figure_input_find(const char *application)
{
    for (size_t i = 0; i < sizeof inputs / sizeof *inputs; i++)
        if (strcmp(inputs[i].application, application) == 0)
            return &inputs[i];
    return NULL;
}

const char *figure_application(unsigned index)
{
    for (size_t i = 0; run_applications[i]; i++)
        if (figure_input_find(run_applications[i]->name) && index-- == 0)
            return run_applications[i]->name;
    return NULL;
}
