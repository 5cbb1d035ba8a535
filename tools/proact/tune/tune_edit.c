/* SPDX-License-Identifier: Apache-2.0 */
/* `proact tune forget`, `merge` and `check`. */
#include <proact/proact.h>
#include <stdio.h>
#include <string.h>

#include "base/fail.h"
#include "check_words.h"
#include "command.h"
#include "tune/tune.h"
#include "tune/tune_options.h"

struct forgetting {
    char **shapes; /* NULL: all */
    size_t removed;
};

static bool is_forgotten(const struct forgetting *f, const struct profile_key *key)
{
    for (char **shape = f->shapes; shape && *shape; shape++)
        if (tune_shape_fits(*shape, key))
            return true;
    return !f->shapes;
}

static void forget_entries(struct profile *p, void *context)
{
    struct forgetting *f = context;

    for (size_t i = profile_count(p); i-- > 0;)
        if (is_forgotten(f, &profile_at(p, i)->key)) {
            profile_remove(p, i);
            f->removed++;
        }
}

/* Each shape must exist, so that a mistyped one removes nothing. */
static int check_shapes(char **shapes, const char *path, const struct profile *p)
{
    for (char **shape = shapes; *shape; shape++) {
        size_t i = 0;

        while (i < profile_count(p) && !tune_shape_fits(*shape, &profile_at(p, i)->key))
            i++;
        if (i == profile_count(p))
            return tune_shape_missing(*shape, path, p);
    }
    return EXIT_FINE;
}

static int edit_forget(const struct tune_options *o)
{
    struct forgetting f = {.shapes = o->all ? NULL : o->words};
    struct proact_error err = {""};
    struct profile *p = NULL;
    int code;

    if (!o->all == !o->count)
        return usage_error("tune", "forget needs shapes, or --all");
    code = tune_read(o->path, &p);
    if (!code && !o->all)
        code = check_shapes(o->words, o->path, p);
    profile_free(p);
    if (code)
        return code;
    if (profile_update(o->path, forget_entries, &f, &err))
        return failure_exit(&err);
    printf("%s: entries removed: %zu\n", o->path, f.removed);
    return EXIT_FINE;
}

int tune_forget(int argc, char **argv)
{
    struct tune_options o;
    bool is_done;
    int code = tune_options_parse(argc, argv, "all", &o, &is_done);

    if (!code && !is_done)
        code = edit_forget(&o);
    tune_options_clear(&o);
    return code;
}

/* All files are read before one is written. */
static int edit_merge(const struct tune_options *o)
{
    struct proact_error err = {""};
    struct profile *all = profile_create();
    int code = EXIT_FINE;

    if (!o->count)
        code = usage_error("tune", "merge needs the files whose entries are added");
    for (int i = 0; i < o->count && !code; i++) {
        struct profile *p;

        code = tune_read(o->words[i], &p);
        for (size_t n = 0; n < profile_count(p) && !code; n++)
            profile_put(all, profile_at(p, n));
        profile_free(p);
    }
    if (!code && ((!o->profile && create_folders(o->path, &err)) ||
                  profile_save(all, o->path, &err)))
        code = failure_exit(&err);
    if (!code)
        printf("%s: entries merged: %zu\n", o->path, profile_count(all));
    profile_free(all);
    return code;
}

int tune_merge(int argc, char **argv)
{
    struct tune_options o;
    bool is_done;
    int code = tune_options_parse(argc, argv, NULL, &o, &is_done);

    if (!code && !is_done)
        code = edit_merge(&o);
    tune_options_clear(&o);
    return code;
}

static int edit_check_file(const char *path)
{
    struct profile *p;
    size_t candidates = 0, pinned = 0, others = 0;
    const int code = tune_read(path, &p);

    for (size_t i = 0; i < profile_count(p); i++) {
        const struct profile_entry *e = profile_at(p, i);

        candidates += e->candidate_count;
        pinned += e->is_pinned;
        others += strcmp(e->key.version, PROACT_VERSION) != 0;
    }
    if (!code)
        printf(
            "%s: entries: %zu, candidates: %zu, pinned: %zu, of other versions of proact "
            "and not used: %zu\n",
            path, profile_count(p), candidates, pinned, others);
    profile_free(p);
    return code;
}

int tune_check(int argc, char **argv)
{
    struct tune_options o;
    bool is_done;
    int code = tune_options_parse(argc, argv, NULL, &o, &is_done);

    for (int i = 0; i < o.count && !code && !is_done; i++)
        code = edit_check_file(o.words[i]);
    if (!o.count && !code && !is_done)
        code = edit_check_file(o.path);
    tune_options_clear(&o);
    return code;
}
