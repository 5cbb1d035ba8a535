# Random programs: written by make_program, compiled by proactcc, run on 1 to 8 devices.
add_executable(make_program random/make_program.c random/make_index.c random/make_alone.c
    random/make_together.c random/make_host.c)
target_link_libraries(make_program PRIVATE proact_testing)
if(PROACT_NVCC AND NOT PROACT_SANITIZE)
    foreach(what few:1:12:slow many:10000:150:long)
        string(REPLACE ":" ";" what ${what})
        list(GET what 0 name)
        list(GET what 1 first)
        list(GET what 2 count)
        list(GET what 3 label)
        add_test(NAME random.${name} COMMAND ${CMAKE_CURRENT_LIST_DIR}/random_programs.sh
            ${PROJECT_BINARY_DIR}/tools/proactcc/bin/proactcc $<TARGET_FILE:make_program>
            ${CMAKE_CURRENT_BINARY_DIR}/random_${name} ${first} ${count})
        set_tests_properties(random.${name} PROPERTIES LABELS ${label} TIMEOUT 1200)
    endforeach()
endif()
