/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/* Mechanisms, each in the file of its name. Only transfer_methods.c uses this header. */

#include "transfer/transfer.h"

extern const struct transfer_method transfer_bulk, transfer_bulk_serial, transfer_inline,
    transfer_fused, transfer_polling, transfer_dynamic, transfer_copy_engine,
    transfer_relay, transfer_hardware;
