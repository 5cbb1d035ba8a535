/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/* What was measured on the GPUs of a box is kept in a file, so that it is measured once:
   links-HASH.json in $XDG_CACHE_HOME/proact, or ~/.cache/proact. The key says of which
   devices it is: another key is another file. */

#include "base/text.h"
#include "topology/topology_probe.h"

/* The file's path; NULL where there is no place for one. free() it. */
char *topology_cache_path(const char *key);

/* Whether the file is there and whole, and of this key; then `when` says of when it is. */
bool topology_cache_read(const char *path, const char *key, struct topology_probe *out,
                         char when[32]);

enum proact_status topology_cache_write(const char *path, const char *key, const char *when,
                                        const struct topology_probe *probe,
                                        struct proact_error *err);

/* The same text, for programs. */
void topology_cache_print(const char *key, const char *when,
                          const struct topology_probe *probe, struct text *out);
