# Tests of the applications and the stored inputs of their reader link the applications.
foreach(program matrix_market_test matrix_market_corpus_test reference_test repeat_test
        applications_test)
    target_link_libraries(${program} PRIVATE proact_apps)
endforeach()
target_sources(matrix_market_corpus_test PRIVATE
    ${CMAKE_CURRENT_SOURCE_DIR}/fuzz/matrix_market_fuzz.c)

# This test takes a minute under the sanitizers.
set_tests_properties(apps.applications PROPERTIES LABELS slow)
