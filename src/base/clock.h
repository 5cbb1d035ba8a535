/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/* The host's clock. Devices have their own: device.h. */

#include <stdint.h>

/* Nanoseconds that never go back, from an arbitrary moment. */
uint64_t clock_host_ns(void);
