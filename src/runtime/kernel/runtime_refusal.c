/* SPDX-License-Identifier: Apache-2.0 */
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "runtime/access_sets/direct.h"
#include "runtime/autotune/choice.h"
#include "runtime/footprint/derive.h"
#include "runtime/objects/kernel.h"
#include "runtime/objects/session_image.h"
#include "runtime/request/launch_cluster.h"
#include "runtime/session/lazy_devices.h"
#include "runtime/version/runtime_clone.h"

static const char *find_refusal(struct proact_kernel *k)
{
    const char *why = lazy_devices_refusal(k->session);

    if (!why)
        why = cluster_refusal(k);
    if (!why)
        why = direct_refusal(k);
    if (!why && !k->has_maps) /* maps state what the kernel writes */
        why = derivation_refusal(k);
    if (!why && k->with_textures.text[0])
        why = k->with_textures.text;
    if (!why)
        why = kernel_clone_refusal(k);
    return why ? why : choice_refusal(k);
}

/* The text is cached, because programs query it after each launch. */
const char *proact_kernel_refusal(struct proact_kernel *k)
{
    if (k->used)
        k = k->used;
    const char *why = find_refusal(k);

    if (!why || (k->refusal && strcmp(why, k->refusal) == 0))
        return why ? k->refusal_text : NULL;
    free(k->refusal);
    free(k->refusal_text);
    k->refusal = must_strdup(why);
    k->refusal_text = ptx_with_sources(k->image->ptx, why);
    return k->refusal_text;
}
