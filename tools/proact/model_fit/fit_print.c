/* SPDX-License-Identifier: Apache-2.0 */
#include "model_fit/fit_print.h"

#include <math.h>
#include <stdio.h>

enum { BYTES_TEXT = 16, DECADES_PRINTED = 9 };

/* Derived time per byte in the middle of a piece. */
static double derived_per_byte(const struct fit_senders *all, const struct fit_sender *f,
                               int mode, const struct fit_curve *c, unsigned k)
{
    const double from = fmax(c->piece[k].from_bytes, (double)f->least_bytes);
    const double to = k + 1 < c->count ? c->piece[k + 1].from_bytes : (double)f->most_bytes;
    const struct model_loggop p =
        fit_sender_derive(&all->keys, f->who, mode, (uint64_t)sqrt(from * to));

    return fmax(p.O, p.G);
}

unsigned fit_parameters_list(const struct fit_senders *all, const struct fit_sender *f,
                             struct fit_parameter out[FIT_PARAMETERS_MAX])
{
    const struct fit_curve *curves[FIT_MODES] = {&f->times.single, &f->times.period};
    unsigned n = 0;

    for (int mode = 0; mode < FIT_MODES; mode++) {
        const struct fit_curve *c = curves[mode];
        const struct model_loggop derived =
            fit_sender_derive(&all->keys, f->who, mode, f->least_bytes);

        if (!c->count)
            continue;
        out[n++] =
            (struct fit_parameter){"o", false, mode, 0, f->measured[mode].o, derived.o};
        if (mode == FIT_PIPELINED)
            out[n++] =
                (struct fit_parameter){"g", false, mode, 0, f->measured[mode].g, derived.g};
        for (unsigned k = 0; k < c->count; k++)
            out[n++] = (struct fit_parameter){mode == FIT_SINGLE ? "O" : "G",
                                              true,
                                              mode,
                                              c->piece[k].from_bytes,
                                              c->piece[k].ns_per_byte,
                                              derived_per_byte(all, f, mode, c, k)};
    }
    return n;
}

static const char *bytes_text(double bytes, char into[BYTES_TEXT])
{
    if (bytes >= 1 << 20)
        snprintf(into, BYTES_TEXT, "%.3g MB", bytes / (1 << 20));
    else if (bytes >= 1 << 10)
        snprintf(into, BYTES_TEXT, "%.3g KB", bytes / (1 << 10));
    else
        snprintf(into, BYTES_TEXT, "%.3g B", bytes);
    return into;
}

static void print_difference(double measured, double derived)
{
    if (derived > 0)
        printf("%9.1f %%\n", 100 * (measured / derived - 1));
    else
        printf("%11s\n", "-");
}

/* O and G in ns per 1000 bytes. */
static void print_parameter(const struct fit_sender *f, const struct fit_parameter *p)
{
    const double scale = p->is_per_byte ? 1000 : 1;
    char from[BYTES_TEXT] = "";

    if (p->from_bytes > 0)
        bytes_text(p->from_bytes, from);
    printf("%-11s %-9s %-2s %-9s %10.4g %10.4g", model_sender_name(f->who),
           p->mode == FIT_SINGLE ? "single" : "pipelined", p->name, from,
           scale * p->measured, scale * p->derived);
    print_difference(p->measured, p->derived);
}

static void print_modes(const struct fit_sender *f)
{
    const struct fit_curve *c = &f->times.single;

    if (c->far_share >= 0.1)
        printf("%-11s %.0f %% of the single messages take %.2g times as long: another "
               "mode\n",
               model_sender_name(f->who), 100 * c->far_share, c->far_factor);
}

static void print_parameters(const struct fit_senders *all)
{
    struct fit_parameter p[FIT_PARAMETERS_MAX];

    printf("\ninitiator   mode      parameter     measured    derived difference\n");
    printf("all                   L          %10.4g %10.4g", all->L,
           all->keys.fabric.latency_ns);
    print_difference(all->L, all->keys.fabric.latency_ns);
    for (int who = 0; who < MODEL_SENDERS; who++) {
        const struct fit_sender *f = &all->sender[who];
        const unsigned count = f->points ? fit_parameters_list(all, f, p) : 0;

        for (unsigned i = 0; i < count; i++)
            print_parameter(f, &p[i]);
        print_modes(f);
    }
    printf("L, S = L, o and g in ns; O and G in ns per 1000 bytes, from the size on\n");
}

static void print_error(const struct fit_error *e)
{
    if (e->count)
        printf(" %3.0f/%-3.0f", 100 * e->median, 100 * e->p95);
    else
        printf("    -   ");
}

static void print_errors_of(const struct fit_sender *f, const char *what,
                            const struct fit_errors *e)
{
    printf("%-11s %-7s", model_sender_name(f->who), what);
    print_error(&e->all);
    for (int d = 0; d < DECADES_PRINTED; d++)
        print_error(&e->decade[d]);
    printf("\n");
}

static void print_errors(const struct fit_senders *all)
{
    printf(
        "\nrelative error on the sizes that were not fitted, median/p95 in %%, by size\n"
        "initiator               all      1 B    10 B   100 B    1 kB   10 kB  100 kB    "
        "1 MB   10 MB  100 MB\n");
    for (int who = 0; who < MODEL_SENDERS; who++) {
        const struct fit_sender *f = &all->sender[who];

        if (!f->points)
            continue;
        print_errors_of(f, "fit", &f->fit);
        print_errors_of(f, "derived", &f->derived);
    }
    printf("all initiators: fit %.1f/%.1f %%, derived %.1f/%.1f %%\n",
           100 * all->fit.median, 100 * all->fit.p95, 100 * all->derived.median,
           100 * all->derived.p95);
}

void fit_print_tables(const struct sweep *s, const struct fit_senders *all)
{
    printf("%s: %s, device 0 to 1%s; derived from the keys of %s\n", s->topology.name,
           s->topology.device.name, s->is_virtual ? ", emulated" : "", all->keys.name);
    print_parameters(all);
    print_errors(all);
}
