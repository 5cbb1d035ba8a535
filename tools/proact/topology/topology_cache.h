/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/* A cache file for the link measurements of this computer: links-HASH.json in
   $XDG_CACHE_HOME/proact, or ~/.cache/proact. The key describes the devices; each key has
   its own file. */

#include "base/text.h"
#include "topology/topology_probe.h"

/* The path of the file; NULL if neither folder is known. The caller frees it. */
char *topology_cache_path(const char *key);

/* True if the file exists, is complete and has this key. `when` receives its date. */
bool topology_cache_read(const char *path, const char *key, struct topology_probe *out,
                         char when[32]);

enum proact_status topology_cache_write(const char *path, const char *key, const char *when,
                                        const struct topology_probe *probe,
                                        struct proact_error *err);

/* The text of the file, as JSON output. */
void topology_cache_print(const char *key, const char *when,
                          const struct topology_probe *probe, struct text *out);
