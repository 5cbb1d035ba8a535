/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/* Time of one candidate of a launch in closed form, with its terms (PROACT III-A; Groves et
   al. 2020, II-B). The functions are pure: numbers in, numbers out. All times are in ns. */

#include "model/initiator.h"
#include "model/model.h"
#include "model/streams.h"

/* Terms of a time. They follow the critical path, and their sum is the time. */
enum model_term {
    MODEL_TERM_KERNEL,    /* the kernel, where all chunks are sent before its end */
    MODEL_TERM_READINESS, /* else: until the chunk is complete that begins the last sends
                             without a pause */
    MODEL_TERM_WIRE,      /* bytes of these sends: the larger of O, G and g */
    MODEL_TERM_START,     /* o of these sends */
    MODEL_TERM_WAIT,      /* from the complete chunk to its initiator */
    MODEL_TERM_TAIL,      /* L, S, and the end of the launch */
    MODEL_TERM_FETCH,     /* copies before the kernel */
    MODEL_TERM_HOST,      /* host time that the devices do not hide */
    MODEL_TERMS
};

/* Name of a term; static. */
const char *model_term_name(enum model_term term);

struct model_time {
    double ns, term[MODEL_TERMS];
    double kernel_ns; /* of the kernel alone, with the sends that precede its end */
    uint64_t chunks;  /* of one device */
};

enum { MODEL_LANES_MAX = 256 };

/* A split launch, of its slowest device. */
struct model_candidate {
    double kernel_ns;
    double waves;       /* of its CTAs; 0: chunks complete at a constant rate */
    double length;      /* time of the kernel, in times of a full wave; 0: as `waves` */
    bool in_waves;      /* the CTAs of a wave end together, as if each only waited */
    uint64_t bytes;     /* that the device sends to each of its receivers */
    unsigned receivers; /* 0: nothing is sent */
    struct model_schedule chunks; /* first_bytes 0: one send after the kernel */
    unsigned lanes;    /* initiators that send at the same time, to MODEL_LANES_MAX; 0: 1 */
    unsigned parts;    /* messages of a chunk, by different lanes; 0: 1 */
    bool sends_inside; /* the kernel ends after its sends: it makes them itself */
    struct model_loggop single, pipelined;
    struct model_engine engine; /* copies on streams; none: lanes or one initiator */
    double wait_ns;             /* from a complete chunk to an idle initiator */
    double begin_ns;            /* before the kernel starts: launch, events */
    double earliest_share; /* of the kernel's time before which no chunk leaves; 0: none */
    double complete_share; /* of it before which no chunk is complete */
    double tail_ns;        /* after the last send and the kernel, in addition to L and S */
    double queue_ns; /* host time per chunk: chunk k is queued k of them after the start */
    double fetch_ns, host_ns;
};

/* max(host, fetch + begin + max(kernel, sent(n)) + tail), where

       link(k) = max(ready(k) + wait + o, link(k-1) + o') + max(g, O m_k, G m_k)
       sent(n) = link(n) + L + S

   with o' of the pipelined parameters; each receiver is a message. Several lanes share the
   link equally: a chunk is then `parts` messages to all receivers, a lane sends at 1 / O of
   `single` at most, with o' between two messages and `single.g` between their starts, and
   messages start g of `pipelined` apart. model_schedule_ns() is the case of one lane
   without waves. */
struct model_time model_candidate_time(const struct model_candidate *c);

/* max(host, fetch + W): the launch on one device. */
struct model_time model_single_time(double kernel_ns, double fetch_ns, double host_ns);

/* Kernel time of a device that executes `own` of `ctas` CTAs, if all take single_ns on one
   device; `wave` CTAs run at once. */
double model_kernel_ns(double single_ns, uint64_t own, uint64_t ctas, double wave);
/* Copies of missing ranges into one device before the kernel. */
double model_fetch_ns(const struct model_loggop *copy, uint64_t copies, uint64_t missing);
/* Host time of a launch: footprint, kernels and copies. */
double model_host_ns(const struct topology_device *d, double footprint_ns,
                     uint64_t launches, uint64_t copies);
