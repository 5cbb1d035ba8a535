/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/* The interface of an application to `proact run`. An application is one file and one row
   in run_applications.c. */

#include <proact/proact.h>
#include <stdio.h>

#include "base/json/json_write.h"
#include "base/text.h"
#include "graph/app_state.h"
#include "graph/repeat.h"
#include "run/run_methods.h"

enum { RUN_OPTIONS_MAX = 24 }; /* of one application */

enum run_option_kind { RUN_TEXT, RUN_WHOLE, RUN_REAL, RUN_CHOICE, RUN_FLAG };

/* An option of an application. Several applications may have options of one name, all or
   none of them flags. */
struct run_option {
    const char *name; /* without the dashes; NULL ends the table */
    enum run_option_kind kind;
    const char *argument; /* in the help text; NULL for a flag */
    const char *help;     /* lines of at most 69 columns */
    uint64_t low, high;   /* of a whole number */
    double least, most;   /* of a real number, both included */
    const char *choices;  /* the words of a choice, separated by '|' */
};

/* The value of an option. Unless it was given, all other members are zero. */
struct run_value {
    bool given;
    const char *text; /* the word; NULL for a flag */
    uint64_t whole;
    double real;
    unsigned choice; /* from 0, in the order of the choices */
};

/* The parsed command line. Strings are borrowed; NULL and 0 mean "not given". */
struct run_request {
    const char *input, *machine, *json, *plot, *trace, *output, *log;
    const char *checkpoint, *resume;         /* files */
    unsigned every;                          /* iterations between two checkpoints */
    const char *method;                      /* of a single run; NULL: selected */
    const char *profile;                     /* of stored plans */
    bool compare;                            /* all methods of `methods`, and one device */
    bool reference;                          /* compare with the host's reference program */
    struct run_value value[RUN_OPTIONS_MAX]; /* in the order of the application's options */
    struct run_methods methods;
    unsigned devices, threads, iterations;
    unsigned runs; /* of each kind, an odd number; 0: the default */
    uint64_t chunk_bytes, seed;
    double tolerance; /* negative: never stop */
    bool check;
    bool replay;     /* of all methods only the times, by recorded costs */
    unsigned sample; /* execute one of so many CTAs; 0: all */
    bool sends_all;  /* each written byte to all devices; else only what they read */
    bool chart;      /* also where stdout is no terminal */
    const char *command_line;
};

/* The result of one run. */
struct run_outcome {
    void *answer; /* compared byte by byte; the caller frees it */
    size_t answer_bytes;
    unsigned iterations;
    double residual;
    bool converged;
    uint64_t time_ns;
    struct proact_statistics statistics;
    struct repeat_schedule schedule; /* of its launches; the caller frees the array */
};

struct run_watcher {
    /* The first call, with iteration 0, precedes the start of the clock. */
    void (*progress)(void *context, unsigned iteration, double residual);
    void *context;
    bool every_iteration; /* progress is called for each iteration, in order */
    struct app_checkpoint checkpoint;
    const struct repeat_schedule *schedule; /* repeated, whatever the data; NULL: none */
};

/* An array of the answer, for --output. */
struct run_array {
    const char *name;
    char type; /* 'f' or 'd': float32, float64; 'i' or 'u': 32-bit integers */
    unsigned dimensions;
    size_t extent[3]; /* the last one is contiguous */
    const void *data; /* in the outcome or the work; borrowed */
};
enum { RUN_ARRAYS_MAX = 4 };

/* A comparison with the host. `difference` is in the unit that `what` names. */
struct run_comparison {
    const char *what;
    double difference, tolerance;
};

struct run_application {
    const char *name;
    const char *operand;       /* the name of the input in the help text; NULL: no input */
    const char *input_missing; /* the message after "NAME needs " */
    const char *summary;       /* one line of at most 60 columns */
    const char *help;      /* paragraphs: what it computes, the defaults of --iterations and
                              --tolerance, and an example of at most a minute */
    const char *stop_rule; /* "when ...", where no tolerance ends a run: --tolerance is then
                              refused. NULL: the tolerance does */
    const struct run_option *options; /* NULL: none */
    enum proact_status (*open)(const struct run_request *request, void **work,
                               struct proact_error *err);
    enum proact_status (*run)(void *work, struct proact *p,
                              const struct run_watcher *watcher, struct run_outcome *out,
                              struct proact_error *err);
    /* Whether the request is for the host alone: `run` then gets no session, and time_ns is
       of the host. NULL: never. */
    bool (*runs_on_host)(const void *work);
    void (*print_input)(const void *work, FILE *to);
    void (*print_answer)(const void *work, const struct run_outcome *outcome, FILE *to);
    void (*write_input)(const void *work,
                        struct json_writer *w); /* the keys of an object */
    void (*write_answer)(const void *work, const struct run_outcome *outcome,
                         struct json_writer *w);
    /* Lists the arrays of the answer and returns their number. NULL: none. */
    unsigned (*list_arrays)(const void *work, const struct run_outcome *outcome,
                            struct run_array arrays[RUN_ARRAYS_MAX]);
    /* The content of --output FILE if its name ends in output_ending, such as ".png"; the
       caller frees it. NULL: there is no such format. */
    const char *output_ending;
    char *(*format_output)(const void *work, const struct run_outcome *outcome,
                           size_t *bytes);
    /* Runs the reference program on the host. NULL: there is none. */
    enum proact_status (*compare)(const void *work, const struct run_outcome *outcome,
                                  struct run_comparison *out, struct proact_error *err);
    /* Adds lines "name value" of the input and of the options on which the states depend.
       NULL: there are no checkpoints. */
    void (*add_key)(const void *work, struct text *key);
    const char *quantity; /* the residual, for --log and --plot, such as "change" */
    void (*close)(void *work);
};

extern const struct run_application *const run_applications[]; /* ends with NULL */
