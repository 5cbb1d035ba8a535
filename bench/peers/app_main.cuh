/* SPDX-License-Identifier: Apache-2.0 */
/* Measures one application on a transport, compares each answer with that of one GPU, and
   prints JSON. */
#pragma once

#include <memory>
#include <string>

#include "app_session.cuh"

extern "C" {
#include "app_job.h"
}

inline std::vector<unsigned> app_all_parts(unsigned devices)
{
    std::vector<unsigned> parts(devices);

    for (unsigned d = 0; d < devices; d++)
        parts[d] = d;
    return parts;
}

struct app_program {
    app_job job;
    unsigned devices;
    app_answer one = {};
    double one_ns = 0;
    std::string rows;
    bool differs = false, prints = true; /* prints: of several processes, the first */

    app_program(int argc, char **argv)
    {
        int count = 0;

        app_job_open(argc, argv, &job);
        if (cudaGetDeviceCount(&count) != cudaSuccess || count < 1) {
            std::fprintf(stderr, "no GPU\n");
            std::exit(77);
        }
        app_gpu_count = (unsigned)count;
        devices = job.devices ? job.devices : app_gpu_count;
        if (devices > app_gpu_count && !job.shares) {
            std::fprintf(stderr, "%u devices requested, there are %d\n", devices, count);
            std::exit(2);
        }
    }

    /* Access of all GPUs to the memory of each other, where it is possible. */
    void connect()
    {
        for (unsigned d = 0; d < app_gpu_count; d++) {
            app_use(d);
            for (unsigned peer = 0; peer < app_gpu_count; peer++) {
                int can = 0;

                if (peer != d)
                    MUST(cudaDeviceCanAccessPeer(&can, (int)d, (int)peer));
                if (can && cudaDeviceEnablePeerAccess((int)peer, 0) != cudaSuccess)
                    (void)cudaGetLastError();
            }
        }
    }

    /* Returns false for a refusal, with its sentence. */
    bool once(proact &p, app_answer &out)
    {
        struct proact_error err = {""};

        if (!app_job_run(&job, &p, &out, &err))
            return true;
        std::fprintf(stderr, "%s: %s\n", job.name, err.text);
        return false;
    }

    /* The reference on one GPU, `number`. */
    void start(unsigned number = 0)
    {
        std::vector<double> ns;

        app_first_gpu = number;
        for (unsigned i = 0; i < job.runs; i++) {
            proact alone(1, {0});

            alone.may_record = !job.no_graph;
            std::free(one.bytes);
            one = {};
            if (!once(alone, one))
                std::exit(1);
            ns.push_back((double)one.time_ns);
        }
        std::sort(ns.begin(), ns.end());
        one_ns = ns[ns.size() / 2];
        app_first_gpu = 0;
    }

    template <class Make> void measure(const char *method, const char *variant, Make make)
    {
        std::vector<double> ns;
        bool equal = true;

        for (unsigned i = 0; i < job.runs; i++) {
            std::unique_ptr<proact> session = make(devices);
            app_answer answer = {};

            session->may_record = !job.no_graph;
            if (!once(*session, answer))
                return;
            equal &= answer.size == one.size && answer.iterations == one.iterations &&
                     !std::memcmp(answer.bytes, one.bytes, one.size);
            std::free(answer.bytes);
            ns.push_back((double)answer.time_ns);
        }
        std::sort(ns.begin(), ns.end());
        differs |= !equal;
        add(method, variant, ns, equal);
    }

    void add(const char *method, const char *variant, const std::vector<double> &ns,
             bool equal)
    {
        char row[400];
        const double median = ns[ns.size() / 2];

        std::snprintf(
            row, sizeof row,
            "%s\n    {\"method\": \"%s\", \"variant\": \"%s\", \"time_ns\": %.0f, "
            "\"lowest_ns\": %.0f, \"highest_ns\": %.0f, \"runs\": %zu, "
            "\"speedup\": %.4g, \"equal_to_one_device\": %s}",
            rows.empty() ? "" : ",", method, variant, median, ns.front(), ns.back(),
            ns.size(), one_ns / median, equal ? "true" : "false");
        rows += row;
    }

    int finish()
    {
        cudaDeviceProp prop;

        MUST(cudaGetDeviceProperties(&prop, 0));
        if (prints)
            std::printf(
                "{\n  \"application\": \"%s\",\n  \"input\": \"%s\",\n"
                "  \"device\": \"%s\",\n  \"devices\": %u,\n"
                "  \"iterations\": %u,\n  \"one_device_ns\": %.0f,\n  \"rows\": [%s\n"
                "  ]\n}\n",
                job.name, job.file ? job.file : "generated", prop.name, devices,
                one.iterations, one_ns, rows.c_str());
        std::fflush(stdout);
        std::free(one.bytes);
        app_job_close(&job);
        return differs || rows.empty() ? 1 : 0;
    }
};
