/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/* Survey of the driver and its devices without a context: for `proact doctor`, and for
   queries of the latest supported version. */

#include <proact/status.h>
#include <stdbool.h>

#include "topology/topology.h"

enum cuda_compute_mode { CUDA_MODE_SHARED, CUDA_MODE_EXCLUSIVE, CUDA_MODE_PROHIBITED };

struct cuda_survey {
    bool is_absent;           /* libcuda.so.1 is missing */
    bool is_loaded;           /* all required symbols are present; `version` is known */
    int refused;              /* result of cuInit; 0: the driver runs */
    int version;              /* 13000: CUDA 13.0 */
    unsigned queues;          /* per device, by the environment; 0: an invalid value */
    bool loads_whole_modules; /* can load all kernels of a module at once */
    unsigned count;
    struct cuda_survey_device {
        char name[64];
        unsigned capability; /* compute capability; 90: 9.0 */
        uint64_t memory_bytes;
        enum cuda_compute_mode mode;
        bool has_multicast, maps_memory;
        bool reaches[TOPOLOGY_DEVICES_MAX];
    } device[TOPOLOGY_DEVICES_MAX];
};

/* PROACT_ENODEV without a usable driver; `out` then contains what was found. */
enum proact_status cuda_survey(struct cuda_survey *out, struct proact_error *err);

/* Latest PTX version that a driver version accepts, as 90 for 9.0; 0: unknown. */
unsigned cuda_survey_ptx(int driver_version);
