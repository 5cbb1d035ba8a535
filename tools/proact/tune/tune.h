/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/* `proact tune`: its subcommands, and what they share. Each subcommand is one file. */

#include "base/text.h"
#include "plan/profile.h"

struct run_application;

int tune_explain(int argc, char **argv);
int tune_forget(int argc, char **argv);
int tune_pin(int argc, char **argv);
int tune_merge(int argc, char **argv);
int tune_check(int argc, char **argv);
void tune_help(void);

/* Options of a tuning. */
struct tune_request {
    char *path;         /* of the profile */
    const char *effort; /* a name of PROACT_EFFORT */
    double seconds;     /* 0: no limit */
};

/* Runs the program with the variables that make it write its decisions. Returns its exit
   status, or 128 plus the signal that ended it. */
int tune_program(const struct tune_request *request, char **argv);
/* Searches the plans of an application of `proact run`; argv[0] is "run". */
int tune_application(const struct tune_request *request, int argc, char **argv);

/* Path of the profile: `option`, PROACT_PROFILE, or that of the user. Prints a message and
   returns an exit status if there is none. free() it. */
int tune_path(const char *option, char **out);
/* Reads a profile that must exist. */
int tune_read(const char *path, struct profile **out);

/* Name of a launch shape, as "smooth/64,1,1/8388608", with "/recorded" for recordings. The
   kernel has its name in the source where that is known; the mangled one fits as well. */
enum { TUNE_SHAPE_BYTES = 240 };
void tune_shape(const struct profile_key *key, char out[TUNE_SHAPE_BYTES]);
/* Whether `shape` is the name of the key or its parts up to a slash: "smooth/64,1,1". */
bool tune_shape_fits(const char *shape, const struct profile_key *key);
/* Prints that the profile has no such shape, with those that it has; EXIT_FAILED. */
int tune_shape_missing(const char *shape, const char *path, const struct profile *p);
