# Programs that call NVIDIA's libraries: built where these are installed, and compared on
# GPUs.
if(PROACT_NVCC AND NOT PROACT_SANITIZE)
    set(libraries ${CMAKE_CURRENT_LIST_DIR}/libraries.sh)
    set(built ${CMAKE_CURRENT_BINARY_DIR}/libraries)
    proact_test(NAME libraries.build COMMAND ${libraries} build ${PROACT_NVCC}
        ${PROJECT_BINARY_DIR}/tools/proactcc/bin/proactcc ${built})
    proact_test(NAME libraries.emulated COMMAND ${libraries} emulated ${built})
    proact_test(NAME libraries.gpus COMMAND ${libraries} gpus ${built})
    set_tests_properties(libraries.build PROPERTIES FIXTURES_SETUP libraries)
    set_tests_properties(libraries.emulated libraries.gpus PROPERTIES
        FIXTURES_REQUIRED libraries)
    set_tests_properties(libraries.build libraries.emulated libraries.gpus PROPERTIES
        SKIP_RETURN_CODE 77 TIMEOUT 900 LABELS long)
endif()
proact_check(libraries proactrt proactrt_shared)
