# The benchmarks and the command are not part of the library.
target_link_libraries(bench_tests PRIVATE proact_commands proact_bench)

# A stale table of the documentation is reported and restored.
proact_test(NAME bench.tables_stale COMMAND ${CMAKE_CURRENT_SOURCE_DIR}/bench/tables.sh
    ${PROJECT_SOURCE_DIR})
# Programs and inputs of bench/baselines.sh.
proact_test(NAME bench.baselines COMMAND
    ${CMAKE_CURRENT_SOURCE_DIR}/bench/baselines.sh ${PROJECT_SOURCE_DIR})
# Steps of bench/many.sh.
proact_test(NAME bench.many COMMAND ${CMAKE_CURRENT_SOURCE_DIR}/bench/many.sh
    ${PROJECT_SOURCE_DIR})
set_tests_properties(bench.many PROPERTIES LABELS "slow;sanitize")
# The best method in the table of bench/applications.sh.
proact_test(NAME bench.applications COMMAND
    ${CMAKE_CURRENT_SOURCE_DIR}/bench/applications.sh ${PROJECT_SOURCE_DIR})
# The best plan and the summary of bench/regret.sh.
proact_test(NAME bench.regret COMMAND
    ${CMAKE_CURRENT_SOURCE_DIR}/bench/regret.sh ${PROJECT_SOURCE_DIR})
set_tests_properties(bench.applications bench.regret PROPERTIES LABELS quick)
set_tests_properties(bench.baselines bench.tables_stale PROPERTIES LABELS slow)

# The regions of Figure 6 on an emulated machine.
proact_test(NAME bench.child_regions COMMAND
    ${CMAKE_CURRENT_SOURCE_DIR}/bench/child_regions.sh $<TARGET_FILE:proact_command>)
set_tests_properties(bench.child_regions PROPERTIES LABELS slow)

# The baselines of bench/peers, the push form of sssp and the programs of
# bench/programs/whole.sh, compiled for an emulated GPU.
if(PROACT_NVCC AND NOT PROACT_SANITIZE)
    proact_test(NAME bench.peer_apps COMMAND ${CMAKE_CURRENT_SOURCE_DIR}/bench/peer_apps.sh
        ${PROJECT_BINARY_DIR}/tools/proactcc/bin/proactcc $<TARGET_FILE:proact_command>
        ${PROJECT_SOURCE_DIR})
    set_tests_properties(bench.peer_apps PROPERTIES LABELS long TIMEOUT 1200)
    proact_test(NAME bench.sssp_push COMMAND ${CMAKE_CURRENT_SOURCE_DIR}/bench/sssp_push.sh
        ${PROJECT_BINARY_DIR}/tools/proactcc/bin/proactcc $<TARGET_FILE:proact_command>
        ${PROJECT_SOURCE_DIR})
    proact_test(NAME bench.whole COMMAND ${CMAKE_CURRENT_SOURCE_DIR}/bench/whole.sh
        ${PROJECT_BINARY_DIR}/tools/proactcc/bin/proactcc ${PROJECT_SOURCE_DIR})
    set_tests_properties(bench.sssp_push bench.whole PROPERTIES LABELS slow)
endif()
proact_check(bench proact_command fake_cuda_fake)
