/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/* Loops of a session. */

struct proact;

void repeats_destroy(struct proact *p);
