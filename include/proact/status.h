/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/* Why a call failed. Zero is success, so `if (proact_...())` reads "if it failed". */
enum proact_status {
    PROACT_OK = 0,
    PROACT_EINVAL,   /* the caller's argument or file is wrong */
    PROACT_ENODEV,   /* no driver, or fewer devices than asked for */
    PROACT_ENOSPACE, /* device memory is exhausted */
    PROACT_EREFUSED, /* a kernel uses what this machine cannot do: the text names the line
                      */
    PROACT_EFAULT,   /* a kernel broke a rule while it ran: the text names kernel and thread
                      */
    PROACT_ETIMEOUT, /* a wait reached its limit: the text names who never came */
    PROACT_EDRIVER,  /* the driver refused: the text quotes it */
};

/* How far work is that was queued. */
enum proact_progress {
    PROACT_PROGRESS_UNKNOWN = 0, /* only waiting tells */
    PROACT_PROGRESS_RUNNING,     /* it ends by itself */
    PROACT_PROGRESS_DONE,
};

/* Caller-owned text of the last failure, one sentence without a newline. */
struct proact_error {
    char text[512];
};
