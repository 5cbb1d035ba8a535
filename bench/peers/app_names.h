/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/* Names of the functions that app_session.cu defines for the applications, so that
   libproact may be in the same program. Every source includes this file first (build.sh).
 */
#define proact_array_create app_array_create
#define proact_array_destroy app_array_destroy
#define proact_array_write app_array_write
#define proact_array_read app_array_read
#define proact_kernel_load app_kernel_load
#define proact_kernel_destroy app_kernel_destroy
#define proact_kernel_map app_kernel_map
#define proact_kernel_refusal app_kernel_refusal
#define proact_launch app_launch_kernel
#define proact_wait app_wait
#define proact_now_ns app_now_ns
#define proact_record_begin app_record_begin
#define proact_record_end app_record_end
#define proact_replay app_replay
#define proact_recording_destroy app_recording_destroy
#define proact_statistics_get app_statistics_get
#define proact_statistics_reset app_statistics_reset
