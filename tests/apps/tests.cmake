# The applications, beside the library; and the fuzz target of their reader.
foreach(program matrix_market_test matrix_market_corpus_test reference_test applications_test)
    target_link_libraries(${program} PRIVATE proact_apps)
endforeach()
target_sources(matrix_market_corpus_test PRIVATE
    ${CMAKE_CURRENT_SOURCE_DIR}/fuzz/matrix_market_fuzz.c)

if(PROACT_FUZZ)
    add_executable(matrix_market_fuzz fuzz/matrix_market_fuzz.c)
    target_link_libraries(matrix_market_fuzz PRIVATE proact_testing proact_apps)
    target_compile_options(matrix_market_fuzz PRIVATE -fsanitize=fuzzer)
    target_link_options(matrix_market_fuzz PRIVATE -fsanitize=fuzzer)
endif()
