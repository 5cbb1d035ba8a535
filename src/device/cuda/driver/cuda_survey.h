/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/* What the driver says of itself and of its devices, without a context on any: for
   `proact doctor`, and where the newest of a thing is asked for. */

#include <proact/status.h>
#include <stdbool.h>

#include "topology/topology.h"

enum cuda_compute_mode { CUDA_MODE_SHARED, CUDA_MODE_EXCLUSIVE, CUDA_MODE_PROHIBITED };

struct cuda_survey {
    bool is_absent;           /* there is no libcuda.so.1 */
    bool is_loaded;           /* it has all that we call; `version` is known */
    int refused;              /* what cuInit answered; 0: the driver runs */
    int version;              /* 13000: CUDA 13.0 */
    unsigned queues;          /* of a device, by the environment; 0: that is impossible */
    bool loads_whole_modules; /* can be told to load a module's kernels at once */
    unsigned count;
    struct cuda_survey_device {
        char name[64];
        unsigned capability; /* 90: 9.0 */
        uint64_t memory_bytes;
        enum cuda_compute_mode mode;
        bool has_multicast, maps_memory;
        bool reaches[TOPOLOGY_DEVICES_MAX];
    } device[TOPOLOGY_DEVICES_MAX];
};

/* Without a driver, or one that does not run, PROACT_ENODEV: `out` says how far it came. */
enum proact_status cuda_survey(struct cuda_survey *out, struct proact_error *err);

/* The newest PTX that a driver of this version takes, as 90 for 9.0; 0: not known. */
unsigned cuda_survey_ptx(int driver_version);
