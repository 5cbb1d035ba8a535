/* SPDX-License-Identifier: Apache-2.0 */
/* Cells of two colours in a checkerboard, where each step computes one colour from the
   other: single words with gaps. Then a kernel reads the gaps, which no kernel read before.
   Also colour channels of pictures, and members of structs, computed from the others. */
#include "programs.h"

enum { WIDTH = 96, HEIGHT = 64, STEPS = 3 };
enum { ACROSS = 32, DOWN = 4 };

__global__ void half_step(int *cells, int colour)
{
    const int x = blockIdx.x * blockDim.x + threadIdx.x + 1,
              y = blockIdx.y * blockDim.y + threadIdx.y + 1, n = WIDTH + 2;

    if (x > WIDTH || y > HEIGHT || ((x + y) & 1) != colour)
        return;
    int *cell = &cells[y * n + x];

    *cell = 3 * cell[-1] + (cell[1] ^ *cell);
}

/* Sums of one colour in the row below; the row of a device's last thread belongs to another
   device. */
__global__ void row_sums(const int *cells, int *sums, int colour)
{
    const int y = blockIdx.x * blockDim.x + threadIdx.x + 1, n = WIDTH + 2;
    int sum = 0;

    if (y > HEIGHT)
        return;
    for (int x = 1 + ((y + 1 + colour + 1) & 1); x <= WIDTH; x += 2)
        sum = 5 * sum + cells[(y + 1) * n + x];
    sums[y] += sum;
}

/* Red and green of a pixel from its blue, then blue from both, in rows of other blocks. */
__global__ void red_green(unsigned char *pixel, int pixels)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;

    if (i >= pixels)
        return;
    pixel[3 * i] += 7 * pixel[3 * i + 2];
    pixel[3 * i + 1] ^= pixel[3 * i + 2];
}

__global__ void blue(unsigned char *pixel, int pixels)
{
    for (int i = 3 * (blockIdx.x * blockDim.x + threadIdx.x), end = i + 3; i < end; i++)
        if (i < pixels)
            pixel[3 * i + 2] = pixel[3 * i] + pixel[3 * i + 1];
}

struct particle {
    int place[3], age;
    short charge, kind;
};

/* Updates of two members, then of the others, with the devices in reverse order. */
__global__ void step_members(struct particle *p, int count)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;

    if (i >= count)
        return;
    p[i].place[1] = 3 * i;
    p[i].kind = (short)i;
}

__global__ void step_others(struct particle *p, int count, int step)
{
    const int i = count - 1 - (int)(blockIdx.x * blockDim.x + threadIdx.x);

    if (i < 0)
        return;
    p[i].place[0] += p[i].place[1] + step;
    p[i].age = step;
}

static void expect_cells(int *cells, int *sums)
{
    const int n = WIDTH + 2;

    for (int step = 0; step < 2 * STEPS; step++) {
        for (int y = 1; y <= HEIGHT; y++)
            for (int x = 1; x <= WIDTH; x++)
                if (((x + y) & 1) == (step & 1)) {
                    int *cell = &cells[y * n + x];

                    *cell = 3 * cell[-1] + (cell[1] ^ *cell);
                }
        if (!(step & 1) && step < 2 * STEPS - 2)
            continue;
        for (int y = 1; y <= HEIGHT; y++) {
            int sum = 0;

            for (int x = 1; x <= WIDTH; x++)
                if (((x + y + 1) & 1) == (step & 1))
                    sum = 5 * sum + cells[(y + 1) * n + x];
            sums[y] += sum;
        }
    }
}

static bool cells_are_right(void)
{
    enum { CELLS = (WIDTH + 2) * (HEIGHT + 2) };
    static int cells[CELLS], got[CELLS], sums[HEIGHT + 1], got_sums[HEIGHT + 1];
    const dim3 block(ACROSS, DOWN), grid(WIDTH / ACROSS, HEIGHT / DOWN);
    int *d_cells, *d_sums;
    unsigned state = 11;

    for (int i = 0; i < CELLS; i++)
        cells[i] = (int)next_random(&state);
    CHECK(cudaMalloc((void **)&d_cells, sizeof cells));
    CHECK(cudaMalloc((void **)&d_sums, sizeof sums));
    CHECK(cudaMemset(d_sums, 0, sizeof sums));
    CHECK(cudaMemcpy(d_cells, cells, sizeof cells, cudaMemcpyHostToDevice));
    for (int step = 0; step < 2 * STEPS; step++) {
        half_step<<<grid, block>>>(d_cells, step & 1);
        if ((step & 1) || step >= 2 * STEPS - 2)
            row_sums<<<HEIGHT / 8, 8>>>(d_cells, d_sums, step & 1);
    }
    CHECK(cudaMemcpy(got, d_cells, sizeof got, cudaMemcpyDeviceToHost));
    CHECK(cudaMemcpy(got_sums, d_sums, sizeof sums, cudaMemcpyDeviceToHost));
    expect_cells(cells, sums);
    CHECK(cudaFree(d_cells));
    CHECK(cudaFree(d_sums));
    printf("%08x %08x\n", checksum(got, sizeof got), checksum(got_sums, sizeof sums));
    return !memcmp(got, cells, sizeof got) && !memcmp(got_sums, sums, sizeof sums);
}

static bool members_are_right(void)
{
    enum { COUNT = 1500, THREADS = 64 };
    static struct particle particle[COUNT], got[COUNT];
    struct particle *d_particle;
    unsigned state = 7;

    for (int i = 0; i < COUNT; i++) {
        particle[i].place[0] = (int)next_random(&state);
        particle[i].place[2] = (int)next_random(&state);
        particle[i].charge = (short)next_random(&state);
    }
    CHECK(cudaMalloc((void **)&d_particle, sizeof particle));
    CHECK(cudaMemcpy(d_particle, particle, sizeof particle, cudaMemcpyHostToDevice));
    for (int step = 1; step <= STEPS; step++) {
        step_members<<<blocks_for(COUNT, THREADS), THREADS>>>(d_particle, COUNT);
        step_others<<<blocks_for(COUNT, THREADS), THREADS>>>(d_particle, COUNT, step);
        for (int i = 0; i < COUNT; i++) {
            particle[i].place[1] = 3 * i;
            particle[i].kind = (short)i;
            particle[i].place[0] += particle[i].place[1] + step;
            particle[i].age = step;
        }
    }
    CHECK(cudaMemcpy(got, d_particle, sizeof got, cudaMemcpyDeviceToHost));
    CHECK(cudaFree(d_particle));
    printf("%08x\n", checksum(got, sizeof got));
    return !memcmp(got, particle, sizeof got);
}

static bool pixels_are_right(void)
{
    enum { PIXELS = 2999, THREADS = 64 };
    static unsigned char pixel[3 * PIXELS], got[3 * PIXELS];
    unsigned char *d_pixel;
    unsigned state = 5;

    for (int i = 0; i < 3 * PIXELS; i++)
        pixel[i] = (unsigned char)next_random(&state);
    CHECK(cudaMalloc((void **)&d_pixel, sizeof pixel));
    CHECK(cudaMemcpy(d_pixel, pixel, sizeof pixel, cudaMemcpyHostToDevice));
    for (int step = 0; step < STEPS; step++) {
        red_green<<<blocks_for(PIXELS, THREADS), THREADS>>>(d_pixel, PIXELS);
        blue<<<blocks_for(PIXELS, 3 * THREADS), THREADS>>>(d_pixel, PIXELS);
        for (int i = 0; i < PIXELS; i++) {
            pixel[3 * i] += 7 * pixel[3 * i + 2];
            pixel[3 * i + 1] ^= pixel[3 * i + 2];
            pixel[3 * i + 2] = pixel[3 * i] + pixel[3 * i + 1];
        }
    }
    CHECK(cudaMemcpy(got, d_pixel, sizeof got, cudaMemcpyDeviceToHost));
    CHECK(cudaFree(d_pixel));
    printf("%08x\n", checksum(got, sizeof got));
    return !memcmp(got, pixel, sizeof got);
}

int main(void)
{
    const bool cells = cells_are_right(), members = members_are_right();

    return verdict("colour_steps", pixels_are_right() && cells && members);
}
