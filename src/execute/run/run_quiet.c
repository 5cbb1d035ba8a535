/* SPDX-License-Identifier: Apache-2.0 */
/* Default host, for callers that only observe a kernel's accesses. */
#include "execute/execute.h"

static enum execute_verdict pass_access(void *context, struct execute_warp *w,
                                        const struct execute_access *a)
{
    (void)context, (void)w, (void)a;
    return EXECUTE_GO;
}

static enum execute_verdict refuse_remote(void *context, struct execute_warp *w,
                                          const struct execute_access *a,
                                          const struct execute_op *op,
                                          const unsigned char *operands)
{
    (void)context, (void)w, (void)a, (void)op, (void)operands;
    return EXECUTE_FAULT;
}

static enum execute_verdict pass_fence(void *context, struct execute_warp *w, uint32_t mask,
                                       enum execute_order order, enum execute_scope scope,
                                       uint32_t line)
{
    (void)context, (void)w, (void)mask, (void)order, (void)scope, (void)line;
    return EXECUTE_GO;
}

static uint64_t read_clock(void *context, struct execute_warp *w)
{
    (void)context;
    return execute_warp_issued(w);
}

static void drop_text(void *context, const char *text, size_t length)
{
    (void)context, (void)text, (void)length;
}

struct execute_host execute_host_quiet(void *context)
{
    return (struct execute_host){.context = context,
                                 .access = pass_access,
                                 .remote = refuse_remote,
                                 .fence = pass_fence,
                                 .clock = read_clock,
                                 .globaltimer = read_clock,
                                 .print = drop_text};
}
