/* SPDX-License-Identifier: Apache-2.0 */
/* Stored decisions: a second session of the same program times nothing and decides the
   same, if all keys are equal; a session without its profile file is unaffected. */
#include "runtime/runtime_testing.h"

#include <proact/program.h>
#include <signal.h>
#include <sys/resource.h>
#include <unistd.h>

#include "base/text.h"
#include "runtime/autotune/session_profile.h"
#include "runtime/objects/session.h"

enum { LAUNCHES = 12, KERNELS = 2 };

/* Of choose_split_test.c: the first shape is faster on one device, the second one on all
   four. */
static const struct shape {
    uint32_t ctas, threads, rounds;
} shapes[KERNELS] = {{100, 32, 1}, {1000, 32, 400}};

/* What a session did: a bit per launch, whether it was split. */
struct outcome {
    uint64_t split[KERNELS], timed, used;
    char report[1024];
    unsigned warnings;
};

static struct bench open_bus(unsigned devices, const char *profile)
{
    return testing_open(
        &(struct proact_options){.machine = PROACT_SOURCE "/tests/runtime/bus.json",
                                 .device_count = devices,
                                 .profile = profile,
                                 .plan = {.method = "inline"}});
}

static bool work(struct bench *b, struct proact_kernel *k, struct shape s)
{
    const struct {
        uint64_t out;
        uint32_t n, rounds;
    } block = {1, N, s.rounds};
    const struct proact_relocation relocation = {0, b->out, 0};

    if (proact_launch_buffer(
            k, &(struct proact_grid){.ctas = {s.ctas}, .threads = {s.threads}},
            &(struct proact_parameter_buffer){&block, sizeof block, &relocation, 1},
            &b->err))
        fail_msg("%s", b->err.text);
    return !proact_kernel_refusal(k);
}

static void read_report(struct proact *p, struct outcome *out)
{
    const char *line;
    bool is_warning;

    *out->report = '\0';
    for (unsigned i = 0; (line = proact_profile_report(p, i, &is_warning)); i++) {
        out->warnings += is_warning;
        strncat(out->report, line, sizeof out->report - strlen(out->report) - 2);
        strcat(out->report, "\n");
    }
}

static struct outcome run_over(unsigned launches, unsigned devices, const char *profile)
{
    struct outcome o = {.timed = 0};
    struct bench b = open_bus(devices, profile);
    struct proact_kernel *k = testing_kernel(&b, "works");

    for (unsigned n = 0; n < launches; n++)
        for (unsigned i = 0; i < (n < LAUNCHES ? KERNELS : 1); i++)
            o.split[i] |= (uint64_t)work(&b, k, shapes[i]) << (n < 63 ? n : 63);
    proact_profile_save(b.p);
    o.timed = b.p->profile->timed;
    o.used = b.p->profile->used_count;
    read_report(b.p, &o);
    proact_close(b.p);
    return o;
}

static struct outcome run(unsigned launches)
{
    return run_over(launches, 0, NULL);
}

static void begin(const char *profile)
{
    setenv("XDG_DATA_DIRS", "/nowhere", 1);
    setenv("XDG_DATA_HOME", "/nowhere", 1);
    unsetenv("PROACT_EFFORT");
    setenv("PROACT_PROFILE", profile, 1);
    if (profile[0] != '/')
        unlink(profile);
}

static const uint64_t all = (1ull << LAUNCHES) - 1;

static void a_second_session_times_nothing(void **state)
{
    (void)state;
    begin("profile");
    const struct outcome first = run(LAUNCHES), second = run(LAUNCHES);

    assert_true(first.timed >= 4);
    assert_int_equal(first.used, 0);
    assert_int_equal(first.split[0] >> (LAUNCHES - 1), 0);
    assert_int_equal(first.split[1] >> (LAUNCHES - 1), 1);
    assert_int_equal(second.timed, 0);
    assert_int_equal(second.used, 2);
    assert_true(second.split[0] == 0);
    assert_true(second.split[1] == all);
    assert_string_equal(second.report,
                        "profile: stored plans used: 2, launches timed: 0\n");
    /* Also not after many launches, where a measured decision is probed again. */
    assert_int_equal(run(300).timed, 0);
}

/* Too few launches for a probe: those of a second session are not timed either, but more
   launches are. */
static void an_unfinished_probe_waits_for_more_launches(void **state)
{
    (void)state;
    begin("short");
    const struct outcome first = run(3), second = run(3), third = run(LAUNCHES);

    assert_true(first.timed > 0);
    assert_int_equal(second.timed, 0);
    assert_true(third.timed > 0);
    assert_int_equal(run(LAUNCHES).timed, 0);
}

/* Changes the keys of all entries of a file. */
static void change_keys(struct profile *p, void *context)
{
    void (*const change)(struct profile_key * key) =
        *(void (**)(struct profile_key *))context;

    for (size_t i = profile_count(p); i-- > 0;) {
        struct profile_entry e = *profile_at(p, i);

        e.candidates = NULL;
        e.candidate_count = 0;
        change(&e.key);
        profile_remove(p, i);
        profile_put(p, &e);
    }
}

static void change_version(struct profile_key *key)
{
    strcpy(key->version, "0.0.1");
}

static void change_driver(struct profile_key *key)
{
    strcpy(key->driver, "cuda-13.0");
}

static void change_text(struct profile_key *key)
{
    key->text++;
}

static void change_devices(struct profile_key *key)
{
    key->device_count = 3;
}

static void change_bytes(struct profile_key *key)
{
    key->bytes++;
}

static void a_different_key_is_not_used_and_named(void **state)
{
    static const struct {
        void (*change)(struct profile_key *key);
        const char *wanted;
    } keys[] = {
        {change_version, "the keys differ in version (0.1.0 here, 0.0.1 in the profile)"},
        {change_driver, "the keys differ in driver (emulated-"},
        {change_text, "the keys differ in text ("},
        {change_devices, "the keys differ in devices (4 here, 3 in the profile)"},
        {change_bytes, "the keys differ in bytes (20000 here, 20001 in the profile)"},
    };

    (void)state;
    for (size_t i = 0; i < sizeof keys / sizeof *keys; i++) {
        void (*change)(struct profile_key * key) = keys[i].change;

        begin("changed");
        run(LAUNCHES);
        assert_int_equal(profile_update("changed", change_keys, &change, NULL), PROACT_OK);
        const struct outcome o = run(LAUNCHES);

        assert_true(o.timed >= 4);
        assert_int_equal(o.used, 0);
        if (!strstr(o.report, keys[i].wanted))
            fail_msg("%s", o.report);
        assert_non_null(strstr(o.report, "no stored plan for 'works': "));
        assert_int_equal(o.warnings, 0);
    }
}

static void check_unaffected(const struct outcome *o, const char *warning)
{
    begin("none");
    const struct outcome wanted = run(LAUNCHES);

    assert_int_equal(access("none", F_OK), -1);
    assert_int_equal(wanted.warnings, 0);
    assert_memory_equal(o->split, wanted.split, sizeof wanted.split);
    assert_int_equal(o->timed, wanted.timed);
    assert_int_equal(o->warnings, 1);
    if (!strstr(o->report, warning))
        fail_msg("%s", o->report);
}

static void a_file_that_fails_changes_nothing(void **state)
{
    struct rlimit limit, tiny;
    struct outcome o;

    (void)state;
    begin("no/such/folder/profile");
    o = run(LAUNCHES);
    check_unaffected(&o, "/no/such/folder/profile: cannot be "
                         "written: No such file or directory\n");
    begin("/dev/full");
    o = run(LAUNCHES);
    check_unaffected(&o, "/dev/full: a profile must be a regular file\n");

    begin("malformed");
    assert_int_equal(file_write("malformed", PROFILE_HEADER "\nx\n", 20, NULL), PROACT_OK);
    o = run(LAUNCHES);
    check_unaffected(&o, "the profile is not used: malformed:2: expected 'problem' or "
                         "'candidate', found 'x'\n");

    begin("disk");
    signal(SIGXFSZ, SIG_IGN);
    assert_int_equal(getrlimit(RLIMIT_FSIZE, &limit), 0);
    tiny = limit;
    tiny.rlim_cur = 100;
    assert_int_equal(setrlimit(RLIMIT_FSIZE, &tiny), 0);
    o = run(LAUNCHES);
    assert_int_equal(setrlimit(RLIMIT_FSIZE, &limit), 0);
    check_unaffected(&o, "/disk: cannot be written: File too "
                         "large\n");
}

static void options_of_the_environment_are_checked(void **state)
{
    struct proact *p = NULL;
    struct proact_error err = {""};
    struct proact_options o = {.machine = "v100x4", .profile = "absent"};

    (void)state;
    begin("profile");
    unlink("absent");
    assert_int_equal(proact_open(&o, &p, &err), PROACT_EINVAL);
    assert_string_equal(err.text, "absent: there is no such profile");
    assert_int_equal(file_write("absent", "x", 1, NULL), PROACT_OK);
    assert_int_equal(proact_open(&o, &p, &err), PROACT_EINVAL);
    assert_string_equal(err.text, "absent:1: expected '# proact profile 1', found 'x'");
    setenv("PROACT_EFFORT", "much", 1);
    o.profile = NULL;
    assert_int_equal(proact_open(&o, &p, &err), PROACT_EINVAL);
    assert_string_equal(err.text, "PROACT_EFFORT is 'much': expected estimate, measure or "
                                  "exhaustive");
    assert_null(p);
}

/* Exhaustive: each mode at least three times. */
static void effort_adds_probes(void **state)
{
    const struct profile_entry *e;
    struct profile *p = profile_create();

    (void)state;
    begin("exhaustive");
    setenv("PROACT_EFFORT", "exhaustive", 1);
    assert_true(run(LAUNCHES).timed >= 12);
    assert_int_equal(profile_read("exhaustive", p, NULL), PROACT_OK);
    assert_int_equal(profile_count(p), 2);
    e = profile_at(p, profile_at(p, 0)->key.grid[0] == shapes[0].ctas ? 0 : 1);
    assert_int_equal(e->candidate_count, 2);
    assert_true(e->candidates[0].runs >= 3 && e->candidates[1].runs >= 3);
    assert_true(e->split_ns > e->single_ns && e->single_ns > 0);
    assert_int_equal(e->runs, e->candidates[e->plan.devices == 1].runs);
    profile_free(p);
}

/* The user's files: each replaces entries of those before it. */
static void later_files_win(void **state)
{
    (void)state;
    begin("data/proact/profile");
    assert_int_equal(system("mkdir -p data/proact system/proact"), 0);
    run(LAUNCHES);
    assert_int_equal(system("mv data/proact/profile system/proact/profile"), 0);
    unsetenv("PROACT_PROFILE");
    char folder[4096], path[5000];

    assert_non_null(getcwd(folder, sizeof folder));
    snprintf(path, sizeof path, "%s/system", folder);
    setenv("XDG_DATA_DIRS", path, 1);
    assert_int_equal(run(LAUNCHES).timed, 0);
    setenv("PROACT_PROFILE", "none", 1);
    assert_true(run(LAUNCHES).timed > 0);
    unsetenv("PROACT_PROFILE");
    setenv("XDG_DATA_DIRS", "/nowhere", 1);
    assert_true(run(LAUNCHES).timed > 0);
    assert_int_equal(run_over(LAUNCHES, 0, "system/proact/profile").timed, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_second_session_times_nothing),
        cmocka_unit_test(an_unfinished_probe_waits_for_more_launches),
        cmocka_unit_test(a_different_key_is_not_used_and_named),
        cmocka_unit_test(a_file_that_fails_changes_nothing),
        cmocka_unit_test(options_of_the_environment_are_checked),
        cmocka_unit_test(effort_adds_probes),
        cmocka_unit_test(later_files_win),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
