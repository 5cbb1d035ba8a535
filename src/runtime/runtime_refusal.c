/* SPDX-License-Identifier: Apache-2.0 */
#include "runtime/derive.h"
#include "runtime/runtime_clone.h"

const char *proact_kernel_refusal(struct proact_kernel *k)
{
    const char *unknown = derivation_refusal(k);

    return unknown ? unknown : kernel_clone_refusal(k);
}
