/* SPDX-License-Identifier: Apache-2.0 */
/* The devices: their properties, their peers, and a test of their function. */
#include <proact/proact.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/text.h"
#include "doctor/doctor.h"
#include "transfer/transfer.h"

enum { PAIRS_NAMED = 6 };

void doctor_devices(struct doctor *d)
{
    const struct cuda_survey *s = &d->survey;
    const struct cuda_survey_device *first = &s->device[0];
    unsigned alike = 1;

    while (alike < s->count && strcmp(s->device[alike].name, first->name) == 0)
        alike++;
    if (alike < s->count)
        doctor_report(d, DOCTOR_NOTE, "devices",
                      "to use the other devices, list them first in CUDA_VISIBLE_DEVICES",
                      "only the first %u of %u are used, which are identical: %s, then %s",
                      alike, s->count, first->name, s->device[alike].name);
    else if (strstr(first->name, "MIG"))
        doctor_report(
            d, DOCTOR_NOTE, "devices", "for several GPUs, turn MIG off: nvidia-smi -mig 0",
            "%u x %s: a MIG instance, which has no peer access", s->count, first->name);
    else
        doctor_report(d, DOCTOR_OK, "devices", NULL,
                      "%u x %s, compute capability %u.%u, %.4g GiB", s->count, first->name,
                      first->capability / 10, first->capability % 10,
                      (double)first->memory_bytes / (1 << 30));
}

void doctor_mode(struct doctor *d)
{
    struct text list[3] = {{0}};

    for (unsigned i = 0; i < d->survey.count; i++) {
        struct text *l = &list[d->survey.device[i].mode];

        text_print(l, "%s%u", l->length ? ", " : "", i);
    }
    if (list[CUDA_MODE_PROHIBITED].length)
        doctor_report(d, DOCTOR_PROBLEM, "mode", "nvidia-smi -c DEFAULT (as root)",
                      "compute mode prohibits programs on device %s",
                      list[CUDA_MODE_PROHIBITED].data);
    else if (list[CUDA_MODE_EXCLUSIVE].length)
        doctor_report(d, DOCTOR_NOTE, "mode",
                      "to share it, nvidia-smi -c DEFAULT (as root)",
                      "one process at a time may use device %s (exclusive compute mode)",
                      list[CUDA_MODE_EXCLUSIVE].data);
    else
        doctor_report(d, DOCTOR_OK, "mode", NULL,
                      "any number of programs may use the devices");
    for (int i = 0; i < 3; i++)
        text_clear(&list[i]);
}

void doctor_peers(struct doctor *d)
{
    const struct cuda_survey *s = &d->survey;
    unsigned missing = 0, pairs = s->count * (s->count - 1);
    struct text list = {0}, methods = {0};

    for (unsigned i = 0; i < s->count; i++)
        for (unsigned j = 0; j < s->count; j++)
            if (i != j && !s->device[i].reaches[j] && missing++ < PAIRS_NAMED)
                text_print(&list, "%s%u to %u", list.length ? ", " : "", i, j);
    if (missing > PAIRS_NAMED)
        text_print(&list, ", ...");
    transfer_peer_methods_print(false, &methods);
    if (missing)
        doctor_report(d, DOCTOR_NOTE, "peers",
                      "check `nvidia-smi topo -p2p r`; a hypervisor or an IOMMU must "
                      "allow peer access",
                      "%u of %u device pairs have no peer access (%s): %s %s", missing,
                      pairs, list.data, methods.data,
                      missing < pairs ? "send there by copies through the host"
                                      : "are refused, other methods copy through the host");
    else if (s->count < 2)
        doctor_report(
            d, DOCTOR_NOTE, "peers", NULL,
            "there is one device: kernels are not split; several devices can be emulated");
    else
        doctor_report(d, DOCTOR_OK, "peers", NULL,
                      "each device has peer access to all others");
    text_clear(&methods);
    text_clear(&list);
}

void doctor_multicast(struct doctor *d)
{
    bool has = false;

    for (unsigned i = 0; i < d->survey.count; i++)
        has |= d->survey.device[i].has_multicast;
    doctor_report(d, DOCTOR_OK, "multicast", NULL, "%s",
                  has ? "NVLink multicast is available; proact does not use it"
                      : "NVLink multicast is not available; proact does not need it");
}

void doctor_work(struct doctor *d)
{
    struct topology *t = must_calloc(1, sizeof *t);
    struct proact_error err = {""};

    if (device_cuda.find(t, &err) || doctor_try(&device_cuda, t, &err))
        doctor_report(
            d, DOCTOR_PROBLEM, "work",
            "check whether other programs use the device (nvidia-smi); reset it or "
            "restart the computer",
            "%s", err.text);
    else
        doctor_report(
            d, DOCTOR_OK, "work", NULL,
            "a wait on a memory word, a kernel and a copy succeeded on each device");
    free(t);
}

void doctor_session(struct doctor *d)
{
    struct proact_error err = {""};
    struct proact *p = NULL;
    enum proact_status status =
        proact_open(&(struct proact_options){.machine = PROACT_MACHINE_LOCAL}, &p, &err);

    d->opens = status == PROACT_OK;
    if (status == PROACT_EREFUSED)
        doctor_report(
            d, DOCTOR_PROBLEM, "session",
            "install a newer driver, or build proact with an older toolkit, or with "
            "clang (cmake -DPROACT_NVCC=)",
            "%s", err.text);
    else if (status)
        doctor_report(d, DOCTOR_PROBLEM, "session",
                      "solve the problems above; else report this one", "%s", err.text);
    else
        doctor_report(d, DOCTOR_OK, "session", NULL, "a session opens on %u device%s",
                      proact_device_count(p), proact_device_count(p) == 1 ? "" : "s");
    proact_close(p);
}
