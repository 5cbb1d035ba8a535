/* SPDX-License-Identifier: Apache-2.0 */
#include <errno.h>
#include <string.h>
#include <unistd.h>

#include "base/fail.h"
#include "base/text.h"
#include "command.h"
#include "run_options.h"
#include "run_report.h"
#include "runtime/runtime_machine.h"

/* Better now than after minutes of work. */
static enum proact_status check_folder(const char *path, struct proact_error *err)
{
    struct text folder = {0};
    const char *slash = path ? strrchr(path, '/') : NULL;

    if (!path)
        return PROACT_OK;
    if (slash)
        text_add(&folder, path, (size_t)(slash - path) + 1);
    enum proact_status status = PROACT_OK;

    if (access(slash ? folder.data : ".", W_OK) != 0)
        status =
            fail(err, PROACT_EINVAL, "%s: cannot be written: %s", path, strerror(errno));
    text_clear(&folder);
    return status;
}

static enum proact_status run_application(const struct run_application *application,
                                          const struct run_request *request,
                                          const struct topology *topology, bool *differs,
                                          struct proact_error *err)
{
    struct run_study study = {0};
    void *work;
    enum proact_status status = application->open(request, &work, err);

    if (status)
        return status;
    if (!(status = run_study_make(application, work, request, topology, &study, err))) {
        const struct run_report report = {application, work, request, topology, &study};

        run_report_print(&report, stdout);
        *differs = run_study_differs(&study);
        if (request->json)
            status = run_report_write(&report, request->json, err);
    }
    run_study_clear(&study);
    application->close(work);
    return status;
}

/* A name that no machine has, rather than a machine that fails. */
static bool is_mistaken(const char *machine)
{
    return machine && strcmp(machine, PROACT_MACHINE_HERE) != 0 &&
           !topology_is_known(machine);
}

static int run_request(const struct run_application *application,
                       struct run_request *request)
{
    struct proact_error err = {""};
    const struct device_backend *backend;
    struct topology topology;
    bool differs = false;

    if (runtime_machine(request->machine, &topology, &backend, &err))
        return is_mistaken(request->machine) ? say_usage("run", "%s", err.text)
                                             : say_failure(&err);
    if (topology_restrict(&topology, request->devices, &err))
        return say_usage("run", "--devices: %s", err.text);
    if (check_folder(request->json, &err) ||
        run_application(application, request, &topology, &differs, &err))
        return say_failure(&err);
    return differs ? EXIT_DIFFERS : EXIT_FINE;
}

int command_run(int argc, char **argv)
{
    const struct run_application *application = NULL;
    struct run_request request = {0};
    struct run_words *words;
    bool help = false;
    int code = run_options_parse(argc, argv, &words, &application, &request, &help);

    if (!code && help)
        run_options_help(stdout);
    else if (!code)
        code = run_request(application, &request);
    run_options_destroy(words);
    return code;
}
