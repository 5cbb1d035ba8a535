# Every page's examples, cut out, built and run: one CTest a page.
set(docs_cc "${CMAKE_C_COMPILER}")
if(PROACT_SANITIZE)
    string(APPEND docs_cc " -fsanitize=address,undefined")
endif()
set(docs_proactcc)
if(PROACT_NVCC AND NOT PROACT_SANITIZE)
    set(docs_proactcc ${PROJECT_BINARY_DIR}/tools/proactcc/bin/proactcc)
endif()
file(GLOB docs_pages CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/*.md ${PROJECT_SOURCE_DIR}/docs/*.md)
foreach(page ${docs_pages})
    file(STRINGS ${page} docs_marks REGEX "^<!-- test: ")
    if(docs_marks)
        get_filename_component(name ${page} NAME_WE)
        add_test(NAME docs.${name} COMMAND ${CMAKE_CURRENT_SOURCE_DIR}/docs/page.sh ${page}
            ${PROJECT_SOURCE_DIR} ${PROJECT_BINARY_DIR} $<TARGET_FILE:proact> ${docs_cc}
            ${PROACT_PTX})
        set(docs_label quick)
        if(name STREQUAL "getting-started") # compiles a program with nvcc
            set(docs_label slow)
        endif()
        set_tests_properties(docs.${name} PROPERTIES TIMEOUT 120 LABELS ${docs_label}
            ENVIRONMENT "PROACTCC=${docs_proactcc}")
    endif()
endforeach()

# Every page's command lines, and those of --help, run: one CTest a page.
foreach(page ${docs_pages} ${PROJECT_SOURCE_DIR}/docs/man/proact.1.scd
        ${PROJECT_SOURCE_DIR}/docs/man/proactcc.1.scd help)
    get_filename_component(name ${page} NAME_WE)
    add_test(NAME docs.commands_${name} COMMAND ${CMAKE_CURRENT_SOURCE_DIR}/docs/commands.sh
        ${page} ${PROJECT_SOURCE_DIR} ${PROJECT_BINARY_DIR} $<TARGET_FILE:proact_command> ${docs_proactcc})
    set(docs_label quick)
    if(name MATCHES "^(README|compiler|proact|proactcc|help)$") # these have applications run
        set(docs_label slow)
    endif()
    if(name STREQUAL "help") # whole benches
        set(docs_label long)
    endif()
    set_tests_properties(docs.commands_${name} PROPERTIES TIMEOUT 300 LABELS ${docs_label})
endforeach()
