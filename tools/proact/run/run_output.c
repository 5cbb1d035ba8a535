/* SPDX-License-Identifier: Apache-2.0 */
#include "run/run_output.h"

#include <inttypes.h>
#include <string.h>
#include <sys/stat.h>

#include "base/fail.h"

enum { NPY_ALIGNMENT = 64, NPY_PREFIX = 10 }; /* magic, version, and the header's length */

static size_t element_bytes(char type)
{
    return type == 'd' ? sizeof(double) : sizeof(uint32_t);
}

static const char *npy_type(char type)
{
    return type == 'd' ? "<f8" : type == 'f' ? "<f4" : type == 'i' ? "<i4" : "<u4";
}

static size_t element_count(const struct run_array *a)
{
    size_t count = 1;

    for (unsigned d = 0; d < a->dimensions; d++)
        count *= a->extent[d];
    return count;
}

/* Format 1.0 of NumPy's .npy files. */
static void add_npy_head(struct file_output *file, const struct run_array *a)
{
    struct text head = {0};

    text_print(&head, "{'descr': '%s', 'fortran_order': False, 'shape': (",
               npy_type(a->type));
    for (unsigned d = 0; d < a->dimensions; d++)
        text_print(&head, "%zu, ", a->extent[d]);
    text_print(&head, "), }");
    while ((NPY_PREFIX + head.length + 1) % NPY_ALIGNMENT)
        text_add(&head, " ", 1);
    text_add(&head, "\n", 1);
    const unsigned char length[] = {head.length & 255, (unsigned char)(head.length >> 8)};

    file_add(file, "\x93NUMPY\x01\x00", 8);
    file_add(file, (const char *)length, sizeof length);
    file_add(file, head.data, head.length);
    text_clear(&head);
}

static enum proact_status write_npy(const struct run_array *a, const char *path,
                                    struct proact_error *err)
{
    struct file_output file;
    enum proact_status status = file_open(path, &file, err);

    if (status)
        return status;
    add_npy_head(&file, a);
    file_add(&file, a->data, element_count(a) * element_bytes(a->type));
    return file_finish(&file, err);
}

static enum proact_status write_folder(const struct run_array *arrays, unsigned count,
                                       const char *path, struct proact_error *err)
{
    enum proact_status status = PROACT_OK;

    for (unsigned i = 0; i < count && !status; i++) {
        struct text name = {0};

        text_print(&name, "%s/%s.npy", path, arrays[i].name);
        status = write_npy(&arrays[i], name.data, err);
        text_clear(&name);
    }
    return status;
}

/* So many digits that reading gives the same bits. */
static void print_element(struct text *line, const struct run_array *a, size_t i)
{
    if (a->type == 'd')
        text_print(line, "%.17g", ((const double *)a->data)[i]);
    else if (a->type == 'f')
        text_print(line, "%.9g", (double)((const float *)a->data)[i]);
    else if (a->type == 'i')
        text_print(line, "%" PRId32, ((const int32_t *)a->data)[i]);
    else
        text_print(line, "%" PRIu32, ((const uint32_t *)a->data)[i]);
}

/* Rows are the elements of the first dimension. */
static void print_array_row(struct text *line, const struct run_array *a, size_t row)
{
    size_t columns = element_count(a) / a->extent[0];

    for (size_t c = 0; c < columns; c++) {
        if (line->length)
            text_add(line, " ", 1);
        print_element(line, a, row * columns + c);
    }
}

static enum proact_status write_columns(const struct run_array *arrays, unsigned count,
                                        const char *path, struct proact_error *err)
{
    struct file_output file;

    for (unsigned i = 1; i < count; i++)
        if (arrays[i].extent[0] != arrays[0].extent[0])
            return fail(err, PROACT_EINVAL,
                        "%s: '%s' has %zu rows and '%s' has %zu: name a folder, which gets "
                        "a file for each",
                        path, arrays[0].name, arrays[0].extent[0], arrays[i].name,
                        arrays[i].extent[0]);
    enum proact_status status = file_open(path, &file, err);

    if (status)
        return status;
    for (size_t row = 0; row < arrays[0].extent[0]; row++) {
        struct text line = {0};

        for (unsigned i = 0; i < count; i++)
            print_array_row(&line, &arrays[i], row);
        text_add(&line, "\n", 1);
        file_add(&file, line.data, line.length);
        text_clear(&line);
    }
    return file_finish(&file, err);
}

enum proact_status run_output_write(const struct run_array *arrays, unsigned count,
                                    const char *path, struct proact_error *err)
{
    struct stat info;
    size_t length = strlen(path);

    if (stat(path, &info) == 0 && S_ISDIR(info.st_mode))
        return write_folder(arrays, count, path, err);
    if (length < 4 || strcmp(path + length - 4, ".npy") != 0)
        return write_columns(arrays, count, path, err);
    if (count > 1)
        return fail(err, PROACT_EINVAL,
                    "%s: a .npy file has one array, and the answer has %u: name a folder",
                    path, count);
    return write_npy(arrays, path, err);
}
