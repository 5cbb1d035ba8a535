# The kernels of this folder, by every compiler that is here. Files called cuda_* use CUDA's
# headers; the others are for a bare clang, too.
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

if(PROACT_NVCC)
    execute_process(COMMAND ${PROACT_NVCC} --list-gpu-arch OUTPUT_VARIABLE kernels_known)
    foreach(sm 75 80 90 100)
        if(kernels_known MATCHES "compute_${sm}\n")
            kernels_compile(sm_${sm} kernels_sources ${PROACT_NVCC} -ptx
                -arch=compute_${sm} -O3 -std=c++17)
        endif()
    endforeach()
endif()
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
if(TARGET kernels_execute_test)
    target_link_libraries(kernels_execute_test PRIVATE proact_kernels)
    add_dependencies(kernels_execute_test kernels_ptx)
    add_test(NAME kernels.execute_large COMMAND kernels_execute_test large
        WORKING_DIRECTORY ${CMAKE_CURRENT_BINARY_DIR})
    set_tests_properties(kernels.execute_large PROPERTIES TIMEOUT 900 LABELS slow)
endif()
