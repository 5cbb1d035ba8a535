# Write sets of complete kernels use the launches of the samples.
target_sources(access_tests PRIVATE access/write_set_truth.c access/oracle.c)
target_link_libraries(access_tests PRIVATE proact_samples)
proact_test(NAME access.write_set_spare COMMAND access_tests write_set_samples spare
    WORKING_DIRECTORY ${CMAKE_CURRENT_BINARY_DIR})
set_tests_properties(access.write_set_spare PROPERTIES TIMEOUT 300 LABELS long)
proact_test(NAME access.slice_random_large COMMAND access_tests slice_random 1000 100000
    WORKING_DIRECTORY ${CMAKE_CURRENT_BINARY_DIR})
set_tests_properties(access.slice_random_large PROPERTIES TIMEOUT 600 LABELS long)

# ptxas assembles the slices where it is present; otherwise the test only creates them.
if(PROACT_NVCC)
    find_program(PROACT_PTXAS ptxas HINTS ${PROACT_NVCC_FOLDER})
    if(PROACT_PTXAS)
        target_compile_definitions(access_tests PRIVATE PROACT_PTXAS="${PROACT_PTXAS}")
    endif()
endif()
# Closed forms against slices, on the kernels of tests/kernels as well.
proact_test(NAME access.closed_kernels COMMAND access_tests closed_corpus
    ${CMAKE_CURRENT_BINARY_DIR}/kernels/*.ptx WORKING_DIRECTORY ${CMAKE_CURRENT_BINARY_DIR})
proact_test(NAME access.closed_random_large COMMAND access_tests closed_random 100000 30000
    WORKING_DIRECTORY ${CMAKE_CURRENT_BINARY_DIR})
set_tests_properties(access.closed_kernels access.closed_random_large
    PROPERTIES TIMEOUT 600 LABELS long)

# oracle_constants_test.c reads the kernels of tests/kernels.
add_dependencies(access_tests kernels_ptx)

# More than 0.3 s of CPU time each.
set_tests_properties(access.closed_corpus access.closed_random access.closed_rows
    access.depends access.oracle_constants access.oracle_hard access.oracle_mutations
    access.oracle_samples access.slice_corpus access.write_set_samples PROPERTIES LABELS
    "slow;sanitize")
