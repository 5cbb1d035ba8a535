/* SPDX-License-Identifier: Apache-2.0 */
#include <proact/proact.h>
#include <stdio.h>
#include <string.h>

#include "command.h"

int command_methods(int argc, char **argv)
{
    if (argc > 1 && strcmp(argv[1], "--help") != 0)
        return usage_error("methods", "%s takes no argument, found '%s'", argv[0], argv[1]);
    if (argc > 1) {
        printf(
            "Usage: proact methods\n\n"
            "List the methods that transfer what a kernel writes to the other devices.\n\n"
            "Examples:\n"
            "  proact methods\n"
            "  proact run jacobi --size 256 --method polling     # use one of them\n");
        return EXIT_FINE;
    }
    for (const char *const *name = proact_method_names(); *name; name++)
        printf("%-11s %s\n", *name, proact_method_summary(*name));
    printf("A+B:BYTES   two of fused, polling, copy-engine and relay share the chunks: B "
           "sends "
           "the last BYTES\n");
    return EXIT_FINE;
}
