/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/* Status of a call. Success is zero, so `if (proact_...())` tests for failure. */
enum proact_status {
    PROACT_OK = 0,
    PROACT_EINVAL,   /* an argument or a file is invalid */
    PROACT_ENODEV,   /* no driver, or fewer devices than requested */
    PROACT_ENOSPACE, /* device memory is exhausted */
    PROACT_EREFUSED, /* the machine does not support a requested feature; for a feature of a
                        kernel the text names the PTX line */
    PROACT_EFAULT, /* a kernel violated a rule; the text names the kernel and the thread */
    PROACT_ETIMEOUT, /* a wait reached its limit; the text names array, chunk and CTAs */
    PROACT_EDRIVER,  /* the driver returned an error, which the text quotes */
};

/* Progress of queued work, as a query that does not wait returns it. */
enum proact_progress {
    PROACT_PROGRESS_UNKNOWN = 0, /* only a wait can determine it */
    PROACT_PROGRESS_RUNNING, /* the work is unfinished and needs no action of the host */
    PROACT_PROGRESS_DONE,    /* the work has finished */
};

/* Message of the last failure: one sentence without a newline. The caller owns it. */
struct proact_error {
    char text[512];
};
