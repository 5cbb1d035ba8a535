# The annotated sample kernels, built by every available compiler. The PTX of the plain ones
# is in tests/ptx/corpus.
set(marked_compilers)
if(PROACT_NVCC)
    foreach(sm 75 90 100)
        list(APPEND marked_compilers sm_${sm})
        set(compile_sm_${sm} ${PROACT_NVCC} -ptx -arch=compute_${sm} -O3
            ${PROACT_KERNEL_INCLUDES})
    endforeach()
endif()
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
foreach(program samples_execute_test samples_split_test)
    if(TARGET ${program})
        target_link_libraries(${program} PRIVATE proact_samples)
        add_dependencies(${program} samples_ptx)
    endif()
endforeach()
if(TARGET samples_split_test)
    foreach(which all check seeds)
        add_test(NAME samples.split_${which} COMMAND samples_split_test ${which}
            WORKING_DIRECTORY ${CMAKE_CURRENT_BINARY_DIR})
        add_test(NAME samples.split_plain_${which} COMMAND samples_split_test ${which} plain
            WORKING_DIRECTORY ${CMAKE_CURRENT_BINARY_DIR})
        set(split_label slow)
        if(NOT which STREQUAL "check")
            set(split_label long)
        endif()
        set_tests_properties(samples.split_${which} PROPERTIES TIMEOUT 900 LABELS ${split_label})
        set_tests_properties(samples.split_plain_${which} PROPERTIES TIMEOUT 900 LABELS long)
    endforeach()
endif()
if(TARGET samples_split_test)
    add_test(NAME samples.split_plain COMMAND samples_split_test some plain
        WORKING_DIRECTORY ${CMAKE_CURRENT_BINARY_DIR})
    set_tests_properties(samples.split_plain PROPERTIES TIMEOUT 300 LABELS long)
    add_test(NAME samples.split_plain_here COMMAND samples_split_test here plain
        WORKING_DIRECTORY ${CMAKE_CURRENT_BINARY_DIR})
    set_tests_properties(samples.split_plain_here PROPERTIES TIMEOUT 300 LABELS gpu)
    add_test(NAME samples.split_here COMMAND samples_split_test here
        WORKING_DIRECTORY ${CMAKE_CURRENT_BINARY_DIR})
    set_tests_properties(samples.split_here PROPERTIES TIMEOUT 300 LABELS gpu)
endif()
if(TARGET samples_execute_test)
    add_test(NAME samples.execute_large COMMAND samples_execute_test large
        WORKING_DIRECTORY ${CMAKE_CURRENT_BINARY_DIR})
    set_tests_properties(samples.execute_large PROPERTIES TIMEOUT 900 LABELS long)
endif()
# This test takes a minute under sanitizers.
if(TARGET samples_split_test)
    set_tests_properties(samples.samples_split PROPERTIES LABELS slow)
endif()
