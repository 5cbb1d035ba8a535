# What whole kernels write; the samples' launches.
foreach(program write_set_samples_test slice_random_test)
    if(TARGET ${program})
        target_sources(${program} PRIVATE access/write_set_truth.c)
        target_link_libraries(${program} PRIVATE proact_samples)
    endif()
endforeach()

# ptxas takes the slices, where there is one; without it they are only cut.
if(TARGET slice_corpus_test)
    if(PROACT_NVCC)
        get_filename_component(access_folder ${PROACT_NVCC} DIRECTORY)
        find_program(PROACT_PTXAS ptxas HINTS ${access_folder})
        if(PROACT_PTXAS)
            target_compile_definitions(slice_corpus_test PRIVATE PROACT_PTXAS="${PROACT_PTXAS}")
        endif()
    endif()
endif()
# The forms against the executor, on the samples.
target_sources(oracle_samples_test PRIVATE access/oracle.c)
foreach(program oracle_samples_test access_counts_test)
    target_link_libraries(${program} PRIVATE proact_samples)
endforeach()
