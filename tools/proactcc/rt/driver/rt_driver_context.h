/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/* Contexts. Each is a name for the only device. */

struct rt;

struct cuda_context {
    unsigned long long id;
    unsigned flags;
    unsigned attached; /* attach calls beyond the creation */
};
struct cuda_context *driver_context_create(struct rt *rt, unsigned flags);
