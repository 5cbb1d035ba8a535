# The kernels of this folder, by every available compiler. Files cuda_* use CUDA's headers;
# the others also compile with a plain clang.
file(GLOB kernels_sources CONFIGURE_DEPENDS ${CMAKE_CURRENT_LIST_DIR}/*.cu)
set(kernels_texts)
file(MAKE_DIRECTORY ${CMAKE_CURRENT_BINARY_DIR}/kernels)

# kernels_compile(TAG SOURCES COMMAND...): every source to NAME.TAG.ptx
function(kernels_compile tag sources)
    foreach(source ${${sources}})
        get_filename_component(name ${source} NAME_WE)
        set(text ${CMAKE_CURRENT_BINARY_DIR}/kernels/${name}.${tag}.ptx)
        proact_ptx(${text} ${source} ${ARGN})
        list(APPEND kernels_texts ${text})
    endforeach()
    set(kernels_texts ${kernels_texts} PARENT_SCOPE)
endfunction()

foreach(sm ${PROACT_TEST_SMS})
    set(kernels_known_to ${kernels_sources})
    if(sm LESS 90)
        list(FILTER kernels_known_to EXCLUDE REGEX "/cuda_cluster")
    endif()
    if(sm LESS 80)
        list(FILTER kernels_known_to EXCLUDE REGEX "/cuda_tensor_types")
    endif()
    kernels_compile(sm_${sm} kernels_known_to ${PROACT_NVCC} -ptx -arch=compute_${sm} -O3
        -std=c++17)
endforeach()
if(PROACT_CLANG)
    set(kernels_bare ${kernels_sources})
    list(FILTER kernels_bare EXCLUDE REGEX "/cuda_")
    kernels_compile(clang kernels_bare ${PROACT_PTX_CLANG})
endif()
add_custom_target(kernels_ptx ALL DEPENDS ${kernels_texts})

file(GLOB kernels_parts CONFIGURE_DEPENDS ${CMAKE_CURRENT_LIST_DIR}/*.c)
list(FILTER kernels_parts EXCLUDE REGEX "_test\\.c$")
add_library(proact_kernels STATIC ${kernels_parts})
target_link_libraries(proact_kernels PUBLIC proact_samples)
target_link_libraries(kernels_tests PRIVATE proact_kernels)
add_dependencies(kernels_tests kernels_ptx)
proact_test(NAME kernels.execute_large COMMAND kernels_tests kernels_execute large
    WORKING_DIRECTORY ${CMAKE_CURRENT_BINARY_DIR})
proact_test(NAME kernels.split_all COMMAND kernels_tests kernels_split all
    WORKING_DIRECTORY ${CMAKE_CURRENT_BINARY_DIR})
set_tests_properties(kernels.execute_large kernels.split_all PROPERTIES TIMEOUT 900 LABELS long)

# More than 0.3 s of CPU time each.
set_tests_properties(kernels.kernels_execute kernels.kernels_reads kernels.kernels_split
    PROPERTIES LABELS "slow;sanitize")
proact_check(kernels fake_cuda_fake)
