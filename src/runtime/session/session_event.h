/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/* Events of a session. */

struct proact;

void events_destroy(struct proact *p);
