# Test ptx.compilers: PTX of this machine's compilers is printed unchanged byte for byte and
# is consistent. The sources are the samples (the annotated ones are compiled in
# tests/samples), the hard kernels (nvcc), and the kernels of the library and the
# applications.
set(ptx_folder ${CMAKE_CURRENT_BINARY_DIR}/ptx_compilers)
set(ptx_outputs)
file(MAKE_DIRECTORY ${ptx_folder})
file(GLOB ptx_plain CONFIGURE_DEPENDS ${CMAKE_CURRENT_SOURCE_DIR}/samples/*.cu
    ${PROJECT_SOURCE_DIR}/kernels/*.cu ${PROJECT_SOURCE_DIR}/apps/*/*.cu)
list(FILTER ptx_plain EXCLUDE REGEX "/kernels/child.cu$") # no module by itself
file(GLOB ptx_hard CONFIGURE_DEPENDS ${CMAKE_CURRENT_LIST_DIR}/hard/*.cu)

# ptx_compile(TAG SOURCES COMMAND...): every source to NAME.TAG.ptx
function(ptx_compile tag sources)
    foreach(source ${${sources}})
        get_filename_component(name ${source} NAME_WE)
        proact_ptx(${ptx_folder}/${name}.${tag}.ptx ${source} ${ARGN})
        list(APPEND ptx_outputs ${ptx_folder}/${name}.${tag}.ptx)
    endforeach()
    set(ptx_outputs ${ptx_outputs} PARENT_SCOPE)
endfunction()

foreach(sm ${PROACT_TEST_SMS})
    set(ptx_nvcc ${PROACT_PTX_NVCC})
    list(TRANSFORM ptx_nvcc REPLACE "^-arch=.*" "-arch=compute_${sm}")
    ptx_compile(sm_${sm} ptx_plain ${ptx_nvcc})
    ptx_compile(sm_${sm} ptx_hard ${ptx_nvcc})
endforeach()
if(PROACT_CLANG)
    ptx_compile(clang ptx_plain ${PROACT_PTX_CLANG})
endif()
add_custom_target(ptx_compilers ALL DEPENDS ${ptx_outputs})
proact_test(NAME ptx.compilers COMMAND ptx_tests ptx_corpus ${ptx_folder}
    ${CMAKE_CURRENT_BINARY_DIR}/samples)
set_tests_properties(ptx.compilers PROPERTIES LABELS quick)

# More than 0.3 s of CPU time each.
set_tests_properties(ptx.ptx_mutation PROPERTIES LABELS "slow;sanitize")
proact_check(ptx ptx_compilers samples_ptx)

# The rows of capability.def against ptxas.
proact_test(NAME ptx.capability_ptxas COMMAND ${CMAKE_CURRENT_SOURCE_DIR}/ptx/capability.sh
    $<TARGET_FILE:ptx_tests>)
set_tests_properties(ptx.capability_ptxas PROPERTIES SKIP_RETURN_CODE 77 LABELS quick)
