# Fuzzers of the readers of files. Every build runs their corpora: that of the PTX reader as
# test fuzz.ptx, the others in tests/apps and tests/topology. The preset `fuzz` builds the
# fuzzers with a completely instrumented library, and its tests run each for a moment.
# build/fuzz/tests/ptx_fuzz -dict=tests/fuzz/ptx.dict NEW_INPUTS tests/fuzz/corpus/ptx
add_executable(ptx_fuzz_corpus fuzz/ptx_fuzz.c fuzz/fuzz_corpus.c)
target_link_libraries(ptx_fuzz_corpus PRIVATE proact_testing)
proact_test(NAME fuzz.ptx COMMAND ptx_fuzz_corpus ${CMAKE_CURRENT_LIST_DIR}/corpus/ptx)
set_tests_properties(fuzz.ptx PROPERTIES LABELS quick)

# proact_fuzzer(NAME CORPUS LIBRARY...)
function(proact_fuzzer name corpus)
    add_executable(${name}_fuzz fuzz/${name}_fuzz.c)
    target_link_libraries(${name}_fuzz PRIVATE proact_testing ${ARGN})
    target_link_options(${name}_fuzz PRIVATE -fsanitize=fuzzer)
    set(found ${CMAKE_CURRENT_BINARY_DIR}/${name}_found)
    file(MAKE_DIRECTORY ${found})
    proact_test(NAME fuzz.${name}_search COMMAND ${name}_fuzz -max_total_time=20 -timeout=10
        -artifact_prefix=${found}/ ${found} ${CMAKE_CURRENT_SOURCE_DIR}/fuzz/${corpus})
    set_tests_properties(fuzz.${name}_search PROPERTIES LABELS slow TIMEOUT 300)
endfunction()
if(PROACT_FUZZ)
    proact_fuzzer(ptx corpus/ptx)
    proact_fuzzer(machine machine_corpus)
    proact_fuzzer(profile profile_corpus)
    proact_fuzzer(matrix_market matrix_market proact_apps)
endif()
proact_check(fuzz ptx_fuzz_corpus)
