/* SPDX-License-Identifier: Apache-2.0 */
/* Runs every backend against the device contract. `contract_test NAME` runs a single
   backend. */
#include "device/contract.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#define LENGTH(a) (sizeof(a) / sizeof *(a))

/* Limit of device-side waits in the backend's time; long enough for every wait that
   ends. */
static const double wait_limit_ms = 600; /* a busy computer may delay a stream */
enum {
    SECONDS = 240, /* limit of a promise on hardware; then its process is killed */
    PROMISES_MAX = 192
};

static const struct contract_keeper keepers[] = {
    {.name = "emulator", .backend = &device_emulator},
    {.name = "emulator-check", .backend = &device_emulator, .checks = true},
    {.name = "cuda", .backend = &device_cuda},
};

static const struct contract_promise *const groups[] = {
    contract_memory,  contract_rows,        contract_streams,  contract_launch,
    contract_batch,   contract_graphs,      contract_watch,    contract_faults,
    contract_interop, contract_parts,       contract_clusters, contract_repeats,
    contract_texels,  contract_lazy_devices};

struct trial {
    const struct contract_keeper *keeper;
    const struct contract_promise *promise;
};

static void try_promise(void **state)
{
    const struct trial *t = *state;
    struct contract c;

    contract_open(&c, t->keeper, 1, wait_limit_ms);
    if (t->promise->peers && c.count < 2) {
        contract_close(&c);
        skip();
    }
    t->promise->test(&c);
    contract_close(&c);
}

static int run_promises(const struct contract_keeper *keeper)
{
    struct CMUnitTest tests[PROMISES_MAX] = {{0}};
    struct trial trials[PROMISES_MAX];
    size_t count = 0;

    for (size_t i = 0; i < LENGTH(groups); i++)
        for (const struct contract_promise *p = groups[i]; p->name; p++, count++) {
            assert_true(count < PROMISES_MAX);
            trials[count] = (struct trial){.keeper = keeper, .promise = p};
            tests[count].name = p->name;
            tests[count].test_func = try_promise;
            tests[count].initial_state = &trials[count];
        }
    return _cmocka_run_group_tests(keeper->name, tests, count, NULL, NULL);
}

static int run_one(const struct trial *t)
{
    const struct CMUnitTest test = {.name = t->promise->name,
                                    .test_func = try_promise,
                                    .initial_state = (void *)(uintptr_t)t};

    alarm(SECONDS);
    return _cmocka_run_group_tests(t->keeper->name, &test, 1, NULL, NULL);
}

static int look_for_devices(const struct trial *t)
{
    struct topology found;

    return t->keeper->backend->find(&found, NULL) != PROACT_OK;
}

/* Runs in a separate process, which must not have used the driver before. */
static int run_apart(int (*run)(const struct trial *t), const struct trial *t)
{
    fflush(stdout);
    pid_t child = fork();
    int status = 0;

    if (child == 0)
        exit(run(t));
    if (child < 0 || waitpid(child, &status, 0) < 0)
        return 1;
    return WIFEXITED(status) ? WEXITSTATUS(status) : 1;
}

/* After a fault, hardware is unusable for the process: every promise has its own. */
static int run_promises_apart(const struct contract_keeper *keeper, const char *only)
{
    int failed = 0;

    for (size_t i = 0; i < LENGTH(groups); i++)
        for (const struct contract_promise *p = groups[i]; p->name; p++)
            if ((!only || strstr(p->name, only)) &&
                run_apart(run_one, &(struct trial){.keeper = keeper, .promise = p})) {
                printf("%s: broken: %s\n", keeper->name, p->name);
                failed++;
            }
    printf("%s: %d promises broken\n", keeper->name, failed);
    return failed;
}

static bool is_here(const struct contract_keeper *keeper)
{
    const struct trial t = {.keeper = keeper};

    return !keeper->backend->find || !run_apart(look_for_devices, &t);
}

int main(int argc, char **argv)
{
    int failed = 0;
    bool ran = false;

    for (size_t i = 0; i < LENGTH(keepers); i++) {
        if ((argc > 1 && strcmp(argv[1], keepers[i].name)) || !is_here(&keepers[i]))
            continue;
        failed += keepers[i].backend->find
                      ? run_promises_apart(&keepers[i], argc > 2 ? argv[2] : NULL)
                      : run_promises(&keepers[i]);
        ran = true;
    }
    if (!ran)
        puts("no such keeper here: skipped");
    return ran ? failed : 77;
}
