# The fuzzer of the PTX reader. Every build runs its corpus as test fuzz.ptx; clang with
# -DPROACT_FUZZ=ON makes the fuzzer itself, with its own, instrumented, copy of the room:
#   tests/ptx_fuzz -dict=tests/fuzz/ptx.dict NEW_INPUTS tests/fuzz/corpus/ptx
add_executable(ptx_fuzz_corpus fuzz/ptx_fuzz.c fuzz/fuzz_corpus.c)
target_link_libraries(ptx_fuzz_corpus PRIVATE proact_testing)
add_test(NAME fuzz.ptx COMMAND ptx_fuzz_corpus ${CMAKE_CURRENT_LIST_DIR}/corpus/ptx)
set_tests_properties(fuzz.ptx PROPERTIES LABELS quick)

if(PROACT_FUZZ)
    file(GLOB ptx_sources CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/src/ptx/*.c)
    add_executable(ptx_fuzz fuzz/ptx_fuzz.c ${ptx_sources} ${PROJECT_SOURCE_DIR}/src/base/fail.c
        ${PROJECT_SOURCE_DIR}/src/base/memory.c ${PROJECT_SOURCE_DIR}/src/base/text.c)
    target_include_directories(ptx_fuzz PRIVATE ${PROJECT_SOURCE_DIR}/include
        ${PROJECT_SOURCE_DIR}/src)
    target_link_libraries(ptx_fuzz PRIVATE proact_options)
    target_compile_options(ptx_fuzz PRIVATE -fsanitize=fuzzer,address,undefined)
    target_link_options(ptx_fuzz PRIVATE -fsanitize=fuzzer,address,undefined)
endif()
