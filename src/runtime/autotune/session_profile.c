/* SPDX-License-Identifier: Apache-2.0 */
#include "runtime/autotune/session_profile.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/fail.h"
#include "base/hash.h"
#include "base/memory.h"
#include "base/text.h"
#include "ptx/ptx.h"
#include "runtime/objects/array.h"
#include "runtime/objects/kernel.h"
#include "runtime/objects/session.h"
#include "runtime/objects/session_image.h"

enum { NOTES_MAX = 32, SHAPES_MAX = 1024 };

void session_profile_note(struct proact *p, bool is_warning, const char *format, ...)
{
    struct session_profile *s = p->profile;
    char text[sizeof((struct proact_error *)0)->text + 64];
    va_list args;

    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    for (size_t i = 0; i < s->note_count; i++)
        if (strcmp(s->notes[i].text, text) == 0)
            return;
    if (s->note_count >= NOTES_MAX && !is_warning)
        return;
    s->notes = must_grow(s->notes, s->note_count, &s->note_capacity, sizeof *s->notes);
    s->notes[s->note_count++] = (struct profile_note){must_strdup(text), is_warning};
}

/* An unusable file of the environment does not keep a program from running. */
static bool read_optional(struct proact *p, const char *path)
{
    struct proact_error err = {""};

    if (!profile_read(path, p->profile->stored, &err))
        return true;
    session_profile_note(p, true, "the profile is not used: %s", err.text);
    return false;
}

static void read_defaults(struct proact *p)
{
    char **paths = profile_default_paths();

    for (size_t i = 0; paths[i]; i++) {
        read_optional(p, paths[i]);
        free(paths[i]);
    }
    free(paths);
}

static enum proact_status read_effort(struct session_profile *s, struct proact_error *err)
{
    static const char *const names[] = {"estimate", "measure", "exhaustive"};
    const char *effort = getenv("PROACT_EFFORT");

    if (!effort || !*effort)
        return PROACT_OK;
    for (int i = 0; i < 3; i++)
        if (strcmp(effort, names[i]) == 0) {
            s->effort = (enum profile_effort)i;
            return PROACT_OK;
        }
    return fail(err, PROACT_EINVAL,
                "PROACT_EFFORT is '%.40s': expected estimate, measure or exhaustive",
                effort);
}

/* Seconds that probes without a budget may go on. */
static enum proact_status read_time(struct proact *p, struct proact_error *err)
{
    const char *text = getenv("PROACT_EFFORT_SECONDS");
    char *end = NULL;
    const double seconds = text && *text ? strtod(text, &end) : 0;

    if (!text || !*text)
        return PROACT_OK;
    if (*end || !(seconds > 0 && seconds <= 1e9))
        return fail(err, PROACT_EINVAL,
                    "PROACT_EFFORT_SECONDS is '%.40s': expected seconds above 0", text);
    p->profile->until_ns = clock_host_ns() + (uint64_t)(seconds * 1e9);
    return PROACT_OK;
}

static bool effort_lifts_budget(const void *session)
{
    const struct proact *p = session;

    return !p->profile->until_ns || clock_host_ns() < p->profile->until_ns;
}

/* The driver does not name links; those with atomics are NVLink. */
static const char *name_links(const struct proact *p)
{
    if (p->devices.count == 1)
        return "";
    if (!p->backend->peer_access(p->set, 0, 1))
        return ", no peer access";
    return p->backend->peer_atomics(p->set, 0, 1) ? ", NVLink" : ", PCIe";
}

static void name_machine(struct proact *p, const struct topology *t)
{
    struct session_profile *s = p->profile;

    snprintf(s->version, sizeof s->version, "%s", PROACT_VERSION);
    if (p->backend->driver_version) {
        const unsigned version = p->backend->driver_version(p->set);

        snprintf(s->machine, sizeof s->machine, "%s%s", t->device.name, name_links(p));
        snprintf(s->driver, sizeof s->driver, "cuda-%u.%u", version / 1000,
                 version % 1000 / 10);
        return;
    }
    char *numbers = topology_print(t);

    snprintf(s->machine, sizeof s->machine, "%s", t->name);
    snprintf(s->driver, sizeof s->driver, "emulated-%08x",
             (unsigned)(hash_text(numbers, 0) >> 32));
    free(numbers);
}

/* A file that exists and is read-only is used without a warning. */
static bool is_read_only(const char *path)
{
    const char *effort = getenv("PROACT_EFFORT");

    return (!effort || !*effort) && access(path, F_OK) == 0 && access(path, W_OK) != 0;
}

enum proact_status session_profile_open(struct proact *p, const struct topology *machine,
                                        const char *path, struct proact_error *err)
{
    struct session_profile *s = must_calloc(1, sizeof *s);
    const char *by_user = getenv("PROACT_PROFILE");
    const bool is_off = by_user && strcmp(by_user, "none") == 0;
    enum proact_status status;

    p->profile = s;
    s->stored = profile_create();
    s->made = profile_create();
    if ((status = read_effort(s, err)) || (status = read_time(p, err)))
        return status;
    if (s->effort != EFFORT_ESTIMATE)
        p->budget.is_lifted = effort_lifts_budget;
    if (!is_off)
        read_defaults(p);
    if (by_user && *by_user && !is_off) {
        s->path = read_optional(p, by_user) && !is_read_only(by_user)
                      ? profile_absolute_path(by_user)
                      : NULL;
    }
    if (path && access(path, F_OK))
        return fail(err, PROACT_EINVAL, "%s: there is no such profile", path);
    if (path && (status = profile_read(path, s->stored, err)))
        return status;
    if (!profile_count(s->stored)) {
        profile_free(s->stored);
        s->stored = NULL;
    }
    name_machine(p, machine);
    return PROACT_OK;
}

void session_profile_close(struct proact *p)
{
    struct session_profile *s = p->profile;

    if (!s)
        return;
    profile_free(s->stored);
    profile_free(s->made);
    for (size_t i = 0; i < s->note_count; i++)
        free(s->notes[i].text);
    free(s->notes);
    free(s->shapes);
    free(s->used);
    free(s->report);
    free(s->path);
    free(s);
    p->profile = NULL;
}

bool session_profile_has_used(const struct proact *p)
{
    return p->profile->used_count > 0;
}

bool session_profile_is_used(const struct proact *p)
{
    return p->profile->stored || p->profile->path || p->profile->lists_shapes;
}

/* Hash of the kernel and of the functions of its module, which it may call. A version for
   distributed arrays has the same text, and another hash. */
static uint64_t text_hash(struct proact_kernel *k)
{
    const struct ptx_module *m = k->image->ptx;
    uint64_t hash = hash_text(k->name, k->direct != NULL);

    if (k->text_hash)
        return k->text_hash;
    for (uint32_t i = 0; i < m->function_count; i++) {
        const struct ptx_function *f = &m->functions[i];

        if (!f->is_entry || strcmp(f->name, k->ptx->name) == 0)
            hash = hash_bytes(m->text + f->span.offset, f->span.bytes, hash);
    }
    return k->text_hash = hash ? hash : 1;
}

struct profile_key session_profile_key(const struct launching *l)
{
    struct proact_kernel *k = l->original ? l->original : l->kernel;
    const struct proact *p = k->session;
    const struct session_profile *s = p->profile;
    struct profile_key key = {.device_count = p->devices.count, .text = text_hash(k)};

    memcpy(key.version, s->version, sizeof key.version);
    memcpy(key.machine, s->machine, sizeof key.machine);
    memcpy(key.driver, s->driver, sizeof key.driver);
    snprintf(key.kernel, sizeof key.kernel, "%s", k->name);
    memcpy(key.grid, l->grid, sizeof key.grid);
    memcpy(key.threads, l->threads, sizeof key.threads);
    if (l->original) {
        key.grid[l->interchanged[0]] = l->grid[l->interchanged[1]];
        key.grid[l->interchanged[1]] = l->grid[l->interchanged[0]];
    }
    for (size_t i = 0; i < l->relocation_count; i++)
        if (!launching_is_again(l, i))
            key.bytes += l->relocations[i].array->bytes;
    return key;
}

const struct profile_entry *session_profile_find(struct proact *p,
                                                 const struct profile_key *key)
{
    struct session_profile *s = p->profile;
    char differs[PROFILE_DIFFERS_BYTES];
    const struct profile_entry *e =
        s->stored ? profile_find(s->stored, key, differs) : NULL;

    if (s->stored && !e && *differs && !key->is_recorded)
        session_profile_note(p, false, "no stored plan for '%.64s': the keys differ in %s",
                             key->kernel, differs);
    return e;
}

const struct profile_entry *session_profile_usable(struct proact *p,
                                                   const struct profile_key *key)
{
    const struct profile_entry *e = session_profile_find(p, key);

    return e && p->budget.is_lifted && !e->is_pinned ? NULL : e;
}

void session_profile_use(struct proact *p, const struct profile_key *key)
{
    struct session_profile *s = p->profile;

    for (size_t i = 0; i < s->used_count; i++)
        if (profile_keys_are_equal(&s->used[i], key))
            return;
    s->used = must_grow(s->used, s->used_count, &s->used_capacity, sizeof *s->used);
    s->used[s->used_count++] = *key;
}

void session_profile_put(struct proact *p, const struct profile_entry *entry)
{
    if (!p->profile->stored)
        p->profile->stored = profile_create();
    struct profile_entry e = *entry;

    e.is_pinned = true; /* used whatever the effort */
    profile_put(p->profile->stored, &e);
}

static void save_made(struct proact *p)
{
    struct session_profile *s = p->profile;
    struct proact_error err = {""};

    if (!s->path || s->has_failed || !profile_save(s->made, s->path, &err))
        return;
    s->has_failed = true;
    session_profile_note(p, true, "the profile is not written: %s", err.text);
}

static void write_date(char out[12])
{
    const time_t now = time(NULL);
    struct tm utc;

    strftime(out, 12, "%Y-%m-%d", gmtime_r(&now, &utc));
}

void session_profile_add(struct proact *p, const struct profile_entry *entry)
{
    struct profile_entry e = *entry;

    if (!p->profile->path)
        return;
    write_date(e.date);
    profile_put(p->profile->made, &e);
    save_made(p);
}

void session_profile_list_shapes(struct proact *p)
{
    p->profile->lists_shapes = true;
}

/* The first line counts, the others are the notes. */
const char *proact_profile_report(struct proact *p, unsigned line, bool *is_warning)
{
    struct session_profile *s = p->profile;
    const unsigned first = s->stored || s->path; /* line of the first note */

    *is_warning = false;
    if (line < first) {
        struct text t = {0};

        text_print(&t, "profile: stored plans used: %llu, launches timed: %llu",
                   (unsigned long long)s->used_count, (unsigned long long)s->timed);
        if (profile_count(s->made) && !s->has_failed)
            text_print(&t, ", plans written to %s: %zu", s->path, profile_count(s->made));
        free(s->report);
        return s->report = t.data;
    }
    if (line - first >= s->note_count)
        return NULL;
    *is_warning = s->notes[line - first].is_warning;
    return s->notes[line - first].text;
}
