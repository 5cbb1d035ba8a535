# The programs are plain CUDA: built by nvcc they need a GPU to run, built by proactcc they
# do not.
if(PROACT_NVCC)
    proact_test(NAME programs.compile COMMAND ${CMAKE_CURRENT_LIST_DIR}/programs.sh
        ${PROACT_NVCC} ${CMAKE_CURRENT_BINARY_DIR}/programs)
    set_tests_properties(programs.compile PROPERTIES SKIP_RETURN_CODE 77 TIMEOUT 900
        LABELS long)
endif()
if(PROACT_NVCC AND NOT PROACT_SANITIZE)
    proact_test(NAME programs.split COMMAND ${CMAKE_CURRENT_LIST_DIR}/split.sh
        ${PROJECT_BINARY_DIR}/tools/proactcc/bin/proactcc
        ${CMAKE_CURRENT_BINARY_DIR}/programs/split)
    set_tests_properties(programs.split PROPERTIES TIMEOUT 900 LABELS long)
    proact_test(NAME programs.split_some COMMAND ${CMAKE_CURRENT_LIST_DIR}/split.sh
        ${PROJECT_BINARY_DIR}/tools/proactcc/bin/proactcc
        ${CMAKE_CURRENT_BINARY_DIR}/programs/split_some --some)
    set_tests_properties(programs.split_some PROPERTIES TIMEOUT 900 LABELS slow)
endif()
proact_check(programs proactrt proactrt_shared)
