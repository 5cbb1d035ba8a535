# The samples' launches, and what whole kernels write.
if(TARGET write_set_samples_test)
    target_sources(write_set_samples_test PRIVATE access/write_set_truth.c)
    target_link_libraries(write_set_samples_test PRIVATE proact_samples)
endif()

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
