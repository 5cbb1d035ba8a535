/* SPDX-License-Identifier: Apache-2.0 */
#include "runtime/choose_split.h"
#include "runtime/derive.h"
#include "runtime/direct.h"
#include "runtime/runtime_clone.h"

const char *proact_kernel_refusal(struct proact_kernel *k)
{
    if (k->used)
        k = k->used;
    const char *why = direct_refusal(k);

    if (!why && !k->has_maps) /* which say what it writes */
        why = derivation_refusal(k);
    if (!why)
        why = kernel_clone_refusal(k);
    return why ? why : choice_refusal(k);
}
