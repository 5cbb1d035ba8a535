/* SPDX-License-Identifier: Apache-2.0 */
/* The driver and its environment variables. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "doctor/doctor.h"
#include "transfer/transfer.h"

/* Streams of a device: the transfer streams, one to release waits after an error, one for
   graphs, and two for the copies of each kernel with copy-engine. */
enum { STREAMS = TRANSFER_LANES + 4 };

/* Advice for a result of cuInit(). */
static const char *advice_for(int refused)
{
    static const struct {
        int result;
        const char *advice;
    } rows[] = {
        {3, "the driver is shutting down: check `dmesg | grep -i nvrm`"},
        {34, "the stub library of the toolkit was loaded instead of the driver: "
             "remove it from LD_LIBRARY_PATH"},
        {101, "CUDA_VISIBLE_DEVICES names devices that do not exist: unset it"},
        {802, "start nvidia-fabricmanager of the same version as the driver, and check "
              "`nvidia-smi -q | grep -A2 Fabric`"},
        {803, "driver library and kernel module differ in version: restart the computer"},
        {804, "this GPU supports no compatibility package: install a newer driver"},
    };

    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++)
        if (rows[i].result == refused)
            return rows[i].advice;
    return "check `nvidia-smi` and `dmesg | grep -i nvrm`, and restart the computer";
}

/* A driver without devices: hidden by the environment, or not accessible. */
static void doctor_report_no_device(struct doctor *d)
{
    static const char node[] = "/dev/nvidiactl";
    const char *visible = getenv("CUDA_VISIBLE_DEVICES");

    if (visible)
        doctor_report(d, DOCTOR_NOTE, "driver",
                      "to use GPUs, unset it; until then programs run on emulated GPUs",
                      "the driver reports no device, and CUDA_VISIBLE_DEVICES is '%s'",
                      visible);
    else if (access(node, F_OK) == 0 && access(node, R_OK | W_OK) != 0)
        doctor_report(d, DOCTOR_PROBLEM, "driver",
                      "request access to /dev/nvidia*, often through the group video",
                      "%s cannot be opened: %s", node, strerror(errno));
    else
        doctor_report(d, DOCTOR_NOTE, "driver",
                      "in a container, pass the GPUs in (--gpus all); until then "
                      "programs run on emulated GPUs",
                      "%s", d->why.text);
}

void doctor_driver(struct doctor *d)
{
    const struct cuda_survey *s = &d->survey;
    unsigned ptx = cuda_survey_ptx(s->version);

    if (s->is_absent)
        doctor_report(d, DOCTOR_NOTE, "driver", NULL,
                      "there is no CUDA driver: programs run on emulated GPUs");
    else if (!s->is_loaded)
        doctor_report(d, DOCTOR_PROBLEM, "driver",
                      "install an NVIDIA driver of 515 or later", "%s", d->why.text);
    else if (s->refused == 100 || (!d->surveyed && !s->count))
        doctor_report_no_device(d);
    else if (d->surveyed)
        doctor_report(d, DOCTOR_PROBLEM, "driver", advice_for(s->refused), "%s",
                      d->why.text);
    else
        doctor_report(d, DOCTOR_OK, "driver", NULL, "CUDA %d.%d, PTX up to %u.%u",
                      s->version / 1000, s->version / 10 % 100, ptx / 10, ptx % 10);
}

void doctor_modules(struct doctor *d)
{
    const char *loading = getenv("CUDA_MODULE_LOADING");
    bool is_eager = loading && strcmp(loading, "EAGER") == 0;

    if (d->survey.loads_whole_modules)
        doctor_report(
            d, DOCTOR_OK, "modules", NULL,
            "kernels are loaded with their module, regardless of CUDA_MODULE_LOADING");
    else if (is_eager)
        doctor_report(d, DOCTOR_OK, "modules", NULL,
                      "CUDA_MODULE_LOADING is EAGER: kernels are loaded with their module");
    else
        doctor_report(
            d, DOCTOR_PROBLEM, "modules",
            "export CUDA_MODULE_LOADING=EAGER, or install the driver of CUDA 12.4",
            "this driver may load a kernel at its first launch; the load waits for "
            "streams that wait for that launch");
}

void doctor_queues(struct doctor *d)
{
    const char *text = getenv("CUDA_DEVICE_MAX_CONNECTIONS");
    const unsigned queues = d->survey.queues;

    if (!queues)
        doctor_report(d, DOCTOR_PROBLEM, "queues",
                      "export CUDA_DEVICE_MAX_CONNECTIONS=32, or unset it",
                      "CUDA_DEVICE_MAX_CONNECTIONS is '%s': expected 1 to 32", text);
    else if (queues < STREAMS)
        doctor_report(d, DOCTOR_PROBLEM, "queues", "export CUDA_DEVICE_MAX_CONNECTIONS=32",
                      "a device has %u hardware queues for %d proact streams: one that "
                      "waits may block the stream that it waits for",
                      queues, STREAMS);
    else
        doctor_report(d, DOCTOR_OK, "queues", NULL,
                      "%u hardware queues per device for %d proact streams (each further "
                      "kernel with copy-engine uses 2 more)",
                      queues, STREAMS);
}

void doctor_launches(struct doctor *d)
{
    struct proact_error err = {""};

    if (device_cuda.launches(NULL, &err))
        doctor_report(
            d, DOCTOR_NOTE, "launches",
            "for method dynamic, which is rarely the fastest, build proact with nvcc", "%s",
            err.text);
    else
        doctor_report(d, DOCTOR_OK, "launches", NULL,
                      "kernels can launch kernels: method dynamic works");
}
