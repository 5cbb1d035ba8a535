/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/* `proact doctor`: checks that print one line each. */

#include "device/cuda/driver/cuda_survey.h"
#include "device/device.h"

enum doctor_level { DOCTOR_OK, DOCTOR_NOTE, DOCTOR_PROBLEM, DOCTOR_LEVELS };

struct doctor {
    struct cuda_survey survey;
    enum proact_status surveyed; /* PROACT_OK: the driver works and counted its devices */
    struct proact_error why;     /* the reason if it does not */
    bool opens;                  /* a session opened on this computer's devices */
    unsigned reported[DOCTOR_LEVELS];
};

/* Prints one line. `advice` is the next step for the user, or NULL. */
__attribute__((format(printf, 5, 6))) void doctor_report(struct doctor *d,
                                                         enum doctor_level level,
                                                         const char *subject,
                                                         const char *advice,
                                                         const char *format, ...);

/* doctor_driver.c and doctor_devices.c: the GPUs of this computer. */
void doctor_driver(struct doctor *d);
void doctor_devices(struct doctor *d);
void doctor_mode(struct doctor *d);
void doctor_peers(struct doctor *d);
void doctor_multicast(struct doctor *d);
void doctor_modules(struct doctor *d);
void doctor_queues(struct doctor *d);
void doctor_launches(struct doctor *d);
void doctor_work(struct doctor *d);
void doctor_session(struct doctor *d);

/* doctor_place.c: everything that needs no GPU. */
void doctor_compilers(struct doctor *d);
void doctor_machines(struct doctor *d);
void doctor_emulator(struct doctor *d);

/* doctor_try.c: on every device of a machine, a stream that waits for a word, a kernel, and
   a copy to the next device. Returns the first error. */
enum proact_status doctor_try(const struct device_backend *backend,
                              const struct topology *topology, struct proact_error *err);
