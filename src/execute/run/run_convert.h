/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/* Register operations that depend on widths, windows or parameters, and so are not plain
   arithmetic. */

#include "execute/op.h"
#include "execute/program.h"

/* Copies lanes of 4, 8 or 16 bytes; 0: a predicate. */
op_lanes *convert_move(unsigned bytes);
/* Zero-extends or truncates. */
op_lanes *convert_resize(unsigned from_bytes, unsigned to_bytes);

/* from[0] plus from[1], 8 bytes per lane: conversion into and out of an address window. */
op_lanes convert_add;
op_lanes convert_not_predicate;
/* from[0], 4 bytes per lane, plus `extra`; the result has detail[0] bytes per lane. */
op_lanes convert_stack_address;
/* detail[0]: enum ptx_space, [1]: shared memory of the cluster; from[0] is a generic
   address, from[1] the CTA's rank. */
op_lanes convert_is_space;
/* Shared-memory addresses in from[0], with detail[0] bytes per lane; [1]: generic.
   convert_map: the same offset in the CTA of rank from[1]. convert_rank: the rank of the
   address's CTA; from[1] is the own rank. */
op_lanes convert_map;
op_lanes convert_rank;
/* A kernel parameter: its bytes are at from[0] in FILE_LAUNCH. detail[0]: its size, [1]:
   sign extension, [2]: bytes per lane. */
op_lanes convert_parameter;
/* Pattern of the addresses in from[0], detail[0] bytes each: a struct spread. */
op_lanes convert_spread;
