/* SPDX-License-Identifier: Apache-2.0 */
/* Files and launch shapes on the command line of `proact tune`. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "analyze/analyze_kernel.h"
#include "base/fail.h"
#include "base/memory.h"
#include "command.h"
#include "tune/tune.h"

int tune_path(const char *option, char **out)
{
    const char *by_user = option ? option : getenv("PROACT_PROFILE");

    if (by_user && *by_user && strcmp(by_user, "none") != 0)
        *out = must_strdup(by_user);
    else
        *out = profile_user_path();
    if (*out)
        return EXIT_FINE;
    return usage_error("tune", "no profile: none of --profile, PROACT_PROFILE, "
                               "XDG_DATA_HOME and HOME names one");
}

int tune_read(const char *path, struct profile **out)
{
    struct proact_error err = {""};
    struct profile *p = profile_create();
    enum proact_status status = PROACT_OK;

    if (access(path, F_OK))
        status = fail(&err, PROACT_EINVAL, "%s: %s", path, strerror(errno));
    if (!status)
        status = profile_read(path, p, &err);
    *out = p;
    return status ? failure_exit(&err) : EXIT_FINE;
}

/* Name of the kernel in the source, without its parameters: "smooth" of
   "_Z6smoothiPKfPf". The mangled one if it is not known. */
static void shape_kernel(const char *kernel, char out[TUNE_SHAPE_BYTES])
{
    char *plain = analyze_plain_name(kernel);
    const char *from = plain ? plain : kernel;

    if (strncmp(from, "void ", 5) == 0) /* of templates */
        from += 5;
    snprintf(out, TUNE_SHAPE_BYTES, "%.*s", (int)strcspn(from, "("), from);
    if (!*out || strchr(out, '/'))
        snprintf(out, TUNE_SHAPE_BYTES, "%s", kernel);
    free(plain);
}

static void shape_print(const char *kernel, const struct profile_key *key,
                        char out[TUNE_SHAPE_BYTES])
{
    snprintf(out, TUNE_SHAPE_BYTES, "%.160s/%u,%u,%u/%llu%s", kernel, key->grid[0],
             key->grid[1], key->grid[2], (unsigned long long)key->bytes,
             key->is_recorded ? "/recorded" : "");
}

void tune_shape(const struct profile_key *key, char out[TUNE_SHAPE_BYTES])
{
    char kernel[TUNE_SHAPE_BYTES];

    shape_kernel(key->kernel, kernel);
    shape_print(kernel, key, out);
}

static bool shape_begins(const char *name, const char *shape)
{
    const size_t length = strlen(shape);

    return strncmp(name, shape, length) == 0 && (!name[length] || name[length] == '/');
}

bool tune_shape_fits(const char *shape, const struct profile_key *key)
{
    char plain[TUNE_SHAPE_BYTES], mangled[TUNE_SHAPE_BYTES];

    tune_shape(key, plain);
    shape_print(key->kernel, key, mangled);
    return shape_begins(plain, shape) || shape_begins(mangled, shape);
}

int tune_shape_missing(const char *shape, const char *path, const struct profile *p)
{
    enum { LISTED = 8 };
    char name[TUNE_SHAPE_BYTES];

    fprintf(stderr, "proact: %s: no shape '%s'%s\n", path, shape,
            profile_count(p) ? "; it has" : "; it is empty");
    for (size_t i = 0; i < profile_count(p) && i < LISTED; i++) {
        tune_shape(&profile_at(p, i)->key, name);
        fprintf(stderr, "  %s\n", name);
    }
    if (profile_count(p) > LISTED)
        fprintf(stderr, "  and %zu more\n", profile_count(p) - LISTED);
    return EXIT_FAILED;
}
