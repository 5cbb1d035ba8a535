/* SPDX-License-Identifier: Apache-2.0 */
#include <stdio.h>

#include "base/json/json_write.h"
#include "model_fit/fit_print.h"

static void json_put_error(struct json_writer *w, const char *key,
                           const struct fit_error *e)
{
    json_begin(w, key, JSON_OBJECT);
    json_put_whole(w, "count", e->count);
    json_put_real(w, "median", e->median);
    json_put_real(w, "p95", e->p95);
    json_end(w);
}

/* One object for each decade with a size. */
static void json_put_decades(struct json_writer *w, const struct fit_sender *f)
{
    double from = 1;

    json_begin(w, "decades", JSON_ARRAY);
    for (int d = 0; d < FIT_DECADES; d++, from *= 10) {
        if (!f->fit.decade[d].count)
            continue;
        json_begin(w, NULL, JSON_OBJECT);
        json_put_real(w, "from_bytes", from);
        json_put_error(w, "fit", &f->fit.decade[d]);
        json_put_error(w, "derived", &f->derived.decade[d]);
        json_end(w);
    }
    json_end(w);
}

static void json_put_curve(struct json_writer *w, const char *key,
                           const struct fit_curve *c)
{
    json_begin(w, key, JSON_OBJECT);
    json_put_real(w, "error", c->error);
    json_put_real(w, "far_share", c->far_share);
    json_put_real(w, "far_factor", c->far_factor);
    json_begin(w, "pieces", JSON_ARRAY);
    for (unsigned k = 0; k < c->count; k++) {
        json_begin(w, NULL, JSON_OBJECT);
        json_put_real(w, "from_bytes", c->piece[k].from_bytes);
        json_put_real(w, "base_ns", c->piece[k].base_ns);
        json_put_real(w, "ns_per_byte", c->piece[k].ns_per_byte);
        json_end(w);
    }
    json_end(w);
    json_end(w);
}

static void json_put_parameters(struct json_writer *w, const struct fit_senders *all,
                                const struct fit_sender *f)
{
    struct fit_parameter p[FIT_PARAMETERS_MAX];
    const unsigned count = fit_parameters_list(all, f, p);

    json_begin(w, "parameters", JSON_ARRAY);
    for (unsigned i = 0; i < count; i++) {
        json_begin(w, NULL, JSON_OBJECT);
        json_put_text(w, "name", p[i].name);
        json_put_text(w, "mode", p[i].mode == FIT_SINGLE ? "single" : "pipelined");
        json_put_text(w, "unit", p[i].is_per_byte ? "ns/B" : "ns");
        json_put_real(w, "from_bytes", p[i].from_bytes);
        json_put_real(w, "measured", p[i].measured);
        json_put_real(w, "derived", p[i].derived);
        json_end(w);
    }
    json_end(w);
}

static void json_put_sender(struct json_writer *w, const struct fit_senders *all,
                            const struct fit_sender *f)
{
    json_begin(w, NULL, JSON_OBJECT);
    json_put_text(w, "initiator", model_sender_name(f->who));
    json_put_whole(w, "sizes", f->sizes);
    json_put_whole(w, "points", f->points);
    json_put_whole(w, "least_bytes", f->least_bytes);
    json_put_whole(w, "most_bytes", f->most_bytes);
    json_put_curve(w, "single", &f->times.single);
    json_put_curve(w, "start", &f->times.start);
    json_put_curve(w, "period", &f->times.period);
    json_put_parameters(w, all, f);
    json_put_error(w, "fit", &f->fit.all);
    json_put_error(w, "derived", &f->derived.all);
    json_put_decades(w, f);
    json_end(w);
}

static void json_put_rows(struct json_writer *w, const struct sweep *s)
{
    json_begin(w, "times", JSON_ARRAY);
    for (size_t i = 0; i < s->count; i++) {
        json_begin(w, NULL, JSON_OBJECT);
        json_put_text(w, "initiator", model_sender_name(s->rows[i].who));
        json_put_whole(w, "bytes", s->rows[i].bytes);
        json_put_whole(w, "depth", s->rows[i].depth);
        json_put_real(w, "ns", s->rows[i].ns);
        json_end(w);
    }
    json_end(w);
}

void fit_print_json(const struct sweep *s, const struct fit_senders *all,
                    const char *command_line)
{
    struct json_writer w = {.lines = 2};

    json_begin(&w, NULL, JSON_OBJECT);
    json_put_text(&w, "machine", s->topology.name);
    json_put_text(&w, "device", s->topology.device.name);
    json_put_flag(&w, "emulated", s->is_virtual);
    bench_write_build(&w);
    json_put_text(&w, "command", command_line);
    json_put_text(&w, "keys", all->keys.name);
    json_put_flag(&w, "complete", s->is_complete);
    json_put_real(&w, "round_trip_ns", s->round_trip_ns);
    json_put_real(&w, "L", all->L);
    json_put_real(&w, "S", all->S);
    json_put_error(&w, "fit", &all->fit);
    json_put_error(&w, "derived", &all->derived);
    json_begin(&w, "initiators", JSON_ARRAY);
    for (int who = 0; who < MODEL_SENDERS; who++)
        if (all->sender[who].points)
            json_put_sender(&w, all, &all->sender[who]);
    json_end(&w);
    json_put_rows(&w, s);
    json_end(&w);
    fputs(w.text.data, stdout);
    text_clear(&w.text);
}
