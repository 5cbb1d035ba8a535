# The examples of every page are extracted, built and run, one test for each page. A page in
# docs/ has its own name; a page in a folder below it has a prefix, as
# docs.internals_access.
set(docs_cc "${CMAKE_C_COMPILER}")
if(PROACT_SANITIZE)
    string(APPEND docs_cc " -fsanitize=address,undefined")
endif()
set(docs_proactcc)
if(PROACT_NVCC AND NOT PROACT_SANITIZE)
    set(docs_proactcc ${PROJECT_BINARY_DIR}/tools/proactcc/bin/proactcc)
endif()
file(GLOB docs_pages CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/*.md
    ${PROJECT_SOURCE_DIR}/docs/*.md ${PROJECT_SOURCE_DIR}/docs/*/*.md)

function(docs_page_name page out)
    file(RELATIVE_PATH name ${PROJECT_SOURCE_DIR} ${page})
    string(REGEX REPLACE "^docs/" "" name ${name})
    string(REGEX REPLACE "[.].*$" "" name ${name})
    string(REPLACE "/" "_" name ${name})
    set(${out} ${name} PARENT_SCOPE)
endfunction()

foreach(page ${docs_pages})
    file(STRINGS ${page} docs_marks REGEX "^<!-- test: ")
    if(docs_marks)
        docs_page_name(${page} name)
        proact_test(NAME docs.${name} COMMAND ${CMAKE_CURRENT_SOURCE_DIR}/docs/page.sh ${page}
            ${PROJECT_SOURCE_DIR} ${PROJECT_BINARY_DIR} $<TARGET_FILE:proact> ${docs_cc}
            ${PROACT_PTX})
        set_tests_properties(docs.${name} PROPERTIES TIMEOUT 120 LABELS quick
            ENVIRONMENT "PROACTCC=${docs_proactcc}")
        if(name MATCHES "^(api|getting-started|proactcc)$") # these compile and run programs
            set_tests_properties(docs.${name} PROPERTIES LABELS slow)
        endif()
    endif()
endforeach()

# The command lines of every page, and those of --help, run: one test for each page.
foreach(page ${docs_pages} ${PROJECT_SOURCE_DIR}/docs/man/proact.1.scd
        ${PROJECT_SOURCE_DIR}/docs/man/proactcc.1.scd help)
    if(page STREQUAL "help")
        set(name help)
    else()
        docs_page_name(${page} name)
    endif()
    proact_test(NAME docs.commands_${name} COMMAND ${CMAKE_CURRENT_SOURCE_DIR}/docs/commands.sh
        ${page} ${PROJECT_SOURCE_DIR} ${PROJECT_BINARY_DIR} $<TARGET_FILE:proact_command>
        ${docs_proactcc})
    set(docs_label slow)
    if(name MATCHES "^(README|getting-started|proactcc|man_proact|man_proactcc)$")
        set(docs_label slow) # these run applications
    elseif(name STREQUAL "help")
        set(docs_label long) # this runs benches
    endif()
    set_tests_properties(docs.commands_${name} PROPERTIES TIMEOUT 300 LABELS ${docs_label})
endforeach()
