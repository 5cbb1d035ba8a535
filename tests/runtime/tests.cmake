# Small kernels of the runtime's tests, and the fake device of its unit tests.
set(sharing_text ${CMAKE_CURRENT_BINARY_DIR}/sharing.ptx)
proact_ptx(${sharing_text} ${CMAKE_CURRENT_SOURCE_DIR}/runtime/sharing.cu ${PROACT_PTX})
add_custom_target(sharing_ptx DEPENDS ${sharing_text})
target_compile_definitions(runtime_tests PRIVATE SHARING_PTX="${sharing_text}")
add_dependencies(runtime_tests sharing_ptx)
target_sources(runtime_tests PRIVATE runtime/sharing.c runtime/fake_device.c)
proact_test(NAME runtime.agent_seeds COMMAND runtime_tests agent seeds)
set_tests_properties(runtime.agent_seeds PROPERTIES TIMEOUT 900 LABELS long)
proact_test(NAME runtime.sharing_seeds COMMAND runtime_tests sharing seeds
    WORKING_DIRECTORY ${CMAKE_CURRENT_BINARY_DIR})
set_tests_properties(runtime.sharing_seeds PROPERTIES TIMEOUT 900 LABELS long)

proact_test(NAME runtime.missing_pairs_seeds COMMAND runtime_tests missing_pairs seeds)
set_tests_properties(runtime.missing_pairs_seeds PROPERTIES TIMEOUT 900 LABELS long)

# Kernels that the tests of the runtime launch.
set(runtime_ptx ${CMAKE_CURRENT_BINARY_DIR}/runtime/runtime_kernels.ptx)
file(MAKE_DIRECTORY ${CMAKE_CURRENT_BINARY_DIR}/runtime)
proact_ptx(${runtime_ptx} ${CMAKE_CURRENT_SOURCE_DIR}/runtime/runtime_kernels.cu ${PROACT_PTX})
add_custom_target(runtime_ptx ALL DEPENDS ${runtime_ptx})
add_dependencies(runtime_tests runtime_ptx)

set(distributed_ptx ${CMAKE_CURRENT_BINARY_DIR}/runtime/distributed.ptx)
proact_ptx(${distributed_ptx} ${CMAKE_CURRENT_SOURCE_DIR}/runtime/distributed_kernels.cu ${PROACT_PTX})
add_custom_target(distributed_ptx DEPENDS ${distributed_ptx})
add_dependencies(runtime_tests distributed_ptx)
foreach(part distributed distributed_order)
    proact_test(NAME runtime.${part}_gpus COMMAND runtime_tests ${part} local)
    set_tests_properties(runtime.${part}_gpus PROPERTIES SKIP_RETURN_CODE 77 TIMEOUT 120
        LABELS gpu)
endforeach()

set(constant_tables_text ${CMAKE_CURRENT_BINARY_DIR}/runtime/constant_tables.ptx)
proact_ptx(${constant_tables_text} ${CMAKE_CURRENT_SOURCE_DIR}/runtime/constant_tables.cu
    ${PROACT_PTX} -I${CMAKE_CURRENT_SOURCE_DIR})
add_custom_target(constant_tables_ptx DEPENDS ${constant_tables_text})
target_compile_definitions(runtime_tests PRIVATE
    CONSTANT_TABLES_PTX="${constant_tables_text}")
add_dependencies(runtime_tests constant_tables_ptx)

set(misuse_ptx ${CMAKE_CURRENT_BINARY_DIR}/runtime/misuse.ptx)
proact_ptx(${misuse_ptx} ${CMAKE_CURRENT_SOURCE_DIR}/runtime/misuse.cu ${PROACT_PTX})
target_sources(runtime_tests PRIVATE ${misuse_ptx})

set(row_text ${CMAKE_CURRENT_BINARY_DIR}/runtime/row_kernels.ptx)
proact_ptx(${row_text} ${CMAKE_CURRENT_SOURCE_DIR}/runtime/row_kernels.cu
    ${PROACT_PTX} -I${CMAKE_CURRENT_SOURCE_DIR})
add_custom_target(row_ptx DEPENDS ${row_text})
target_compile_definitions(runtime_tests PRIVATE ROW_PTX="${row_text}")
add_dependencies(runtime_tests row_ptx)

set(interchange_text ${CMAKE_CURRENT_BINARY_DIR}/runtime/interchange_kernels.ptx)
proact_ptx(${interchange_text} ${CMAKE_CURRENT_SOURCE_DIR}/runtime/interchange_kernels.cu
    ${PROACT_PTX} -I${CMAKE_CURRENT_SOURCE_DIR})
add_custom_target(interchange_ptx DEPENDS ${interchange_text})
target_compile_definitions(runtime_tests PRIVATE INTERCHANGE_PTX="${interchange_text}")
add_dependencies(runtime_tests interchange_ptx)

foreach(where gpus fake_cuda)
    proact_test(NAME runtime.launch_textures_${where} COMMAND runtime_tests launch_textures local)
    set_tests_properties(runtime.launch_textures_${where} PROPERTIES SKIP_RETURN_CODE 77 TIMEOUT 120)
endforeach()
set_tests_properties(runtime.launch_textures_gpus PROPERTIES LABELS gpu)
set_tests_properties(runtime.launch_textures_fake_cuda PROPERTIES LABELS quick ENVIRONMENT
    "LD_LIBRARY_PATH=${CMAKE_CURRENT_BINARY_DIR}/driver_fake;FAKE_CUDA_DEVICES=3")
add_dependencies(runtime_tests fake_cuda_fake)
target_link_libraries(runtime_tests PRIVATE ${CMAKE_DL_LIBS})

# Staged ranges that are sent in bulk, in both forms.
foreach(form "" _90)
    set(bulk_ptx ${CMAKE_CURRENT_BINARY_DIR}/runtime/store_bulk${form}.ptx)
    proact_ptx(${bulk_ptx} ${CMAKE_CURRENT_SOURCE_DIR}/runtime/store_bulk.cu ${PROACT_PTX${form}})
    target_sources(runtime_tests PRIVATE ${bulk_ptx})
endforeach()
# Stores that kernel versions stage, and those for older devices, which are not staged.
foreach(form "" _90)
    set(staged_ptx ${CMAKE_CURRENT_BINARY_DIR}/runtime/staged_runs${form}.ptx)
    proact_ptx(${staged_ptx} ${CMAKE_CURRENT_SOURCE_DIR}/runtime/staged_runs.cu
        ${PROACT_PTX${form}} -I${CMAKE_CURRENT_SOURCE_DIR})
    target_sources(runtime_tests PRIVATE ${staged_ptx})
endforeach()
proact_test(NAME runtime.launch_stage_gpus COMMAND runtime_tests launch_stage local)
set_tests_properties(runtime.launch_stage_gpus PROPERTIES SKIP_RETURN_CODE 77 TIMEOUT 120 LABELS gpu)
proact_test(NAME runtime.store_bulk_gpus COMMAND runtime_tests store_bulk local)
set_tests_properties(runtime.store_bulk_gpus PROPERTIES SKIP_RETURN_CODE 77 TIMEOUT 120 LABELS gpu)
# Half a minute each under sanitizers.
set_tests_properties(runtime.agent runtime.choose_split runtime.needs runtime.sharing runtime.store_bulk
    runtime.stored_choice runtime.stored_plan
    PROPERTIES LABELS slow)

# Counts allocated and freed blocks.
target_link_options(runtime_tests PRIVATE
    LINKER:--wrap=malloc,--wrap=calloc,--wrap=realloc,--wrap=aligned_alloc,--wrap=free)
# Counts provenance queries and access analyses.
target_link_options(runtime_tests PRIVATE
    LINKER:--wrap=provenance_query_threads,--wrap=access_extent)
fake_cuda_test(runtime.stored_plan_fake_cuda fake SETTINGS FAKE_CUDA_DEVICES=2
    COMMAND runtime_tests stored_plan local)
fake_cuda_test(runtime.launch_plan_fake_cuda fake SETTINGS FAKE_CUDA_DEVICES=2
    COMMAND runtime_tests launch_plan local)
fake_cuda_test(runtime.preparation_fake_cuda fake SETTINGS FAKE_CUDA_DEVICES=2
    COMMAND runtime_tests preparation local)
fake_cuda_test(runtime.recorded_plan_fake_cuda fake SETTINGS FAKE_CUDA_DEVICES=2
    COMMAND runtime_tests recorded_plan local)
fake_cuda_test(runtime.growth_fake_cuda fake SETTINGS FAKE_CUDA_DEVICES=2
    COMMAND runtime_tests growth local)

# More than 0.3 s of CPU time each.
set_tests_properties(runtime.columns runtime.constant_tables runtime.fragments runtime.boundaries
    runtime.derive runtime.distributed runtime.distributed_fake_cuda
    runtime.distributed_order runtime.first_device runtime.growth
    runtime.growth_fake_cuda runtime.known_constants runtime.launch_cluster
    runtime.launch_divide runtime.launch_reductions runtime.launch_stage
    runtime.interleaved_writers runtime.launch_axis runtime.launch_plan runtime.lazy_devices
    runtime.partials runtime.program_plan runtime.program_streams runtime.recorded_plan
    runtime.runtime_child runtime.runtime_launch runtime.runtime_schedule runtime.provenance
    runtime.skip_transfers runtime.wide_rows PROPERTIES LABELS "slow;sanitize")
# More than 10 s with sanitizers; the tests above run the same code.
set_tests_properties(runtime.choose_order runtime.joint_decision runtime.look
    runtime.missing_pairs runtime.choice_windows PROPERTIES LABELS slow)
proact_check(runtime fake_cuda_fake)
