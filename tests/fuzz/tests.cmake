# Every tests/fuzz/NAME_fuzz.c is a libFuzzer target with a corpus in tests/fuzz/corpus/NAME.
# Every build runs the corpus as test fuzz.NAME; clang with -DPROACT_FUZZ=ON makes the fuzzer:
#   tests/NAME_fuzz -dict=../../tests/fuzz/NAME.dict NEW_INPUTS ../../tests/fuzz/corpus/NAME
set(fuzz ${CMAKE_CURRENT_LIST_DIR})
file(GLOB targets CONFIGURE_DEPENDS ${fuzz}/*_fuzz.c)
foreach(target ${targets})
    get_filename_component(program ${target} NAME_WE)
    string(REGEX REPLACE "_fuzz$" "" name ${program})
    add_executable(${program}_corpus ${target} ${fuzz}/fuzz_corpus.c)
    target_link_libraries(${program}_corpus PRIVATE proact_testing)
    add_test(NAME fuzz.${name} COMMAND ${program}_corpus ${fuzz}/corpus/${name})
    set_tests_properties(fuzz.${name} PROPERTIES TIMEOUT 120 LABELS quick)
    if(PROACT_FUZZ)
        file(GLOB sources ${PROJECT_SOURCE_DIR}/src/${name}/*.c)
        add_executable(${program} ${target} ${sources} ${PROJECT_SOURCE_DIR}/src/base/fail.c
            ${PROJECT_SOURCE_DIR}/src/base/memory.c ${PROJECT_SOURCE_DIR}/src/base/text.c)
        target_include_directories(${program} PRIVATE ${PROJECT_SOURCE_DIR}/include
            ${PROJECT_SOURCE_DIR}/src)
        target_link_libraries(${program} PRIVATE proact_options)
        target_compile_options(${program} PRIVATE -fsanitize=fuzzer,address,undefined
            -fno-sanitize-recover)
        target_link_options(${program} PRIVATE -fsanitize=fuzzer,address,undefined)
    endif()
endforeach()
