/* SPDX-License-Identifier: Apache-2.0 */
/* Profiles: what is written is read back, damage is found, and nothing is lost. */
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/text.h"
#include "plan/profile.h"

static struct profile_entry entry_of(unsigned number)
{
    struct profile_entry e = {
        .key = {.version = "0.1.0",
                .machine = "v100x4",
                .driver = "emulated-01234567",
                .device_count = 4,
                .kernel = "_Z6smoothPf, 100% \xc3\xa4",
                .text = 0x0123456789abcdef,
                .grid = {64, 2, 1},
                .threads = {256, 1, 1},
                .bytes = 8388608 + number},
        .plan = {.devices = 4, .method = "fused", .chunk_first = 65536, .threads = 8192},
        .predicted_ns = 11000,
        .measured_ns = 12345,
        .spread_ns = 120,
        .split_ns = 12345,
        .single_ns = 30000,
        .runs = 3,
        .date = "2026-11-29"};

    return e;
}

static struct profile *profile_of_two(void)
{
    struct profile *p = profile_create();
    struct profile_entry e = entry_of(0), other = entry_of(1);
    struct profile_candidate candidates[] = {
        {.plan = e.plan, .measured_ns = 12345, .runs = 3, .reason = PROFILE_TIMED},
        {.plan = {.devices = 4, .method = "bulk"},
         .predicted_ns = 40000,
         .reason = PROFILE_PREDICTED},
        {.plan = {.devices = 4, .method = "hardware"}, .reason = PROFILE_UNSUPPORTED}};

    e.candidates = candidates;
    e.candidate_count = 3;
    other.plan = (struct plan){.devices = 0};
    other.is_pinned = true;
    assert_true(profile_put(p, &e));
    assert_true(profile_put(p, &other));
    return p;
}

static struct text text_of(const struct profile *p)
{
    struct text t = {0};

    profile_print(p, &t);
    return t;
}

static void everything_is_read_back(void **state)
{
    struct profile *p = profile_of_two(), *again = profile_create();
    struct text first = text_of(p), second;
    const struct profile_key key = entry_of(0).key;

    (void)state;
    assert_int_equal(profile_parse("f", first.data, first.length, again, NULL), PROACT_OK);
    second = text_of(again);
    assert_string_equal(first.data, second.data);
    assert_string_equal(profile_at(again, 0)->key.kernel, key.kernel);
    assert_non_null(strstr(first.data, " kernel=_Z6smoothPf,%20100%25%20%C3%A4 "));

    const struct profile_entry *found = profile_find(again, &key, NULL);

    assert_non_null(found);
    assert_int_equal(found->candidate_count, 3);
    assert_int_equal(found->candidates[1].reason, PROFILE_PREDICTED);
    assert_string_equal(found->candidates[1].plan.method, "bulk");
    /* Without the last newline, and without anything. */
    assert_int_equal(profile_parse("f", first.data, first.length - 1, again, NULL),
                     PROACT_OK);
    assert_int_equal(profile_parse("f", "", 0, again, NULL), PROACT_OK);
    text_clear(&first);
    text_clear(&second);
    profile_free(p);
    profile_free(again);
}

/* Parses damaged text. Rejected with a line number, or each entry equals one of the
   original. */
static bool is_harmless(const struct profile *original, const char *data, size_t bytes)
{
    struct profile *p = profile_create();
    struct proact_error err = {""};
    bool fine = true;

    if (profile_parse("file", data, bytes, p, &err)) {
        fine = strncmp(err.text, "file:", 5) == 0 && err.text[5] >= '1' &&
               err.text[5] <= '6' && err.text[6] == ':' && profile_count(p) == 0;
    } else {
        struct text all = text_of(original), mine = text_of(p);

        fine = strncmp(all.data, mine.data, mine.length) == 0;
        text_clear(&all);
        text_clear(&mine);
    }
    profile_free(p);
    return fine;
}

static void each_byte_is_protected(void **state)
{
    static const char others[] = {'\n', '0', ' ', '\0', '#', '\xff'};
    struct profile *p = profile_of_two();
    struct text t = text_of(p);

    (void)state;
    for (size_t at = 0; at < t.length; at++) {
        const char was = t.data[at];

        assert_true(is_harmless(p, t.data, at));
        for (size_t i = 0; i < sizeof others + 8; i++) {
            /* Each bit, then others. */
            t.data[at] =
                (char)(i < 8 ? (unsigned char)was ^ 1u << i : (unsigned char)others[i - 8]);
            if (!is_harmless(p, t.data, t.length))
                fail_msg("byte %zu changed from '%c' to '%c'", at, was, t.data[at]);
        }
        t.data[at] = was;
    }
    text_clear(&t);
    profile_free(p);
}

static void check_message(const char *data, const char *wanted)
{
    struct profile *p = profile_create();
    struct proact_error err = {""};

    assert_int_equal(profile_parse("p", data, strlen(data), p, &err), PROACT_EINVAL);
    assert_string_equal(err.text, wanted);
    profile_free(p);
}

static void a_message_names_line_and_field(void **state)
{
    (void)state;
    check_message("problem\n", "p:1: expected '# proact profile 1', found 'problem'");
    check_message("# proact profile 2\n",
                  "p:1: expected '# proact profile 1', found '# proact profile 2'");
    check_message(PROFILE_HEADER "\n\n",
                  "p:2: expected 'problem' or 'candidate', found ''");
    check_message(PROFILE_HEADER "\nproblem version=0.1.0\n",
                  "p:2: the line does not end with a checksum, 'sum=' and 8 digits");
    check_message(PROFILE_HEADER "\nproblem version=0.1.0 sum=00000000\n",
                  "p:2: the line was changed: its checksum is 5e6465e3, not 00000000");
    check_message(PROFILE_HEADER "\ncandidate x\n",
                  "p:2: a candidate without a problem before it");
}

static void a_difference_is_named(void **state)
{
    struct profile *p = profile_of_two();
    struct profile_key key = entry_of(0).key;
    char differs[PROFILE_DIFFERS_BYTES];

    (void)state;
    assert_non_null(profile_find(p, &key, differs));
    key.bytes = 5;
    assert_null(profile_find(p, &key, differs));
    assert_string_equal(differs, "bytes (5 here, 8388608 in the profile)");
    key.grid[1] = 7; /* the first difference counts */
    profile_find(p, &key, differs);
    assert_string_equal(differs, "grid (64,7,1 here, 64,2,1 in the profile)");
    key.text++; /* another text, but a kernel of that name */
    profile_find(p, &key, differs);
    assert_string_equal(differs,
                        "text (0123456789abcdf0 here, 0123456789abcdef in the profile)");
    key.device_count = 2;
    profile_find(p, &key, differs);
    assert_string_equal(differs, "devices (2 here, 4 in the profile)");
    strcpy(key.driver, "cuda-13.0");
    profile_find(p, &key, differs);
    assert_string_equal(differs,
                        "driver (cuda-13.0 here, emulated-01234567 in the profile)");
    strcpy(key.machine, "h200x4");
    profile_find(p, &key, differs);
    assert_string_equal(differs, "machine (h200x4 here, v100x4 in the profile)");
    strcpy(key.version, "9");
    profile_find(p, &key, differs);
    assert_string_equal(differs, "version (9 here, 0.1.0 in the profile)");
    strcpy(key.kernel, "other");
    profile_find(p, &key, differs);
    assert_string_equal(differs, "");
    key = entry_of(0).key;
    key.is_recorded = true;
    profile_find(p, &key, differs);
    assert_string_equal(differs, "recorded (1 here, 0 in the profile)");
    profile_free(p);
}

static void a_pinned_entry_stays(void **state)
{
    struct profile *p = profile_of_two();
    struct profile_entry e = entry_of(1), undecided = entry_of(0);

    (void)state;
    assert_false(profile_put(p, &e));
    e.is_pinned = true;
    assert_true(profile_put(p, &e));
    undecided.measured_ns = 0; /* predicted */
    assert_false(profile_put(p, &undecided));
    undecided.predicted_ns = 0;
    assert_false(profile_put(p, &undecided));
    assert_int_equal(profile_count(p), 2);
    profile_remove(p, 0);
    assert_int_equal(profile_count(p), 1);
    assert_true(profile_put(p, &undecided));
    profile_free(p);
}

enum { PROCESSES = 2, SAVES = 40 };

static void save_many(unsigned process)
{
    for (unsigned i = 0; i < SAVES; i++) {
        struct profile *p = profile_create();
        const struct profile_entry e = entry_of(process * SAVES + i);

        profile_put(p, &e);
        if (profile_save(p, "shared", NULL))
            _exit(1);
        profile_free(p);
    }
    _exit(0);
}

static void two_processes_lose_nothing(void **state)
{
    struct profile *p = profile_create();
    pid_t child[PROCESSES];

    (void)state;
    unlink("shared");
    for (unsigned i = 0; i < PROCESSES; i++)
        if (!(child[i] = fork()))
            save_many(i);
    for (unsigned i = 0; i < PROCESSES; i++) {
        int status;

        assert_int_equal(waitpid(child[i], &status, 0), child[i]);
        assert_int_equal(status, 0);
    }
    assert_int_equal(profile_read("shared", p, NULL), PROACT_OK);
    assert_int_equal(profile_count(p), PROCESSES * SAVES);
    profile_free(p);
}

static struct text file_text(const char *path)
{
    struct text t = {0};

    assert_int_equal(file_read(path, &t.data, &t.length, NULL), PROACT_OK);
    return t;
}

static void a_failed_update_changes_nothing(void **state)
{
    struct profile *p = profile_of_two();
    struct proact_error err = {""};
    struct text before, after;
    struct rlimit limit, tiny;

    (void)state;
    unlink("small");
    assert_int_equal(profile_save(p, "small", &err), PROACT_OK);
    before = file_text("small");
    profile_put(p, &(struct profile_entry){.key = {.bytes = 1}, .date = "2026-01-01"});
    signal(SIGXFSZ, SIG_IGN);
    assert_int_equal(getrlimit(RLIMIT_FSIZE, &limit), 0);
    tiny = limit;
    tiny.rlim_cur = 100; /* a full disk */
    assert_int_equal(setrlimit(RLIMIT_FSIZE, &tiny), 0);
    assert_int_equal(profile_save(p, "small", &err), PROACT_EINVAL);
    assert_int_equal(setrlimit(RLIMIT_FSIZE, &limit), 0);
    after = file_text("small");
    assert_string_equal(before.data, after.data);
    text_clear(&after);

    /* Not a profile: neither read nor replaced. */
    assert_int_equal(file_write("small", "other\n", 6, NULL), PROACT_OK);
    assert_int_equal(profile_save(p, "small", &err), PROACT_EINVAL);
    assert_string_equal(err.text, "small:1: expected '# proact profile 1', found 'other'");
    after = file_text("small");
    assert_string_equal(after.data, "other\n");
    assert_int_equal(profile_save(p, "no/such/folder", &err), PROACT_EINVAL);
    assert_string_equal(err.text, "no/such/folder: cannot be written: No such file or "
                                  "directory");
    assert_int_equal(profile_save(p, "/dev/full", &err), PROACT_EINVAL);
    assert_string_equal(err.text, "/dev/full: a profile must be a regular file");
    assert_int_equal(profile_read("no/such/folder", p, &err), PROACT_OK);
    text_clear(&before);
    text_clear(&after);
    profile_free(p);
}

static void folders_are_those_of_xdg(void **state)
{
    (void)state;
    setenv("XDG_DATA_DIRS", "/a:relative::/b", 1);
    setenv("XDG_DATA_HOME", "/home", 1);
    char **paths = profile_default_paths();

    assert_string_equal(paths[0], "/b/proact/profile");
    assert_string_equal(paths[1], "/a/proact/profile");
    assert_string_equal(paths[2], "/home/proact/profile");
    assert_null(paths[3]);
    for (size_t i = 0; paths[i]; i++)
        free(paths[i]);
    free(paths);
    setenv("XDG_DATA_HOME", "relative", 1);
    setenv("HOME", "/me", 1);
    char *path = profile_user_path();

    assert_string_equal(path, "/me/.local/share/proact/profile");
    free(path);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(everything_is_read_back),
        cmocka_unit_test(each_byte_is_protected),
        cmocka_unit_test(a_message_names_line_and_field),
        cmocka_unit_test(a_difference_is_named),
        cmocka_unit_test(a_pinned_entry_stays),
        cmocka_unit_test(two_processes_lose_nothing),
        cmocka_unit_test(a_failed_update_changes_nothing),
        cmocka_unit_test(folders_are_those_of_xdg),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
