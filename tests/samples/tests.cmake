# The annotated sample kernels, built by every available compiler. The PTX of the plain ones
# is in tests/ptx/corpus.
set(marked_compilers)
foreach(sm ${PROACT_TEST_SMS})
    list(APPEND marked_compilers sm_${sm})
    set(compile_sm_${sm} ${PROACT_NVCC} -ptx -arch=compute_${sm} -O3 ${PROACT_KERNEL_INCLUDES})
endforeach()
if(PROACT_CLANG)
    list(APPEND marked_compilers clang)
    set(compile_clang ${PROACT_PTX_CLANG})
endif()

file(GLOB marked_sources CONFIGURE_DEPENDS ${CMAKE_CURRENT_SOURCE_DIR}/samples/*.cu)
set(marked_texts)
foreach(compiler ${marked_compilers})
    foreach(source ${marked_sources})
        get_filename_component(name ${source} NAME_WE)
        set(text ${CMAKE_CURRENT_BINARY_DIR}/samples/${name}.${compiler}.ptx)
        proact_ptx(${text} ${source} ${compile_${compiler}} -DSAMPLE_SHARED)
        list(APPEND marked_texts ${text})
    endforeach()
endforeach()
file(MAKE_DIRECTORY ${CMAKE_CURRENT_BINARY_DIR}/samples)
add_custom_target(samples_ptx ALL DEPENDS ${marked_texts})

add_library(proact_samples STATIC samples/samples.c samples/samples_elements.c
    samples/samples_grids.c samples/samples_products.c samples/samples_graphs.c
    samples/samples_ptx.c)
target_link_libraries(proact_samples PUBLIC proact_testing)
target_link_libraries(samples_tests PRIVATE proact_samples)
add_dependencies(samples_tests samples_ptx)
foreach(which all check seeds)
    proact_test(NAME samples.split_${which} COMMAND samples_tests samples_split ${which}
        WORKING_DIRECTORY ${CMAKE_CURRENT_BINARY_DIR})
    proact_test(NAME samples.split_plain_${which} COMMAND samples_tests samples_split ${which} plain
        WORKING_DIRECTORY ${CMAKE_CURRENT_BINARY_DIR})
    set(split_label slow)
    if(NOT which STREQUAL "check")
        set(split_label long)
    endif()
    set_tests_properties(samples.split_${which} PROPERTIES TIMEOUT 900 LABELS ${split_label})
    set_tests_properties(samples.split_plain_${which} PROPERTIES TIMEOUT 900 LABELS long)
endforeach()
proact_test(NAME samples.split_plain COMMAND samples_tests samples_split some plain
    WORKING_DIRECTORY ${CMAKE_CURRENT_BINARY_DIR})
set_tests_properties(samples.split_plain PROPERTIES LABELS long)
proact_test(NAME samples.split_plain_local COMMAND samples_tests samples_split local plain
    WORKING_DIRECTORY ${CMAKE_CURRENT_BINARY_DIR})
proact_test(NAME samples.split_local COMMAND samples_tests samples_split local
    WORKING_DIRECTORY ${CMAKE_CURRENT_BINARY_DIR})
set_tests_properties(samples.split_plain_local samples.split_local PROPERTIES LABELS gpu)
proact_test(NAME samples.execute_large COMMAND samples_tests samples_execute large
    WORKING_DIRECTORY ${CMAKE_CURRENT_BINARY_DIR})
set_tests_properties(samples.execute_large PROPERTIES TIMEOUT 900 LABELS long)
# A minute under sanitizers.
set_tests_properties(samples.samples_split PROPERTIES LABELS slow)

# More than 0.3 s of CPU time each.
set_tests_properties(samples.samples_execute PROPERTIES LABELS "slow;sanitize")
