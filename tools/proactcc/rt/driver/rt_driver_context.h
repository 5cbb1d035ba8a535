/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/* Contexts: names for the one that there is. */

struct rt;

struct cuda_context {
    unsigned long long id;
    unsigned flags;
    unsigned attached; /* more often than it was made */
};
struct cuda_context *driver_context_create(struct rt *rt, unsigned flags);
