/* SPDX-License-Identifier: Apache-2.0 */
#include <string.h>

#include "figures/figure_session.h"

/* The inputs: [0] with the paper's ratio, [1] with --quick. A row for an application that
   run_applications.c lacks has no effect; an application without a row has no figures. As
   in the paper, every device receives all shared data; sssp and als store as the paper's
   kernels do. pagerank does not: a warp for each vertex would take most of the time for one
   hub, and equal numbers of vertices have unequal edges.

   The ratio of shared data to work decides about speedups. als (of Netflix's ratings), band
   and sssp (of HV15R) keep that of the paper's inputs with fewer rows, so that they fit
   into the memory of a host; one iteration takes at least a millisecond on a V100. The
   paper does not describe the volume of ct: here each device has slices of its own. */
static const struct figure_input inputs[] = {
    {.application = "pagerank",
     .make = {"wiki --vertices 3566907", "wiki --vertices 80000"},
     .run = {"--send all --iterations 16 --tolerance 0",
             "--send all --iterations 4 --tolerance 0"},
     .suffix = ".sg"},
    {.application = "sssp",
     .make = {"hv15r --grid 40x40x60", "hv15r --grid 14x14x14"},
     .run = {"--send all --kernel paper --weights hash",
             "--send all --kernel paper --weights hash --iterations 3"},
     .suffix = ".sg"},
    {.application = "band",
     .run = {"--send all --rows 393216 --half-width 128 --iterations 20 --tolerance 0",
             "--send all --rows 32768 --half-width 64 --iterations 4 --tolerance 0"}},
    {.application = "als",
     .make = {"ratings --users 60000 --items 2221 --draws 12500000",
              "ratings --users 8000 --items 2000 --draws 80000"},
     .run = {"--send all --update gradient --kernel paper --precision f32 "
             "--rank 16 --iterations 4",
             "--send all --update gradient --kernel paper --precision f32 "
             "--rank 16 --iterations 1"},
     .suffix = ".mtx"},
    {.application = "ct",
     .run = {"--send all --precision f32 --slices 4 --size 256 --views 492 --subsets 2 "
             "--iterations 2",
             "--send all --size 80 --views 120 --subsets 3 --iterations 1"}},
};

const struct figure_input *figure_input_find(const char *application)
{
    for (size_t i = 0; i < sizeof inputs / sizeof *inputs; i++)
        if (strcmp(inputs[i].application, application) == 0)
            return &inputs[i];
    return NULL;
}

const char *figure_application(const struct figure_session *s, unsigned index)
{
    for (size_t i = 0; run_applications[i]; i++) {
        const char *name = run_applications[i]->name;

        if (figure_input_find(name) && (!s->only || strcmp(s->only, name) == 0) &&
            index-- == 0)
            return name;
    }
    return NULL;
}
