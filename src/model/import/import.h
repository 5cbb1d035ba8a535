/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/* Machine files from the output of other tools: JSON of nvbandwidth, text of the OSU
   micro-benchmarks and of nvidia-smi, XML of hwloc. docs/model-fit.md lists the formats and
   the keys that each provides. */

#include "topology/topology.h"

enum { IMPORT_KEYS_MAX = 24 };

/* A key of the machine file that the input provides. */
struct import_key {
    const char *part; /* "device", "fabric", "links" or "" */
    const char *name;
    double value;
    char from[96]; /* origin: a test of the input */
};

struct machine_import {
    const char *format; /* "nvbandwidth" */
    char version[32];   /* of the tool; "": not stated */
    char gpu[64];       /* name of the GPUs; "": not stated */
    char like[64];      /* machine that provides the other keys */
    struct topology machine;
    bool has_groups;   /* the links of the file are groups */
    bool is_same_chip; /* the other machine has the same GPUs */
    struct import_key key[IMPORT_KEYS_MAX];
    unsigned keys;
};

/* Reads a file in any of the formats. `like`: name of the machine for the other keys; NULL:
   the most similar shipped machine. PROACT_EINVAL with the expected formats for an unknown
   format, and with the missing data for a file without link data. */
enum proact_status machine_import(const char *path, const char *like,
                                  struct machine_import *out, struct proact_error *err);
/* The same for the contents of a file. */
enum proact_status machine_import_text(const char *path, const char *text, size_t bytes,
                                       const char *like, struct machine_import *out,
                                       struct proact_error *err);

/* Whether the input provides a key. */
bool machine_import_has(const struct machine_import *i, const char *part, const char *name);

/* A machine file with `like` and the keys of the input. Release with free(). */
char *machine_import_print(const struct machine_import *i);
/* Lines with the origin of each key, and the keys that remain estimates of `like`. Release
   with free(). */
char *machine_import_origins(const struct machine_import *i);
