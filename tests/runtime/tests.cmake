# Small kernels of the runtime's tests, and the fake device of its unit tests.
set(sharing_text ${CMAKE_CURRENT_BINARY_DIR}/sharing.ptx)
proact_ptx(${sharing_text} ${CMAKE_CURRENT_SOURCE_DIR}/runtime/sharing.cu ${PROACT_PTX})
add_custom_target(sharing_ptx DEPENDS ${sharing_text})
foreach(program sharing_test)
    if(TARGET ${program})
        target_sources(${program} PRIVATE runtime/sharing.c)
        target_compile_definitions(${program} PRIVATE SHARING_PTX="${sharing_text}")
        add_dependencies(${program} sharing_ptx)
    endif()
endforeach()
target_compile_definitions(agent_test PRIVATE SHARING_PTX="${sharing_text}")
add_dependencies(agent_test sharing_ptx)
foreach(program session_test mixed_plan_test interop_test relay_order_test copied_rows_test
        read_first_test order_note_test array_order_test variable_array_test)
    target_sources(${program} PRIVATE runtime/fake_device.c)
endforeach()
add_test(NAME runtime.agent_seeds COMMAND agent_test seeds)
set_tests_properties(runtime.agent_seeds PROPERTIES TIMEOUT 900 LABELS long)
if(TARGET sharing_test)
    add_test(NAME runtime.sharing_seeds COMMAND sharing_test seeds
        WORKING_DIRECTORY ${CMAKE_CURRENT_BINARY_DIR})
    set_tests_properties(runtime.sharing_seeds PROPERTIES TIMEOUT 900 LABELS long)
endif()

# Kernels that the tests of the runtime launch.
set(runtime_ptx ${CMAKE_CURRENT_BINARY_DIR}/runtime/runtime_kernels.ptx)
file(MAKE_DIRECTORY ${CMAKE_CURRENT_BINARY_DIR}/runtime)
proact_ptx(${runtime_ptx} ${CMAKE_CURRENT_SOURCE_DIR}/runtime/runtime_kernels.cu ${PROACT_PTX})
add_custom_target(runtime_ptx ALL DEPENDS ${runtime_ptx})
foreach(program maps_test launch_tables_test runtime_child_test runtime_refuse_test runtime_launch_test runtime_schedule_test
        boundaries_test look_test first_device_test derive_test choose_split_test coupling_test trial_test needs_test growth_test
        known_constants_test launch_divide_test launch_reductions_test partials_test
        program_streams_test lazy_devices_test recorded_block_test variable_array_test wide_rows_test)
    add_dependencies(${program} runtime_ptx)
endforeach()

set(distributed_ptx ${CMAKE_CURRENT_BINARY_DIR}/runtime/distributed.ptx)
proact_ptx(${distributed_ptx} ${CMAKE_CURRENT_SOURCE_DIR}/runtime/distributed_kernels.cu ${PROACT_PTX})
add_custom_target(distributed_ptx DEPENDS ${distributed_ptx})
foreach(part distributed distributed_order)
    add_dependencies(${part}_test distributed_ptx)
    add_test(NAME runtime.${part}_gpus COMMAND ${part}_test here)
    set_tests_properties(runtime.${part}_gpus PROPERTIES SKIP_RETURN_CODE 77 TIMEOUT 120
        LABELS gpu)
endforeach()

set(constant_tables_text ${CMAKE_CURRENT_BINARY_DIR}/runtime/constant_tables.ptx)
proact_ptx(${constant_tables_text} ${CMAKE_CURRENT_SOURCE_DIR}/runtime/constant_tables.cu
    ${PROACT_PTX} -I${CMAKE_CURRENT_SOURCE_DIR})
add_custom_target(constant_tables_ptx DEPENDS ${constant_tables_text})
target_compile_definitions(constant_tables_test PRIVATE
    CONSTANT_TABLES_PTX="${constant_tables_text}")
add_dependencies(constant_tables_test constant_tables_ptx)

set(row_text ${CMAKE_CURRENT_BINARY_DIR}/runtime/row_kernels.ptx)
proact_ptx(${row_text} ${CMAKE_CURRENT_SOURCE_DIR}/runtime/row_kernels.cu
    ${PROACT_PTX} -I${CMAKE_CURRENT_SOURCE_DIR})
add_custom_target(row_ptx DEPENDS ${row_text})
target_compile_definitions(boundaries_test PRIVATE ROW_PTX="${row_text}")
add_dependencies(boundaries_test row_ptx)

set(interchange_text ${CMAKE_CURRENT_BINARY_DIR}/runtime/interchange_kernels.ptx)
proact_ptx(${interchange_text} ${CMAKE_CURRENT_SOURCE_DIR}/runtime/interchange_kernels.cu
    ${PROACT_PTX} -I${CMAKE_CURRENT_SOURCE_DIR})
add_custom_target(interchange_ptx DEPENDS ${interchange_text})
foreach(program columns_test launch_axis_test choose_order_test)
    target_compile_definitions(${program} PRIVATE INTERCHANGE_PTX="${interchange_text}")
    add_dependencies(${program} interchange_ptx)
endforeach()

foreach(where gpus fake_cuda)
    add_test(NAME runtime.launch_textures_${where} COMMAND launch_textures_test local)
    set_tests_properties(runtime.launch_textures_${where} PROPERTIES SKIP_RETURN_CODE 77 TIMEOUT 120)
endforeach()
set_tests_properties(runtime.launch_textures_gpus PROPERTIES LABELS gpu)
set_tests_properties(runtime.launch_textures_fake_cuda PROPERTIES LABELS quick ENVIRONMENT
    "LD_LIBRARY_PATH=${CMAKE_CURRENT_BINARY_DIR}/driver_fake;FAKE_CUDA_DEVICES=3")
add_dependencies(launch_textures_test fake_cuda_fake)
target_link_libraries(launch_textures_test PRIVATE ${CMAKE_DL_LIBS})

# Staged ranges that are sent in bulk, in both forms.
foreach(form "" _90)
    set(bulk_ptx ${CMAKE_CURRENT_BINARY_DIR}/runtime/store_bulk${form}.ptx)
    proact_ptx(${bulk_ptx} ${CMAKE_CURRENT_SOURCE_DIR}/runtime/store_bulk.cu ${PROACT_PTX${form}})
    target_sources(store_bulk_test PRIVATE ${bulk_ptx})
endforeach()
# Stores that kernel versions stage, and those for older devices, which are not staged.
foreach(form "" _90)
    set(staged_ptx ${CMAKE_CURRENT_BINARY_DIR}/runtime/staged_runs${form}.ptx)
    proact_ptx(${staged_ptx} ${CMAKE_CURRENT_SOURCE_DIR}/runtime/staged_runs.cu
        ${PROACT_PTX${form}} -I${CMAKE_CURRENT_SOURCE_DIR})
    target_sources(launch_stage_test PRIVATE ${staged_ptx})
endforeach()
add_test(NAME runtime.launch_stage_gpus COMMAND launch_stage_test local)
set_tests_properties(runtime.launch_stage_gpus PROPERTIES SKIP_RETURN_CODE 77 TIMEOUT 120 LABELS gpu)
add_test(NAME runtime.store_bulk_gpus COMMAND store_bulk_test local)
set_tests_properties(runtime.store_bulk_gpus PROPERTIES SKIP_RETURN_CODE 77 TIMEOUT 120 LABELS gpu)
# Half a minute each under sanitizers.
set_tests_properties(runtime.agent runtime.choose_split runtime.needs runtime.sharing runtime.store_bulk
    PROPERTIES LABELS slow)

# Counts allocated and freed blocks.
target_link_options(growth_test PRIVATE
    LINKER:--wrap=malloc,--wrap=calloc,--wrap=realloc,--wrap=aligned_alloc,--wrap=free)
# Counts provenance queries and access analyses.
target_link_options(provenance_test PRIVATE LINKER:--wrap=provenance_query_threads,--wrap=access_extent)
fake_cuda_test(runtime.growth_fake_cuda fake SETTINGS FAKE_CUDA_DEVICES=2
    COMMAND growth_test local)
