/* SPDX-License-Identifier: Apache-2.0 */
#include <stdio.h>
#include <string.h>

#include "base/text.h"
#include "command.h"
#include "make/make_generator.h"

static const struct make_generator *const generators[] = {
    &make_wiki, &make_hv15r, &make_band, &make_phantom, &make_ratings};
enum { GENERATOR_COUNT = sizeof generators / sizeof *generators };

static void make_help(void)
{
    printf("Usage: proact make GENERATOR [OPTION...]\n\n"
           "Generates an input for proact run from a seed. The same options make the same\n"
           "data on every machine.\n\n"
           "Generators:\n");
    for (int i = 0; i < GENERATOR_COUNT; i++)
        printf("  %-7s  %s\n", generators[i]->name, generators[i]->summary);
    printf("\nproact make GENERATOR --help describes the options of one.\n\n"
           "Example:\n"
           "  proact make wiki --vertices 5000 --edges 63000 --seed 7 -o wiki.mtx.gz\n"
           "  proact make phantom --size 64 --views 90 -o sinogram.npy\n");
}

/* The names of all generators, for a message. */
static void make_list(struct text *names)
{
    for (int i = 0; i < GENERATOR_COUNT; i++)
        text_print(names, "%s%s", i ? ", " : "", generators[i]->name);
}

int command_make(int argc, char **argv)
{
    const char *name = argc > 1 ? argv[1] : NULL;
    struct text names = {0};

    if (name && (strcmp(name, "--help") == 0 || strcmp(name, "-h") == 0)) {
        make_help();
        return EXIT_FINE;
    }
    for (int i = 0; name && i < GENERATOR_COUNT; i++)
        if (strcmp(generators[i]->name, name) == 0)
            return generators[i]->run(argc - 1, argv + 1);
    make_list(&names);
    int code =
        name ? usage_error("make", "no generator '%s': there are %s", name, names.data)
             : usage_error("make", "no generator is named: there are %s", names.data);

    text_clear(&names);
    return code;
}
