# Write sets of complete kernels use the launches of the samples.
foreach(program write_set_samples_test slice_random_test)
    if(TARGET ${program})
        target_sources(${program} PRIVATE access/write_set_truth.c)
        target_link_libraries(${program} PRIVATE proact_samples)
    endif()
endforeach()
if(TARGET write_set_samples_test)
    add_test(NAME access.write_set_spare COMMAND write_set_samples_test spare
        WORKING_DIRECTORY ${CMAKE_CURRENT_BINARY_DIR})
    set_tests_properties(access.write_set_spare PROPERTIES TIMEOUT 300 LABELS long)
endif()
if(TARGET slice_random_test)
    add_test(NAME access.slice_random_large COMMAND slice_random_test 1000 100000
        WORKING_DIRECTORY ${CMAKE_CURRENT_BINARY_DIR})
    set_tests_properties(access.slice_random_large PROPERTIES TIMEOUT 600 LABELS long)
endif()

# ptxas assembles the slices where it is present; otherwise the test only creates them.
if(TARGET slice_corpus_test)
    if(PROACT_NVCC)
        find_program(PROACT_PTXAS ptxas HINTS ${PROACT_NVCC_FOLDER})
        if(PROACT_PTXAS)
            target_compile_definitions(slice_corpus_test PRIVATE PROACT_PTXAS="${PROACT_PTXAS}")
        endif()
    endif()
endif()
# Closed forms against slices, also on the kernels of tests/kernels.
add_test(NAME access.closed_kernels COMMAND closed_corpus_test
    ${CMAKE_CURRENT_BINARY_DIR}/kernels/*.ptx WORKING_DIRECTORY ${CMAKE_CURRENT_BINARY_DIR})
add_test(NAME access.closed_random_large COMMAND closed_random_test 100000 30000
    WORKING_DIRECTORY ${CMAKE_CURRENT_BINARY_DIR})
set_tests_properties(access.closed_kernels access.closed_random_large
    PROPERTIES TIMEOUT 600 LABELS long)

# Expressions against the executor on the samples, the hard kernels and mutated samples.
foreach(program oracle_samples_test oracle_hard_test oracle_mutations_test
        oracle_constants_test)
    target_sources(${program} PRIVATE access/oracle.c)
endforeach()
foreach(program oracle_samples_test oracle_mutations_test access_counts_test pattern_test)
    target_link_libraries(${program} PRIVATE proact_samples)
endforeach()
# Expressions against the executor on the kernels of tests/kernels that use constants.
if(TARGET oracle_constants_test)
    add_dependencies(oracle_constants_test kernels_ptx)
endif()
