/* SPDX-License-Identifier: Apache-2.0 */
#include "instrument/clone.h"
enum proact_status refuse_whole(struct clone *c)
{
    (void)c;
    return PROACT_OK;
}
enum proact_status refuse_calls(struct clone *c)
{
    (void)c;
    return PROACT_OK;
}
enum proact_status refuse_waits(struct clone *c)
{
    (void)c;
    return PROACT_OK;
}
enum proact_status meet_at_barriers(struct clone *c)
{
    (void)c;
    return PROACT_OK;
}
