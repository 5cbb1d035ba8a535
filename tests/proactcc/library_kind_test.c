/* SPDX-License-Identifier: Apache-2.0 */
/* Classification of library calls by name: their effect on the program's memory. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "rt/library/rt_library.h"

static void names_classify_calls(void **state)
{
    static const struct {
        const char *name;
        enum library_kind kind;
    } rows[] = {
        {"cublasCreate_v2", LIBRARY_CREATE},
        {"cublasSetStream_v2", LIBRARY_SETUP},
        {"cublasGetStatusString", LIBRARY_HOST},
        {"cublasGetVersion_v2", LIBRARY_QUERY},
        {"cublasLtGetVersion", LIBRARY_HOST},
        {"cublasSetVector", LIBRARY_PLAIN}, /* a copy to the device */
        {"cublasGetMatrixAsync", LIBRARY_PLAIN},
        {"cublasSgemm_v2", LIBRARY_PLAIN},
        {"cublasIdamax_v2_64", LIBRARY_PLAIN},
        {"cublasSgemmStridedBatched", LIBRARY_PLAIN},
        {"cublasSgemmBatched", LIBRARY_ANY}, /* the addresses are in memory */
        {"cublasGemmGroupedBatchedEx", LIBRARY_ANY},
        {"cublasLtMatmul", LIBRARY_ANY}, /* a descriptor may contain an address */
        {"cublasLtMatmulDescSetAttribute", LIBRARY_SETUP},
        {"cublasXtSgemm", LIBRARY_ANY},
        {"cufftPlanMany", LIBRARY_CREATE_INT},
        {"cufftExecC2C", LIBRARY_PLAIN},
        {"cufftXtExec", LIBRARY_ANY},
        {"cufftXtSetCallback", LIBRARY_HIDES},
        {"curandGenerateUniform", LIBRARY_PLAIN},
        {"curandSetPseudoRandomGeneratorSeed", LIBRARY_SETUP},
        {"curandGetDirectionVectors32", LIBRARY_HOST},
        {"curandGetScrambleConstants64", LIBRARY_HOST},
        {"cusolverDnSgetrf", LIBRARY_PLAIN},
        {"cusolverDnSgetrf_bufferSize", LIBRARY_QUERY},
        {"cusolverDnSpotrfBatched", LIBRARY_ANY},
        {"cusolverSpScsrlsvqr", LIBRARY_ANY},
        {"cusparseSpMV", LIBRARY_ANY},
        {"cusparseCreateDnVec", LIBRARY_CREATE},
        {"cudnnConvolutionForward", LIBRARY_ANY},
        {"cudnnSetTensor", LIBRARY_ANY}, /* fills a tensor */
        {"cudnnSetTensor4dDescriptor", LIBRARY_SETUP},
        {"cudnnGetErrorString", LIBRARY_HOST},
        {"cublasDestroy_v2", LIBRARY_SETUP},
        {"cublasGetStream_v2", LIBRARY_QUERY},
        {"cublasLtCreate", LIBRARY_CREATE},
        {"cublasLtMatmulDescCreate", LIBRARY_CREATE},
        {"cublasLtMatmulAlgoGetHeuristic", LIBRARY_QUERY},
        {"cufftCreate", LIBRARY_CREATE_INT},
        {"cufftMakePlan1d", LIBRARY_QUERY}, /* returns a size */
        {"curandCreateGenerator", LIBRARY_CREATE},
        {"curandCreatePoissonDistribution", LIBRARY_QUERY},
        {"cusolverDnCreate", LIBRARY_CREATE},
        {"cusparseSpSV_createDescr", LIBRARY_CREATE},
        {"cusparseCreateIdentityPermutation", LIBRARY_ANY},
        {"cudnnCreate", LIBRARY_CREATE},
        {"cudnnBackendCreateDescriptor", LIBRARY_ANY}, /* the second argument */
        {"nppiAdd_8u_C1RSfs_Ctx", LIBRARY_ANY},
    };

    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        if (library_kind_of(rows[i].name) != rows[i].kind)
            fail_msg("%s is of kind %d, not %d", rows[i].name,
                     (int)library_kind_of(rows[i].name), (int)rows[i].kind);
}

static void a_refusal_is_the_librarys_own(void **state)
{
    (void)state;
    assert_int_equal(library_refusal_of("cublasLtMatmul"), 15);
    assert_int_equal(library_refusal_of("cufftExecC2C"), 16);
    assert_int_equal(library_refusal_of("cudnnCreate"), 3000);
    assert_int_equal(library_refusal_of("ncclAllReduce"), 1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(names_classify_calls),
        cmocka_unit_test(a_refusal_is_the_librarys_own),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
