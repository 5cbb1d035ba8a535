# Random programs written by make_program, compiled by proactcc, run on 1 to 8 devices.
# make_calls writes the same kernels with a host that uses streams, events, threads and
# graphs.
foreach(host program:make_host calls:make_calls)
    string(REPLACE ":" ";" host ${host})
    list(GET host 0 name)
    list(GET host 1 file)
    add_executable(make_${name} random/make_program.c random/make_index.c
        random/make_alone.c random/make_together.c random/make_text.c random/make_rows.c
        random/make_groups.c random/${file}.c)
    target_link_libraries(make_${name} PRIVATE proact_testing)
endforeach()
if(PROACT_NVCC AND NOT PROACT_SANITIZE)
    foreach(what few:program:1:12:slow many:program:10000:150:long
            few_calls:calls:1:4:slow many_calls:calls:10000:60:long)
        string(REPLACE ":" ";" what ${what})
        list(GET what 0 name)
        list(GET what 1 make)
        list(GET what 2 first)
        list(GET what 3 count)
        list(GET what 4 label)
        proact_test(NAME random.${name} COMMAND ${CMAKE_CURRENT_LIST_DIR}/random_programs.sh
            ${PROJECT_BINARY_DIR}/tools/proactcc/bin/proactcc $<TARGET_FILE:make_${make}>
            ${CMAKE_CURRENT_BINARY_DIR}/random_${name} ${first} ${count})
        set_tests_properties(random.${name} PROPERTIES LABELS ${label} TIMEOUT 1200)
    endforeach()
endif()
proact_check(random proactrt proactrt_shared make_program make_calls)
