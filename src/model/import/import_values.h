/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/* Values of a file in the terms of its tool. 0 and "": not stated. */

#include "model/import/import.h"

enum import_links {
    IMPORT_RAW,     /* raw rates */
    IMPORT_GOODPUT, /* rates of long copies */
    IMPORT_LINKS,   /* numbers of NVLinks */
    IMPORT_SWITCHES /* PCIe only: groups under one switch, no rates */
};

struct import_values {
    const char *format;
    char version[32], gpu[64];
    unsigned device_count;
    enum import_links kind;
    double link[TOPOLOGY_DEVICES_MAX][TOPOLOGY_DEVICES_MAX];
    unsigned group[TOPOLOGY_DEVICES_MAX];
    double egress, ingress;      /* goodput of copies, all peers together */
    double egress_raw;           /* raw rate, all peers together */
    double store_gbps;           /* goodput of stores of SMs */
    double host_gbps, copy_gbps; /* copies from and to the host, and within a device */
    double copy_next_ns; /* of a copy in addition to its bytes, after another copy */
    double copy_one_ns;  /* the same of a single copy, until it has arrived */
    uint64_t memory_bytes, l2_bytes;
    unsigned sm_count;
    char links_from[64], store_from[64], egress_from[64], ingress_from[64], host_from[64];
};

/* One parser for each format. `text` has a NUL at its end. */
enum proact_status import_nvbandwidth(const char *path, const char *text, size_t bytes,
                                      struct import_values *v, struct proact_error *err);
enum proact_status import_osu(const char *path, const char *text, struct import_values *v,
                              struct proact_error *err);
enum proact_status import_smi(const char *path, const char *text, struct import_values *v,
                              struct proact_error *err);

/* Whether the text is of the format. */
bool import_is_osu(const char *text);
bool import_is_smi(const char *text);

/* The line at *at, without its end; moves *at to the next one. `line` starts zeroed. False
   at the end of the text. */
struct import_line {
    const char *begin;
    size_t length;
    unsigned number; /* from 1 */
    bool is_ended;   /* by a newline */
};
bool import_next_line(const char **at, struct import_line *line);
