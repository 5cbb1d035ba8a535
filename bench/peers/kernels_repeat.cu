/* SPDX-License-Identifier: Apache-2.0 */
#include "app_wrap.cuh"

/* repeat_look() runs on one device: its annotated stores are plain ones, and it needs no
   partition. */
struct app_no_partition {
};
#define proact_partition app_no_partition
#define proact_store(partition, slot, to, value) ((void)(partition), *(to) = (value))
#define proact_done(partition) ((void)(partition))

#include "../../apps/graph/repeat.cu"

#include "app_unwrap.cuh"

static unsigned group_writes(const proact_arg *, app_write *out)
{
    out[0] = {1, APP_PAIR_BYTES, 0};
    return 1;
}

static unsigned look_writes(const proact_arg *, app_write *)
{
    return 0;
}

const app_kernel app_repeat[] = {
    APP_KERNEL(repeat_group, group_writes), APP_KERNEL(repeat_look, look_writes), {}};
