/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/* Lazy device opening (proact_options.lazy_devices). Until the devices 1 and up are open,
   they are in the tables of the session but not used. All work runs on device 0, which has
   all data, and no launch is split. They fetch missing ranges later as usual. A program
   that ends first never waits for them. */

#include <proact/status.h>
#include <stdbool.h>

struct proact;

/* Called after the session's devices and streams were opened. */
void lazy_devices_begin(struct proact *p);

/* Called before a program's launch over `over` devices. Sets `is_whole` if the launch runs
   on device 0 without an analysis. */
enum proact_status lazy_devices_launch(struct proact *p, unsigned over, bool *is_whole,
                                       struct proact_error *err);
/* Starts to open the devices, for a launch that could be split. Returns false if they are
   already open. */
bool lazy_devices_request(struct proact *p);
/* Adds the devices to the session if they have been opened. Not during a recording. */
enum proact_status lazy_devices_poll(struct proact *p, struct proact_error *err);
/* Waits until the devices are open; fails with their error. */
enum proact_status lazy_devices_require(struct proact *p, struct proact_error *err);

/* Reason why a launch would not be split now; NULL: the devices are open. */
const char *lazy_devices_refusal(const struct proact *p);
