/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/* Generators of `proact make`. A generator is one file with one such struct, and a row in
   make_command.c. The same options make the same data on every machine. */

struct make_generator {
    const char *name, *summary;
    /* argv[0] is the generator's name. Returns what the program exits with. */
    int (*run)(int argc, char **argv);
};

extern const struct make_generator make_wiki, make_hv15r, make_band, make_phantom,
    make_ratings;
