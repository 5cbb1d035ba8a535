# Small CUDA programs, compiled with proactcc like any user's program, on emulated machines.
# They need nvcc, whose programs do not work with our sanitizers.
if(PROACT_NVCC AND NOT PROACT_SANITIZE)
    foreach(name vectors pitch symbols variable_pointers managed pinned events queries structs errors handles captures graphs
            graph_nodes graph_kinds graph_memory pools prints batches cooperative clusters beside streams textures texture_kinds
            surfaces float_mode driver driver_modules)
        proact_test(NAME proactcc.${name} COMMAND ${CMAKE_CURRENT_SOURCE_DIR}/proactcc/program.sh
            ${PROJECT_BINARY_DIR}/tools/proactcc/bin/proactcc ${PROJECT_SOURCE_DIR} ${name}
            ${CMAKE_CURRENT_BINARY_DIR}/driver_fake)
        set_tests_properties(proactcc.${name} PROPERTIES LABELS slow TIMEOUT 120)
    endforeach()
    proact_test(NAME proactcc.replays COMMAND ${CMAKE_CURRENT_SOURCE_DIR}/proactcc/replays.sh
        ${PROJECT_BINARY_DIR}/tools/proactcc/bin/proactcc ${PROJECT_SOURCE_DIR}
        ${CMAKE_CURRENT_BINARY_DIR}/driver_fake)
    set_tests_properties(proactcc.replays PROPERTIES LABELS slow TIMEOUT 300)
    proact_test(NAME proactcc.lazy_devices COMMAND ${CMAKE_CURRENT_SOURCE_DIR}/proactcc/lazy_devices.sh
        ${PROJECT_BINARY_DIR}/tools/proactcc/bin/proactcc ${PROJECT_SOURCE_DIR}
        ${CMAKE_CURRENT_BINARY_DIR}/driver_fake)
    set_tests_properties(proactcc.lazy_devices PROPERTIES LABELS slow TIMEOUT 300)
    proact_test(NAME proactcc.tune COMMAND ${CMAKE_CURRENT_SOURCE_DIR}/proactcc/tune.sh
        ${PROJECT_BINARY_DIR}/tools/proactcc/bin/proactcc ${PROJECT_SOURCE_DIR} $<TARGET_FILE:proact_command>)
    set_tests_properties(proactcc.tune PROPERTIES LABELS slow TIMEOUT 300)
    proact_test(NAME proactcc.blocked COMMAND ${CMAKE_CURRENT_SOURCE_DIR}/proactcc/blocked.sh
        ${PROJECT_BINARY_DIR}/tools/proactcc/bin/proactcc ${PROJECT_SOURCE_DIR}
        ${CMAKE_CURRENT_BINARY_DIR}/driver_fake)
    set_tests_properties(proactcc.blocked PROPERTIES LABELS slow TIMEOUT 600)
    proact_test(NAME proactcc.split_textures COMMAND ${CMAKE_CURRENT_SOURCE_DIR}/proactcc/split_textures.sh
        ${PROJECT_BINARY_DIR}/tools/proactcc/bin/proactcc ${PROJECT_SOURCE_DIR}
        ${CMAKE_CURRENT_BINARY_DIR}/driver_fake)
    set_tests_properties(proactcc.split_textures PROPERTIES LABELS slow TIMEOUT 300)
    proact_test(NAME proactcc.driver_links COMMAND ${CMAKE_CURRENT_SOURCE_DIR}/proactcc/driver.sh
        ${PROJECT_BINARY_DIR}/tools/proactcc/bin/proactcc ${PROJECT_SOURCE_DIR}
        ${CMAKE_CURRENT_BINARY_DIR}/driver_fake)
    set_tests_properties(proactcc.driver_links PROPERTIES LABELS slow TIMEOUT 300)
    proact_test(NAME proactcc.places COMMAND ${CMAKE_CURRENT_SOURCE_DIR}/proactcc/places.sh
        ${PROJECT_BINARY_DIR}/tools/proactcc/bin/proactcc ${PROJECT_SOURCE_DIR})
    set_tests_properties(proactcc.places PROPERTIES LABELS slow TIMEOUT 300)
    proact_test(NAME proactcc.checked_alike COMMAND ${CMAKE_CURRENT_SOURCE_DIR}/proactcc/checked.sh
        ${PROJECT_BINARY_DIR}/tools/proactcc/bin/proactcc ${PROJECT_SOURCE_DIR} alike
        some flag marks row vectors parts not one_other other_part one_reads read_before)
    proact_test(NAME proactcc.checked_fetch_atomics COMMAND ${CMAKE_CURRENT_SOURCE_DIR}/proactcc/checked.sh
        ${PROJECT_BINARY_DIR}/tools/proactcc/bin/proactcc ${PROJECT_SOURCE_DIR} fetch_atomics
        leader each_fences leader_fences all_fence waits_volatile reads_volatile grid_barriers
        lock far not unfenced fences_early fences_narrowly unfenced_flag grid_barrier_missing
        unfenced_lock late unfenced_far)
    proact_test(NAME proactcc.checked_documented COMMAND ${CMAKE_CURRENT_SOURCE_DIR}/proactcc/checked.sh
        ${PROJECT_BINARY_DIR}/tools/proactcc/bin/proactcc ${PROJECT_SOURCE_DIR} documented
        sum halves largest lock padding structs not adds stores)
    set_tests_properties(proactcc.checked_alike proactcc.checked_fetch_atomics
        proactcc.checked_documented PROPERTIES LABELS slow TIMEOUT 120)
    proact_test(NAME proactcc.heat COMMAND ${CMAKE_CURRENT_SOURCE_DIR}/proactcc/heat.sh
        ${PROJECT_BINARY_DIR}/tools/proactcc/bin/proactcc ${PROJECT_SOURCE_DIR})
    set_tests_properties(proactcc.heat PROPERTIES LABELS slow TIMEOUT 300)
    proact_test(NAME proactcc.options COMMAND ${CMAKE_CURRENT_SOURCE_DIR}/proactcc/options.sh
        ${PROJECT_BINARY_DIR}/tools/proactcc/bin/proactcc)
    set_tests_properties(proactcc.options PROPERTIES LABELS slow TIMEOUT 600)
    proact_test(NAME proactcc.lines COMMAND ${CMAKE_CURRENT_SOURCE_DIR}/proactcc/lines.sh
        ${PROJECT_BINARY_DIR}/tools/proactcc/bin/proactcc)
    set_tests_properties(proactcc.lines PROPERTIES LABELS slow TIMEOUT 300)
    foreach(name make cmake library refusals settings install)
        set(what ${PROJECT_BINARY_DIR}/tools/proactcc/bin/proactcc)
        if(name STREQUAL install)
            set(what ${PROJECT_BINARY_DIR})
        endif()
        proact_test(NAME proactcc.use_${name} COMMAND ${CMAKE_CURRENT_SOURCE_DIR}/proactcc/use.sh
            ${what} ${PROJECT_SOURCE_DIR} ${name})
        set_tests_properties(proactcc.use_${name} PROPERTIES LABELS slow TIMEOUT 300)
    endforeach()
    foreach(name commands archive cmake library refusals)
        proact_test(NAME proactcc.linked_${name}
            COMMAND ${CMAKE_CURRENT_SOURCE_DIR}/proactcc/linked.sh
                ${PROJECT_BINARY_DIR}/tools/proactcc/bin/proactcc ${PROJECT_SOURCE_DIR} ${name})
        set_tests_properties(proactcc.linked_${name} PROPERTIES LABELS slow TIMEOUT 300)
    endforeach()
    set_tests_properties(proactcc.linked_refusals PROPERTIES LABELS long)
    proact_test(NAME proactcc.libraries COMMAND ${CMAKE_CURRENT_SOURCE_DIR}/proactcc/libraries.sh
        ${PROJECT_BINARY_DIR}/tools/proactcc/bin/proactcc ${PROJECT_SOURCE_DIR}
        ${CMAKE_CURRENT_BINARY_DIR}/driver_fake)
    set_tests_properties(proactcc.libraries PROPERTIES LABELS slow TIMEOUT 300)
endif()

# Unit tests of internals, and proact's declarations compared with NVIDIA's, if these exist.
target_sources(proactcc_tests PRIVATE $<TARGET_OBJECTS:proactrt_objects>)
target_include_directories(proactcc_tests PRIVATE ${PROJECT_SOURCE_DIR}/tools/proactcc)
find_path(PROACT_CUDART_H cuda_runtime_api.h HINTS ENV CUDA_HOME PATH_SUFFIXES include
    PATHS /usr/local/cuda)
if(PROACT_CUDART_H)
    add_executable(abi_theirs proactcc/abi_theirs.c proactcc/abi_ours.c)
    target_include_directories(abi_theirs PRIVATE ${PROJECT_SOURCE_DIR}/tools/proactcc
        ${PROJECT_SOURCE_DIR}/include)
    target_include_directories(abi_theirs SYSTEM PRIVATE ${PROACT_CUDART_H})
    target_link_libraries(abi_theirs PRIVATE proact_options)
    target_compile_options(abi_theirs PRIVATE -Wno-pedantic)
    proact_test(NAME proactcc.abi COMMAND abi_theirs)
    set_tests_properties(proactcc.abi PROPERTIES LABELS quick)
endif()
find_library(PROACT_CUDART_A libcudart_static.a HINTS ENV CUDA_HOME PATH_SUFFIXES lib64
    PATHS /usr/local/cuda)
if(PROACT_CUDART_A)
    proact_test(NAME proactcc.calls COMMAND ${CMAKE_CURRENT_SOURCE_DIR}/proactcc/calls.sh
        ${PROJECT_SOURCE_DIR} $<TARGET_FILE:proactrt> ${PROACT_CUDART_A})
    set_tests_properties(proactcc.calls PROPERTIES LABELS quick)
endif()
find_library(PROACT_CUDA_STUB libcuda.so HINTS ENV CUDA_HOME PATH_SUFFIXES lib64/stubs
    PATHS /usr/local/cuda NO_DEFAULT_PATH)
if(PROACT_CUDART_H AND PROACT_CUDA_STUB)
    proact_test(NAME proactcc.driver_calls COMMAND ${CMAKE_CURRENT_SOURCE_DIR}/proactcc/driver_calls.sh
        ${PROJECT_SOURCE_DIR} $<TARGET_FILE:proactrt> ${PROACT_CUDART_H} ${PROACT_CUDA_STUB})
    set_tests_properties(proactcc.driver_calls PROPERTIES LABELS quick)
endif()
proact_check(proactcc proact_command proactrt proactrt_shared fake_cuda_fake fake_cuda_old fake_cuda_early)
