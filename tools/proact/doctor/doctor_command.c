/* SPDX-License-Identifier: Apache-2.0 */
#include <proact/proact.h>
#include <stdio.h>
#include <string.h>

#include "command.h"
#include "doctor/doctor.h"
#include "runtime/session/runtime_machine.h"

static const char help[] =
    "Usage: proact doctor\n"
    "\n"
    "Check what programs need on this computer. Each line is ok, a note, or a problem "
    "with a\n"
    "remedy. A problem prevents programs from running on the GPUs of this computer. A\n"
    "computer without GPUs has no problem: programs run on emulated GPUs. The command "
    "changes\n"
    "nothing and takes a second or two.\n"
    "\n"
    "Examples:\n"
    "  proact doctor\n"
    "\n"
    "  -h, --help  print this text\n"
    "\n"
    "Exit status: 0 no problem, 1 at least one. docs/hardware.md explains each line.\n";

/* The checks in the order of their dependence. */
static const struct {
    void (*check)(struct doctor *d);
    bool takes_devices;
} checks[] = {
    {doctor_driver, false},   {doctor_devices, true},    {doctor_mode, true},
    {doctor_peers, true},     {doctor_multicast, true},  {doctor_modules, true},
    {doctor_queues, true},    {doctor_launches, true},   {doctor_work, true},
    {doctor_session, true},   {doctor_compilers, false}, {doctor_machines, false},
    {doctor_emulator, false},
};

static void conclude(const struct doctor *d)
{
    unsigned problems = d->reported[DOCTOR_PROBLEM];

    if (problems)
        printf("\n%u problem%s. ", problems, problems == 1 ? "" : "s");
    else
        printf("\nNo problem. ");
    if (d->opens)
        printf("Programs run on the GPUs of this box.\n");
    else
        printf("Programs run on emulated GPUs: %s, or --machine NAME.\n",
               RUNTIME_MACHINE_DEFAULT);
}

int command_doctor(int argc, char **argv)
{
    struct doctor d = {.opens = false};

    if (argc > 1 && strcmp(argv[1], "--help") != 0 && strcmp(argv[1], "-h") != 0)
        return usage_error("doctor", "%s takes no argument, found '%s'", argv[0], argv[1]);
    if (argc > 1) {
        fputs(help, stdout);
        return EXIT_FINE;
    }
    d.surveyed = cuda_survey(&d.survey, &d.why);
    for (size_t i = 0; i < sizeof checks / sizeof checks[0]; i++)
        if (!checks[i].takes_devices || d.survey.count)
            checks[i].check(&d);
    conclude(&d);
    return d.reported[DOCTOR_PROBLEM] ? EXIT_FAILED : EXIT_FINE;
}
