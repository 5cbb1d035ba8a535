# The programs are plain CUDA and need a GPU to run; that they compile is seen everywhere.
if(PROACT_NVCC)
    add_test(NAME programs.compile COMMAND ${CMAKE_CURRENT_LIST_DIR}/programs.sh
        ${PROACT_NVCC} ${CMAKE_CURRENT_BINARY_DIR}/programs)
    set_tests_properties(programs.compile PROPERTIES SKIP_RETURN_CODE 77 TIMEOUT 900
        LABELS slow)
endif()
