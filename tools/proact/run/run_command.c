/* SPDX-License-Identifier: Apache-2.0 */
#include <unistd.h>

#include "base/fail.h"
#include "check_words.h"
#include "command.h"
#include "run/run_chart.h"
#include "run/run_options.h"
#include "run/run_plot.h"
#include "run/run_report.h"
#include "run/run_single.h"

/* The report of a study on stdout and in the requested files. */
static enum proact_status report_study(const struct run_report *report,
                                       struct proact_error *err)
{
    const struct run_request *request = report->request;
    enum proact_status status = PROACT_OK;

    run_report_print(report, stdout);
    if (request->chart || isatty(STDOUT_FILENO)) {
        const struct run_chart chart = run_chart_for_stdout();

        run_chart_print(report, &chart, stdout);
    }
    if (request->json)
        status = run_report_write(report, request->json, err);
    if (!status && request->plot)
        status = run_plot_write(report, request->plot, err);
    return status;
}

static enum proact_status compare_methods(const struct run_application *application,
                                          void *work, const struct run_request *request,
                                          const struct topology *topology, bool *differs,
                                          struct proact_error *err)
{
    struct run_study study = {0};
    enum proact_status status =
        run_study_make(application, work, request, topology, &study, err);

    if (!status) {
        const struct run_report report = {application, work, request, topology, &study};

        *differs = run_study_differs(&study);
        status = report_study(&report, err);
    }
    run_study_clear(&study);
    return status;
}

static enum proact_status run_application(const struct run_application *application,
                                          const struct run_request *request,
                                          const struct topology *topology, bool *differs,
                                          struct proact_error *err)
{
    void *work;
    enum proact_status status = application->open(request, &work, err);

    if (status)
        return status;
    if (request->compare && application->runs_on_host && application->runs_on_host(work)) {
        application->close(work);
        return fail(err, PROACT_EREFUSED,
                    "%s runs on the host here, so there are no methods to compare",
                    application->name);
    }
    status = (request->compare ? compare_methods : run_single)(application, work, request,
                                                               topology, differs, err);
    application->close(work);
    return status;
}

static int run_request(const struct run_application *application,
                       struct run_request *request)
{
    struct proact_error err = {""};
    struct topology topology;
    bool differs = false;
    int code = check_machine("run", request->machine, request->devices, &topology);

    if (code)
        return code;
    if (check_folder(request->json, &err) || check_folder(request->plot, &err) ||
        check_folder(request->log, &err) || check_folder(request->checkpoint, &err) ||
        check_file_or_folder(request->output, &err) ||
        run_application(application, request, &topology, &differs, &err))
        return failure_exit(&err);
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
        run_options_help(application, stdout);
    else if (!code)
        code = run_request(application, &request);
    run_options_destroy(words);
    return code;
}
