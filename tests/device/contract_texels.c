/* SPDX-License-Identifier: Apache-2.0 */
/* Texture arrays, textures and surfaces. A driver without these calls reports that. */
#include <string.h>

#include "device/contract.h"

enum { W = 40, H = 6, D = 3 };

/* NULL: the backend has none. */
static struct device_texels *make_on(struct contract *c, unsigned device,
                                     struct proact_texture_array_shape shape)
{
    struct device_texels *t = NULL;
    enum proact_status status = c->b->texels_create(c->set, device, &shape, &t, &c->err);

    if (status == PROACT_EREFUSED)
        return NULL;
    contract_must(c, status);
    return t;
}

static struct device_texels *make(struct contract *c,
                                  struct proact_texture_array_shape shape)
{
    return make_on(c, 0, shape);
}

static struct proact_copy_3d_end host(void *at, size_t pitch, size_t rows)
{
    return (struct proact_copy_3d_end){.address = (uintptr_t)at,
                                       .is_host = true,
                                       .pitch = pitch,
                                       .slice_pitch = rows * pitch};
}

static const struct proact_texture_array_shape volume = {
    .width = W, .height = H, .depth = D, .texel = {PROACT_TEXEL_UNSIGNED, 32, 1}};

/* From the host to a texture array, a part of it to another one, and back through device
   memory whose slices are three rows apart. */
static void boxes_move(struct contract *c)
{
    static uint32_t in[D][H][W], out[D][H][W], line[2][3 * W];
    struct device_texels *a = make(c, volume), *b;

    if (!a)
        return;
    b = make(c, volume);
    for (unsigned n = 0; n < D * H * W; n++)
        (&in[0][0][0])[n] = n;
    const struct proact_copy_3d all = {.from = host(in, sizeof in[0][0], H),
                                       .bytes = sizeof in[0][0],
                                       .rows = H,
                                       .slices = D};
    const struct proact_copy_3d part = {.from = {.x = 16, .y = 1, .z = 1},
                                        .to = {.x = 32, .y = 3, .z = 0},
                                        .bytes = 40,
                                        .rows = 2,
                                        .slices = 2};
    device_addr memory = contract_words(c, 0, sizeof line / 4);
    const struct proact_copy_3d down = {
        .from = {.x = 32, .y = 3},
        .to = {.address = memory, .pitch = 4 * W, .slice_pitch = 12 * W},
        .bytes = 40,
        .rows = 2,
        .slices = 2};

    contract_must(c, c->b->copy_box(c->stream[0][0], &all, a, NULL, &c->err));
    contract_must(c, c->b->copy_box(c->stream[0][0], &all, b, NULL, &c->err));
    contract_must(c, c->b->copy_box(c->stream[0][0], &part, b, a, &c->err));
    contract_must(c, c->b->fill(c->stream[0][0], memory, 0, sizeof line, &c->err));
    contract_must(c, c->b->copy_box(c->stream[0][0], &down, NULL, b, &c->err));
    contract_get(c, 0, memory, &line[0][0], sizeof line / 4);
    for (unsigned z = 0; z < 2; z++)
        for (unsigned y = 0; y < 3; y++)
            for (unsigned x = 0; x < W; x++)
                assert_int_equal(line[z][y * W + x],
                                 x < 10 && y < 2 ? in[z + 1][y + 1][x + 4] : 0);
    const struct proact_copy_3d back = {.to = host(out, sizeof in[0][0], H),
                                        .bytes = sizeof in[0][0],
                                        .rows = H,
                                        .slices = D};

    contract_must(c, c->b->copy_box(c->stream[0][0], &back, NULL, a, &c->err));
    assert_memory_equal(in, out, sizeof in);
    c->b->texels_destroy(a);
    c->b->texels_destroy(b);
    c->b->free(c->set, 0, memory);
}

static float number_at(const uint32_t *words, unsigned n)
{
    float f;

    memcpy(&f, &words[n], sizeof f);
    return f;
}

/* A row of texels read as normalized numbers, half way between neighbours, and outside the
   row. */
static void textures_are_read(struct contract *c)
{
    uint8_t in[W];
    uint32_t noted[W];
    struct device_texels *t =
        make(c, (struct proact_texture_array_shape){
                    .width = W, .height = 1, .texel = {PROACT_TEXEL_UNSIGNED, 8, 1}});
    const struct proact_texture how = {
        .address_mode = {PROACT_ADDRESS_CLAMP, PROACT_ADDRESS_CLAMP, PROACT_ADDRESS_CLAMP},
        .filter_linear = true,
        .normalize_values = true};
    const struct proact_copy_3d all = {
        .from = host(in, W, 1), .bytes = W, .rows = 1, .slices = 1};
    uint64_t handle = 0;

    if (!t)
        return;
    for (unsigned n = 0; n < W; n++)
        in[n] = (uint8_t)(n * 5);
    contract_must(c, c->b->copy_box(c->stream[0][0], &all, t, NULL, &c->err));
    contract_must(c, c->b->texture_create(c->set, 0, &how, t, &handle, &c->err));
    device_addr memory = contract_words(c, 0, W);
    struct contract_parameters p = {0};

    contract_add(&p, &memory, sizeof memory);
    contract_add(&p, &handle, sizeof handle);
    contract_run(c, 0, 0, "read_texture", 1, W, &p);
    contract_get(c, 0, memory, noted, W);
    for (unsigned n = 0; n < W; n++) {
        const double wanted = n + 1 < W ? (n + 0.5) * 5 / 255 : (W - 1) * 5 / 255.0;

        assert_true(number_at(noted, n) > wanted - 1e-4 &&
                    number_at(noted, n) < wanted + 1e-4);
    }
    c->b->texture_destroy(c->set, 0, handle);
    c->b->texels_destroy(t);
    c->b->free(c->set, 0, memory);
}

/* A texture of linear memory: its content when the kernel runs, and 0 after its end. */
static void memory_is_read(struct contract *c)
{
    enum { HAS = W - 8 };
    uint32_t in[W], noted[W];
    device_addr from = contract_words(c, 0, W), to = contract_words(c, 0, W);
    const struct proact_texture how = {
        .address = from, .width = HAS, .texel = {PROACT_TEXEL_UNSIGNED, 32, 1}};
    uint64_t handle = 0;
    enum proact_status status =
        c->b->texture_create(c->set, 0, &how, NULL, &handle, &c->err);

    if (status == PROACT_EREFUSED)
        return;
    contract_must(c, status);
    for (unsigned n = 0; n < W; n++)
        in[n] = 1000 + n;
    contract_put(c, 0, from, in, W);
    struct contract_parameters p = {0};

    contract_add(&p, &to, sizeof to);
    contract_add(&p, &handle, sizeof handle);
    contract_run(c, 0, 0, "read_line", 1, W, &p);
    contract_get(c, 0, to, noted, W);
    for (unsigned n = 0; n < W; n++)
        assert_int_equal(noted[n], n < HAS ? in[n] : 0);
    c->b->texture_destroy(c->set, 0, handle);
    c->b->free(c->set, 0, from);
    c->b->free(c->set, 0, to);
}

/* Copies read what a kernel wrote; threads outside the edge write nothing. */
static void surfaces_are_written(struct contract *c)
{
    uint32_t out[W] = {0};
    struct device_texels *t = make(
        c, (struct proact_texture_array_shape){.width = W,
                                               .height = 1,
                                               .allows_surfaces = true,
                                               .texel = {PROACT_TEXEL_UNSIGNED, 32, 1}});
    const struct proact_copy_3d back = {
        .to = host(out, sizeof out, 1), .bytes = sizeof out, .rows = 1, .slices = 1};
    uint64_t handle = 0;

    if (!t)
        return;
    contract_must(c, c->b->surface_create(t, &handle, &c->err));
    const struct contract_parameters p = contract_u64_u32(handle, 7);

    contract_run(c, 0, 0, "write_surface", 1, W + 24, &p);
    contract_must(c, c->b->copy_box(c->stream[0][0], &back, NULL, t, &c->err));
    for (unsigned n = 0; n < W; n++)
        assert_int_equal(out[n], n + 7);
    c->b->surface_destroy(c->set, 0, handle);
    c->b->texels_destroy(t);
}

/* After the sender's event the other device has the data, with all layers. */
static void boxes_go_to_peers(struct contract *c)
{
    static uint32_t in[D][H][W], out[D][H][W];
    const struct proact_texture_array_shape layers = {
        .width = W, .height = H, .layers = D, .texel = {PROACT_TEXEL_UNSIGNED, 32, 1}};
    struct device_texels *a = make(c, layers), *b = make_on(c, 1, layers);
    struct proact_copy_3d all = {.from = host(in, sizeof in[0][0], H),
                                 .bytes = sizeof in[0][0],
                                 .rows = H,
                                 .slices = D};
    struct device_event *event;

    if (!a)
        return;
    for (unsigned n = 0; n < D * H * W; n++)
        (&in[0][0][0])[n] = 7 * n;
    contract_must(c, c->b->event_create(c->set, 0, false, &event, &c->err));
    contract_must(c, c->b->copy_box(c->stream[0][0], &all, a, NULL, &c->err));
    all.from = (struct proact_copy_3d_end){.x = 0};
    contract_must(c, c->b->copy_box(c->stream[0][0], &all, b, a, &c->err));
    contract_must(c, c->b->record(c->stream[0][0], event, &c->err));
    contract_must(c, c->b->wait_event(c->stream[1][1], event, &c->err));
    all.to = host(out, sizeof in[0][0], H);
    contract_must(c, c->b->copy_box(c->stream[1][1], &all, NULL, b, &c->err));
    assert_memory_equal(in, out, sizeof in);
    c->b->event_destroy(event);
    c->b->texels_destroy(a);
    c->b->texels_destroy(b);
}

/* Each device has its own texture object of its own array. */
static void peers_read_theirs(struct contract *c)
{
    const struct proact_texture how = {
        .address_mode = {PROACT_ADDRESS_CLAMP, PROACT_ADDRESS_CLAMP}};
    const struct proact_texture_array_shape line = {
        .width = W, .height = 1, .texel = {PROACT_TEXEL_FLOAT, 32, 1}};

    for (unsigned d = 0; d < 2; d++) {
        struct device_texels *t = make_on(c, d, line);
        float in[W];
        uint32_t noted[W];
        const struct proact_copy_3d all = {
            .from = host(in, sizeof in, 1), .bytes = sizeof in, .rows = 1, .slices = 1};
        uint64_t handle = 0;

        if (!t)
            return;
        for (unsigned n = 0; n < W; n++)
            in[n] = (float)(n + 1000 * d);
        contract_must(c, c->b->copy_box(c->stream[d][0], &all, t, NULL, &c->err));
        contract_must(c, c->b->texture_create(c->set, d, &how, t, &handle, &c->err));
        device_addr memory = contract_words(c, d, W);
        struct contract_parameters p = {0};

        contract_add(&p, &memory, sizeof memory);
        contract_add(&p, &handle, sizeof handle);
        contract_run(c, d, 0, "read_texture", 1, W, &p);
        contract_get(c, d, memory, noted, W);
        for (unsigned n = 0; n + 1 < W; n++)
            assert_true(number_at(noted, n) == in[n + 1]);
        c->b->texture_destroy(c->set, d, handle);
        c->b->texels_destroy(t);
        c->b->free(c->set, d, memory);
    }
}

const struct contract_promise contract_texels[] = {
    {"texels: boxes move", boxes_move, false},
    {"texels: textures are read", textures_are_read, false},
    {"texels: memory is read by textures", memory_is_read, false},
    {"texels: surfaces are written", surfaces_are_written, false},
    {"texels: boxes go to peers", boxes_go_to_peers, true},
    {"texels: peers read theirs", peers_read_theirs, true},
    {NULL, NULL, false},
};
