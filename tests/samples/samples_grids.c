/* SPDX-License-Identifier: Apache-2.0 */
/* Stencils and transpositions. Matrices have shape[0] rows of shape[1] elements of 4 bytes,
   volumes shape[0] planes of shape[1] rows of shape[2]. */
#include "samples/samples_fill.h"

static const double fused = 1e-6;

/* CTA (x, y) writes `rows` rows from y * rows on, in each one tile from byte x * tile
   on. */
static struct proact_map tiles(int row_elements, int tile_elements, int rows)
{
    return (struct proact_map){.kind = PROACT_MAP_STENCIL,
                               .range_bytes = (uint64_t)tile_elements * 4,
                               .stride_bytes = (uint64_t)row_elements * 4,
                               .rows_per_cta = (uint64_t)rows};
}

static struct proact_map by_callback(struct samples_case *c,
                                     void (*ranges_of)(void *context,
                                                       const uint32_t grid[3],
                                                       const uint32_t cta[3],
                                                       proact_emit_range *emit, void *sink))
{
    return (struct proact_map){
        .kind = PROACT_MAP_CALLBACK, .emit_ranges = ranges_of, .context = c};
}

/* Five-point stencil on a matrix; the border is kept, or clamped to the nearest inner
   neighbour. */
static void five_points(struct samples_case *c, bool large, bool clamps)
{
    int nx = large ? 1000 : 75, ny = large ? 1000 : 53;
    const float *in = samples_floats(c, "in", (size_t)nx * (size_t)ny);

    samples_floats(c, "out", (size_t)nx * (size_t)ny);
    float *out = samples_output(c, fused);

    for (int j = 0; j < ny; j++)
        for (int i = 0; i < nx; i++) {
            bool inside = i > 0 && i < nx - 1 && j > 0 && j < ny - 1;
            int left = i ? i - 1 : 0, right = i < nx - 1 ? i + 1 : i;
            int up = j ? j - 1 : 0, down = j < ny - 1 ? j + 1 : j;

            if (inside || clamps)
                out[j * nx + i] = 0.25f * (in[j * nx + left] + in[j * nx + right] +
                                           in[up * nx + i] + in[down * nx + i]);
        }
    c->shape[0] = ny;
    c->shape[1] = nx;
    samples_map(c, tiles(nx, 16, 16));
    samples_grid(c, samples_parts(nx, 16), samples_parts(ny, 16), 16, 16);
}

static void five_points_flat(struct samples_case *c, bool large, bool clamps)
{
    five_points(c, large, clamps);
    samples_pass_all(c);
    samples_pass_int(c, c->shape[1]);
    samples_pass_int(c, c->shape[0]);
}

void fill_jacobi(struct samples_case *c, bool large)
{
    five_points_flat(c, large, false);
}

void fill_jacobi_clamp(struct samples_case *c, bool large)
{
    five_points_flat(c, large, true);
}

void fill_nd_jacobi(struct samples_case *c, bool large)
{
    five_points(c, large, false);
    const int shape[] = {c->shape[0], c->shape[1], c->shape[1], 1};

    samples_pass_struct(c, 0, shape, 4);
    samples_pass_struct(c, 1, shape, 4);
}

/* CTAs of 32 x 4 threads iterate over all planes; the outer planes are not written. */
static void columns_of(void *context, const uint32_t grid[3], const uint32_t cta[3],
                       proact_emit_range *emit, void *sink)
{
    const struct samples_case *c = context;
    int planes = c->shape[0], rows = c->shape[1], row = c->shape[2];
    int first = (int)cta[0] * 32, end = first + 32 < row ? first + 32 : row;

    (void)grid;
    for (int k = 1; k < planes - 1; k++)
        for (int j = (int)cta[1] * 4; j < (int)cta[1] * 4 + 4 && j < rows; j++)
            emit(sink, (uint64_t)((k * rows + j) * row + first) * 4,
                 (uint64_t)(end - first) * 4);
}

static void seven_points(struct samples_case *c, bool large)
{
    int nx = large ? 128 : 37, ny = large ? 128 : 21, nz = large ? 64 : 17, plane = nx * ny;
    const float *in = samples_floats(c, "in", (size_t)plane * (size_t)nz);

    samples_floats(c, "out", (size_t)plane * (size_t)nz);
    float *out = samples_output(c, 4 * fused);

    for (int k = 1; k < nz - 1; k++)
        for (int j = 1; j < ny - 1; j++)
            for (int i = 1; i < nx - 1; i++) {
                const float *at = &in[k * plane + j * nx + i];

                out[k * plane + j * nx + i] = at[-plane] + at[plane] + at[-nx] + at[nx] +
                                              at[-1] + at[1] - 6.f * at[0];
            }
    c->shape[0] = nz;
    c->shape[1] = ny;
    c->shape[2] = nx;
    samples_map(c, by_callback(c, columns_of));
    samples_grid(c, samples_parts(nx, 32), samples_parts(ny, 4), 32, 4);
}

void fill_stencil3d(struct samples_case *c, bool large)
{
    seven_points(c, large);
    samples_pass_all(c);
    for (int d = 2; d >= 0; d--)
        samples_pass_int(c, c->shape[d]);
}

void fill_nd_stencil3d(struct samples_case *c, bool large)
{
    seven_points(c, large);
    const int shape[] = {
        c->shape[0], c->shape[1], c->shape[2], c->shape[1] * c->shape[2], c->shape[2], 1};

    samples_pass_struct(c, 0, shape, 6);
    samples_pass_struct(c, 1, shape, 6);
}

/* `in` has shape[0] rows of shape[1]. The output is added last, but may be passed first. */
static void transposed(struct samples_case *c, bool large)
{
    int rows = large ? 1024 : 41, row = large ? 1024 : 75;
    const float *in = samples_floats(c, "in", (size_t)rows * (size_t)row);

    samples_floats(c, "out", (size_t)rows * (size_t)row);
    float *out = samples_output(c, 0);

    for (int j = 0; j < rows; j++)
        for (int i = 0; i < row; i++)
            out[i * rows + j] = in[j * row + i];
    c->shape[0] = rows;
    c->shape[1] = row;
}

/* CTA i reads 128 elements from i * 128 on and writes them to distant elements. */
static void scattered(void *context, const uint32_t grid[3], const uint32_t cta[3],
                      proact_emit_range *emit, void *sink)
{
    const struct samples_case *c = context;
    int rows = c->shape[0], row = c->shape[1];

    (void)grid;
    for (int t = (int)cta[0] * 128; t < (int)cta[0] * 128 + 128 && t < rows * row; t++)
        emit(sink, (uint64_t)(t % row * rows + t / row) * 4, 4);
}

void fill_flat2d(struct samples_case *c, bool large)
{
    transposed(c, large);
    samples_map(c, by_callback(c, scattered));
    samples_pass_all(c);
    samples_pass_int(c, c->shape[1]);
    samples_pass_int(c, c->shape[0]);
    samples_grid(c, samples_parts(c->shape[0] * c->shape[1], 128), 1, 128, 1);
}

/* CTA (x, y) reads tile (x, y) of shape[2] squared, and writes tile (y, x) of the
   output. */
static void mirrored(void *context, const uint32_t grid[3], const uint32_t cta[3],
                     proact_emit_range *emit, void *sink)
{
    const struct samples_case *c = context;
    int row = c->shape[0], rows = c->shape[1], tile = c->shape[2]; /* of the output */
    int first = (int)cta[1] * tile, end = first + tile < row ? first + tile : row;

    (void)grid;
    for (int j = (int)cta[0] * tile; j < ((int)cta[0] + 1) * tile && j < rows; j++)
        if (first < end)
            emit(sink, (uint64_t)(j * row + first) * 4, (uint64_t)(end - first) * 4);
}

static void mirrored_tiles(struct samples_case *c, bool large, int tile)
{
    transposed(c, large);
    c->shape[2] = tile;
    samples_map(c, by_callback(c, mirrored));
    samples_grid(c, samples_parts(c->shape[1], tile), samples_parts(c->shape[0], tile),
                 tile, tile);
}

void fill_transpose(struct samples_case *c, bool large)
{
    mirrored_tiles(c, large, 32);
    c->grid.threads[1] = 8;
    samples_pass_array(c, 1);
    samples_pass_array(c, 0);
    samples_pass_int(c, c->shape[1]);
    samples_pass_int(c, c->shape[0]);
}

void fill_nd2_transpose(struct samples_case *c, bool large)
{
    mirrored_tiles(c, large, 16);
    samples_pass_struct(c, 1, (const int[]){c->shape[1], c->shape[0]}, 2);
    samples_pass_struct(c, 0, (const int[]){c->shape[0], c->shape[1]}, 2);
}

static void doubled(struct samples_case *c, bool large)
{
    int rows = large ? 512 : 37, row = large ? 1024 : 101;
    const float *in = samples_floats(c, "in", (size_t)rows * (size_t)row);

    samples_floats(c, "out", (size_t)rows * (size_t)row);
    float *out = samples_output(c, 0);

    for (int i = 0; i < rows * row; i++)
        out[i] = 2.f * in[i];
    c->shape[0] = rows;
    c->shape[1] = row;
    samples_pass_struct(c, 1, (const int[]){rows, row}, 2);
    samples_pass_struct(c, 0, (const int[]){rows, row}, 2);
}

/* CTAs of 16 x 4 threads: four rows each, and in them every third block of 16 columns. */
static void dealt_columns(void *context, const uint32_t grid[3], const uint32_t cta[3],
                          proact_emit_range *emit, void *sink)
{
    const struct samples_case *c = context;
    int rows = c->shape[0], row = c->shape[1];

    for (int j = (int)cta[1] * 4; j < (int)cta[1] * 4 + 4 && j < rows; j++)
        for (int i = (int)cta[0] * 16; i < row; i += (int)grid[0] * 16)
            emit(sink, (uint64_t)(j * row + i) * 4,
                 (uint64_t)(i + 16 < row ? 16 : row - i) * 4);
}

void fill_nd2_blockcyclic(struct samples_case *c, bool large)
{
    doubled(c, large);
    samples_map(c, by_callback(c, dealt_columns));
    samples_grid(c, 3, samples_parts(c->shape[0], 4), 16, 4);
}

void fill_nd2_cyclic_row(struct samples_case *c, bool large)
{
    enum { CTAS = 8 };

    doubled(c, large);
    samples_map(
        c, (struct proact_map){.kind = PROACT_MAP_STRIDED,
                               .range_bytes = (uint64_t)c->shape[1] * 4,
                               .range_count = (uint64_t)samples_parts(c->shape[0], CTAS),
                               .stride_bytes = (uint64_t)c->shape[1] * 4 * CTAS,
                               .cta_stride_bytes = (uint64_t)c->shape[1] * 4});
    samples_grid(c, CTAS, 1, 64, 1);
}
