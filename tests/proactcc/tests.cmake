# Small CUDA programs, compiled by proactcc as anybody's, on emulated machines. They need
# nvcc; its programs do not go together with our sanitizers.
if(PROACT_NVCC AND NOT PROACT_SANITIZE)
    foreach(name vectors pitch symbols managed pinned events queries structs errors)
        add_test(NAME proactcc.${name} COMMAND ${CMAKE_CURRENT_SOURCE_DIR}/proactcc/program.sh
            ${PROJECT_BINARY_DIR}/tools/proactcc/bin/proactcc ${PROJECT_SOURCE_DIR} ${name})
        set_tests_properties(proactcc.${name} PROPERTIES LABELS quick TIMEOUT 120)
    endforeach()
endif()
