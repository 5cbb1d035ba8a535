/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/* Profile: a text file of measured plans, one line per problem (PROACT III-A). The first
   line is PROFILE_HEADER. Each problem may be followed by one line for each candidate that
   was considered. Each line ends with a checksum, so that a damaged line is found.
   docs/tuning.md describes the format. */

#include "plan/plan.h"

#define PROFILE_HEADER "# proact profile 1"

struct profile;
struct text;

/* Identity of a problem. A stored plan applies only where all members are equal, except the
   kernel's name. */
struct profile_key {
    char version[16];
    char machine[88]; /* name of an emulated machine; otherwise of devices and links */
    char driver[32];  /* of an emulated machine: "emulated-" and a digest of its numbers */
    unsigned device_count;
    char kernel[128]; /* name, for people; a long one is cut */
    uint64_t text;    /* hash of the kernel's PTX */
    uint32_t grid[3], threads[3];
    uint64_t bytes; /* of the arrays of the launch */
    bool is_recorded;
};

/* State of a candidate. Reasons other than PROFILE_TIMED mean that it was not timed. */
enum profile_reason {
    PROFILE_TIMED,
    PROFILE_PREDICTED,   /* its prediction exceeds the best one too far */
    PROFILE_BUDGET,      /* the time of the search was used up */
    PROFILE_UNSUPPORTED, /* the machine does not support it */
    PROFILE_UNDECIDED,   /* too few launches */
    PROFILE_REASONS
};
extern const char *const profile_reasons[PROFILE_REASONS]; /* as in the file */

/* Times are whole nanoseconds. */
struct profile_candidate {
    struct plan plan;
    double predicted_ns, measured_ns, spread_ns; /* 0: unknown */
    unsigned runs;                               /* timed ones */
    enum profile_reason reason;
};

struct profile_entry {
    struct profile_key key;
    struct plan plan;
    double predicted_ns, measured_ns, spread_ns; /* 0: unknown */
    double split_ns, single_ns; /* of the two device counts, where both were timed */
    unsigned runs;              /* timed ones; without a measurement: launches so far */
    char date[12];              /* YYYY-MM-DD */
    bool is_pinned;             /* set by a user; measurements do not replace it */
    struct profile_candidate *candidates; /* of profile_put(): copied; of a result: owned by
                                             the profile */
    size_t candidate_count;
};

/* Whether a stored plan of one applies to the other: all members but the name are equal. */
bool profile_keys_are_equal(const struct profile_key *a, const struct profile_key *b);

struct profile *profile_create(void);
void profile_free(struct profile *p); /* NULL is allowed */

size_t profile_count(const struct profile *p);
const struct profile_entry *profile_at(const struct profile *p, size_t index);
/* Entry of a key; borrowed until the profile changes. NULL: there is none. `differs`, if
   not NULL, then states in which key the nearest entry of the kernel differs, as "bytes
   (4096 here, 8192 in the profile)", or is "". */
enum { PROFILE_DIFFERS_BYTES = 256 };
const struct profile_entry *profile_find(const struct profile *p,
                                         const struct profile_key *key,
                                         char differs[PROFILE_DIFFERS_BYTES]);
/* Adds the entry, or replaces that of its key. Returns false without a change if that one
   has a higher rank: pinned, measured, predicted, undecided. */
bool profile_put(struct profile *p, const struct profile_entry *entry);
void profile_remove(struct profile *p, size_t index);

/* Whether the entry has a plan: one that was measured, predicted or pinned. */
bool profile_is_decided(const struct profile_entry *entry);

/* ---- Text ---- */

/* The text of a file; release it with text_clear(). profile_parse() accepts what
   profile_print() writes and nothing else. PROACT_EINVAL: the message begins with
   "FILE:LINE:" of the first malformed line; `into` is then unchanged. Empty text is an
   empty profile. */
void profile_print(const struct profile *p, struct text *out);
enum proact_status profile_parse(const char *file, const char *data, size_t bytes,
                                 struct profile *into, struct proact_error *err);

/* ---- Files ---- */

/* Adds the entries of a file to `into`; they replace those of equal keys. A file that does
   not exist is empty. PROACT_EINVAL: a malformed line, by number, or not a regular file;
   nothing of the file is used. */
enum proact_status profile_read(const char *path, struct profile *into,
                                struct proact_error *err);
/* Reads the file, lets `change` edit it, and replaces it, all under a lock: concurrent
   updates of several processes lose nothing. The file is at any time the old or the new
   one. PROACT_ETIMEOUT: another process holds the lock for 10 s. PROACT_EINVAL: as from
   profile_read(), or the file cannot be written; it then is unchanged. */
enum proact_status profile_update(const char *path,
                                  void (*change)(struct profile *file, void *context),
                                  void *context, struct proact_error *err);
/* Merges the entries into the file, by profile_update() and profile_put(). */
enum proact_status profile_save(const struct profile *p, const char *path,
                                struct proact_error *err);

/* The path with the current folder before it, if it is relative; free() it. */
char *profile_absolute_path(const char *path);
/* Files that every session reads, least significant first: `proact/profile` in the folders
   of $XDG_DATA_DIRS (default /usr/local/share:/usr/share), then profile_user_path(). The
   caller frees the array, which ends with NULL, and each path. */
char **profile_default_paths(void);
/* `proact/profile` in $XDG_DATA_HOME, or in ~/.local/share; free() it. NULL: neither is
   known. */
char *profile_user_path(void);
