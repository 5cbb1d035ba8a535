/* SPDX-License-Identifier: Apache-2.0 */

/* The cases of lanes_cases.def on the GPU of this machine. Results equal those of the
   hardware bit for bit, or nearly where the hardware approximates. The test is skipped
   without a driver or a GPU. */

#include <dlfcn.h>
#include <math.h>
#include <string.h>

#include "lanes_machine.h"

enum { ROUNDS = 64, COUNT = ROUNDS * LANES, TEXT = 16384 };

/* Functions of the driver that the test uses; CUresult 0 is success. */
struct driver {
    int (*init)(unsigned flags);
    int (*device_get)(int *device, int ordinal);
    int (*retain)(void **context, int device);
    int (*make_current)(void *context);
    int (*alloc)(uint64_t *address, size_t bytes);
    int (*to_device)(uint64_t to, const void *from, size_t bytes);
    int (*to_host)(void *to, uint64_t from, size_t bytes);
    int (*load)(void **module, const void *image, unsigned count, int *options,
                void **values);
    int (*unload)(void *module);
    int (*function)(void **function, void *module, const char *name);
    int (*launch)(void *function, unsigned gx, unsigned gy, unsigned gz, unsigned bx,
                  unsigned by, unsigned bz, unsigned shared, void *stream,
                  void **parameters, void **extra);
    int (*synchronize)(void);
};

static bool driver_open(struct driver *d)
{
    static const char *const names[] = {"cuInit",
                                        "cuDeviceGet",
                                        "cuDevicePrimaryCtxRetain",
                                        "cuCtxSetCurrent",
                                        "cuMemAlloc_v2",
                                        "cuMemcpyHtoD_v2",
                                        "cuMemcpyDtoH_v2",
                                        "cuModuleLoadDataEx",
                                        "cuModuleUnload",
                                        "cuModuleGetFunction",
                                        "cuLaunchKernel",
                                        "cuCtxSynchronize"};
    void *library = dlopen("libcuda.so.1", RTLD_NOW);
    void *context;
    int device;

    if (!library)
        return false;
    for (size_t k = 0; k < sizeof names / sizeof *names; k++) {
        void *symbol = dlsym(library, names[k]);

        if (!symbol)
            return false;
        memcpy((unsigned char *)d + k * sizeof symbol, &symbol, sizeof symbol);
    }
    return !d->init(0) && !d->device_get(&device, 0) && !d->retain(&context, device) &&
           !d->make_current(context);
}

static void add(char *text, const char *format, ...)
{
    size_t used = strlen(text);
    va_list list;

    va_start(list, format);
    vsnprintf(text + used, TEXT - used, format, list);
    va_end(list);
}

static void operand_name(char *into, char kind, const char *role, unsigned k)
{
    snprintf(into, 16, "%%%s%c%u", role, kind, k);
}

/* Writes one kernel: thread t reads tuple t of 64-bit values, runs the instruction, and
   writes two values. */
static void kernel_text(const struct machine *m, const struct lanes_case *c, char *text)
{
    int words = (int)strcspn(c->text, " ");
    char name[16];

    text[0] = 0;
    add(text, ".version 8.6\n.target sm_90a\n.address_size 64\n"
              ".visible .entry k(.param .u64 in, .param .u64 out)\n{\n"
              ".reg .u32 %%t; .reg .b64 %%i, %%o, %%x, %%n; .reg .pred %%z;\n"
              "ld.param.u64 %%i, [in]; ld.param.u64 %%o, [out];\n"
              "mov.u32 %%t, %%ctaid.x; mad.wide.u32 %%i, %%t, 1024, %%i;\n"
              "mad.wide.u32 %%o, %%t, 512, %%o; mov.u32 %%t, %%tid.x;\n"
              "mad.wide.u32 %%i, %%t, 32, %%i; mad.wide.u32 %%o, %%t, 16, %%o;\n");
    for (unsigned k = 0; k < m->from_count + m->to_count; k++) {
        bool to = k < m->to_count;
        unsigned n = to ? k : k - m->to_count;
        char kind = to ? m->to[n] : m->from[n];

        operand_name(name, kind, to ? "d" : "s", n);
        add(text, ".reg .%s %s;\n",
            kind == 'p'   ? "pred"
            : kind == '2' ? "b16"
            : kind == '4' ? "b32"
                          : "b64",
            name);
        if (to)
            continue;
        add(text, "ld.global.u64 %%x, [%%i+%u];\n", n * 8);
        add(text,
            kind == 'p'   ? "setp.ne.u64 %s, %%x, 0;\n"
            : kind == '8' ? "mov.b64 %s, %%x;\n"
                          : "cvt.u%s.u64 %s, %%x;\n",
            kind == 'p' || kind == '8' ? name
            : kind == '2'              ? "16"
                                       : "32",
            name);
    }
    add(text, "%.*s ", words, c->text);
    for (unsigned k = 0; k < m->to_count; k++) {
        operand_name(name, m->to[k], "d", k);
        add(text, "%s%s", k ? "|" : "", name);
    }
    for (unsigned k = 0; k < m->from_count; k++) {
        operand_name(name, m->from[k], "s", k);
        add(text, ", %s", name);
    }
    add(text, c->text[words] ? ",%s;\n" : ";\n", c->text + words);
    for (unsigned k = 0; k < m->to_count; k++) {
        operand_name(name, m->to[k], "d", k);
        if (m->to[k] == 'p')
            add(text, "selp.u64 %%x, 1, 0, %s;\n", name);
        else
            add(text, m->to[k] == '8' ? "mov.b64 %%x, %s;\n" : "cvt.u64.u%s %%x, %s;\n",
                m->to[k] == '8'   ? name
                : m->to[k] == '2' ? "16"
                                  : "32",
                name);
        add(text, "st.global.u64 [%%o+%u], %%x;\n", k * 8);
    }
    add(text, "ret;\n}\n");
}

struct tuples {
    uint64_t in[COUNT][4], ours[COUNT][2], theirs[COUNT][2];
};

static bool on_hardware(const struct driver *d, const char *text, struct tuples *t,
                        const uint64_t memory[2], char *log)
{
    int options[] = {5, 6}; /* CU_JIT_ERROR_LOG_BUFFER and its size */
    void *values[] = {log, (void *)(uintptr_t)4096};
    uint64_t in = memory[0], out = memory[1];
    void *module, *function, *parameters[] = {&in, &out};

    log[0] = 0;
    if (d->load(&module, text, 2, options, values))
        return false;
    assert_int_equal(d->function(&function, module, "k"), 0);
    assert_int_equal(d->to_device(in, t->in, sizeof t->in), 0);
    assert_int_equal(
        d->launch(function, ROUNDS, 1, 1, LANES, 1, 1, 0, NULL, parameters, NULL), 0);
    assert_int_equal(d->synchronize(), 0);
    assert_int_equal(d->to_host(t->theirs, out, sizeof t->theirs), 0);
    d->unload(module);
    return true;
}

static double as_number(const struct machine *m, uint64_t bits)
{
    uint32_t word = (uint32_t)bits;
    float narrow;
    double wide;

    if (m->type == PTX_PART_BF16)
        word <<= 16;
    memcpy(&narrow, &word, sizeof narrow);
    memcpy(&wide, &bits, sizeof wide);
    if (m->type == PTX_PART_F16)
        return (word & 0x7c00) == 0x7c00
                   ? (word & 0x3ff    ? NAN
                      : word & 0x8000 ? -HUGE_VAL
                                      : HUGE_VAL)
                   : ldexp((word & 0x3ff) | (word & 0x7c00 ? 0x400 : 0),
                           (word & 0x7c00 ? (int)(word >> 10 & 31) - 1 : 0) - 24) *
                         (word & 0x8000 ? -1 : 1);
    return m->type == PTX_PART_F64 ? wide : (double)narrow;
}

static bool agrees(const struct machine *m, uint64_t ours, uint64_t theirs)
{
    bool approximate = machine_has(m, PTX_PART_APPROX) || machine_has(m, PTX_PART_FULL);

    if (ours == theirs)
        return true;
    if (!approximate)
        return false;
    if (m->type == PTX_PART_F16X2 || m->type == PTX_PART_BF16X2) {
        struct machine half = *m;

        half.type = m->type == PTX_PART_F16X2 ? PTX_PART_F16 : PTX_PART_BF16;
        return agrees(&half, ours & 0xffff, theirs & 0xffff) &&
               agrees(&half, ours >> 16, theirs >> 16);
    }
    double x = as_number(m, ours), y = as_number(m, theirs);

    return (x != x && y != y) || fabs(x - y) <= fabs(y) * 0x1p-7 + 0x1p-18;
}

/* Range in which the hardware's sine and cosine are accurate. */
static bool in_range(const struct machine *m, uint64_t input)
{
    bool periodic = m->instruction.opcode == PTX_SIN || m->instruction.opcode == PTX_COS;

    return !periodic || fabs(as_number(m, input)) < 300;
}

static unsigned compare_case(const struct driver *d, const struct lanes_case *c,
                             struct tuples *t, const uint64_t memory[2])
{
    uint64_t state = 88172645463325252;
    struct machine m;
    char text[TEXT], log[4096];
    unsigned bad = 0;

    machine_init(&m, c->text, c->signature);
    for (unsigned round = 0; round < ROUNDS; round++) {
        machine_fill(&m, &state);
        machine_run(&m, op_table_best(), UINT32_MAX);
        for (unsigned l = 0; l < LANES; l++) {
            for (unsigned k = 0; k < 4; k++)
                t->in[round * LANES + l][k] = m.in[k][l];
            for (unsigned k = 0; k < 2; k++)
                t->ours[round * LANES + l][k] = m.out[k][l];
        }
    }
    kernel_text(&m, c, text);
    if (!on_hardware(d, text, t, memory, log)) {
        print_message("%s: the driver refuses it: %.200s\n", c->text, log);
        return 0;
    }
    for (unsigned n = 0; n < COUNT; n++)
        for (unsigned k = 0; k < m.to_count; k++)
            if (in_range(&m, t->in[n][0]) && !agrees(&m, t->ours[n][k], t->theirs[n][k]) &&
                bad++ < 3)
                print_message(
                    "%s: %llx %llx %llx %llx: we %llx, hardware %llx\n", c->text,
                    (unsigned long long)t->in[n][0], (unsigned long long)t->in[n][1],
                    (unsigned long long)t->in[n][2], (unsigned long long)t->in[n][3],
                    (unsigned long long)t->ours[n][k], (unsigned long long)t->theirs[n][k]);
    return bad;
}

static void hardware_agrees(void **unused)
{
    struct tuples *t = malloc(sizeof *t);
    uint64_t memory[2] = {0, 0};
    unsigned wrong = 0;
    struct driver d;

    (void)unused;
    if (!driver_open(&d)) {
        free(t);
        print_message("no GPU here\n");
        exit(77);
    }
    assert_int_equal(d.alloc(&memory[0], sizeof t->in), 0);
    assert_int_equal(d.alloc(&memory[1], sizeof t->theirs), 0);
    for (unsigned k = 0; k < LANES_CASES; k++)
        wrong += compare_case(&d, &lanes_cases[k], t, memory) != 0;
    print_message("%u of %d instructions differ (%s)\n", wrong, LANES_CASES,
                  op_table_best()->processor);
    free(t);
    assert_int_equal(wrong, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(hardware_agrees)};

    return cmocka_run_group_tests(tests, NULL, NULL);
}
