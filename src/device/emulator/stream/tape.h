/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/* Graphs of the device contract: during a capture, operations are appended to the graph; a
   graph launch queues copies of them. */

#include "device/emulator/stream/stream.h"

enum proact_status tape_begin(struct device_set *set, struct proact_error *err);
enum proact_status tape_end(struct device_set *set, struct device_graph **out,
                            struct proact_error *err);
void tape_pause(struct device_set *set);
void tape_resume(struct device_set *set);
enum proact_status tape_play(struct device_graph *g, struct proact_error *err);
void tape_destroy(struct device_graph *g);
