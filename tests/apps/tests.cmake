# The tests link the applications and read the stored inputs of their reader.
target_link_libraries(apps_tests PRIVATE proact_apps)
target_sources(apps_tests PRIVATE
    ${CMAKE_CURRENT_SOURCE_DIR}/fuzz/matrix_market_fuzz.c)

# This test takes a minute under the sanitizers.
set_tests_properties(apps.applications PROPERTIES LABELS slow)

# More than 0.3 s of CPU time each.
set_tests_properties(apps.matrix_market apps.prepared PROPERTIES LABELS "slow;sanitize")
set_tests_properties(apps.pagerank apps.sssp apps.sssp_reference apps.band apps.band_reference
    PROPERTIES LABELS slow)
# Two minutes of CPU time.
set_tests_properties(apps.pagerank PROPERTIES TIMEOUT 600)
# More than 10 s with sanitizers; the tests above run the same code.
set_tests_properties(apps.repeat apps.checkpoint PROPERTIES LABELS slow)

# Files of tests are in folders of their own.
proact_test(NAME apps.own_files COMMAND ${CMAKE_CURRENT_SOURCE_DIR}/apps/own_files.sh
    $<TARGET_FILE:apps_tests> matrix_market ratings graph_formats)
set_tests_properties(apps.own_files PROPERTIES LABELS slow)

# Runs that are killed: a few in every run of the tests, many in the long ones.
proact_test(NAME apps.killed COMMAND ${CMAKE_CURRENT_SOURCE_DIR}/apps/killed.sh
    $<TARGET_FILE:proact_command> 3)
proact_test(NAME apps.killed_often COMMAND ${CMAKE_CURRENT_SOURCE_DIR}/apps/killed.sh
    $<TARGET_FILE:proact_command> 20)
set_tests_properties(apps.killed PROPERTIES LABELS slow TIMEOUT 240)
set_tests_properties(apps.killed_often PROPERTIES LABELS long TIMEOUT 600)

# Matrix factorisation, with its data.
target_sources(apps_tests PRIVATE ${CMAKE_CURRENT_SOURCE_DIR}/apps/als_testing.c)
set_tests_properties(apps.als apps.als_equal apps.als_reference PROPERTIES LABELS slow)
proact_test(NAME apps.als_equal_seeds COMMAND apps_tests als_equal seeds)
set_tests_properties(apps.als_equal_seeds PROPERTIES LABELS long TIMEOUT 900)

# All methods, executed and replayed: 90 s of CPU time.
set_tests_properties(apps.quanta PROPERTIES LABELS long TIMEOUT 1200)

# CT: one, 13 and 120 s of CPU time.
set_tests_properties(apps.ct PROPERTIES LABELS "slow;sanitize")
set_tests_properties(apps.ct_devices PROPERTIES LABELS slow)
set_tests_properties(apps.ct_golden PROPERTIES LABELS long TIMEOUT 1200)
