# A program is built against the installed tree, by pkg-config and by find_package.
proact_test(NAME install COMMAND ${CMAKE_CURRENT_SOURCE_DIR}/install/install.sh
    ${PROJECT_BINARY_DIR} ${CMAKE_C_COMPILER} ${CMAKE_CURRENT_SOURCE_DIR}/install
    $<IF:$<BOOL:${PROACT_SANITIZE}>,-fsanitize=address$<COMMA>undefined,-O1>)
set_tests_properties(install PROPERTIES LABELS slow TIMEOUT 120)

# scripts/demo builds everything that is installed.
proact_test(NAME install.targets COMMAND ${CMAKE_CURRENT_SOURCE_DIR}/install/targets.sh
    ${PROJECT_BINARY_DIR})
set_tests_properties(install.targets PROPERTIES LABELS slow TIMEOUT 60 SKIP_RETURN_CODE 77)

# C++ programs include the headers and link the library.
proact_test(NAME install.cpp COMMAND ${CMAKE_CURRENT_SOURCE_DIR}/install/cpp.sh
    ${PROJECT_SOURCE_DIR} $<TARGET_FILE:proact>
    $<IF:$<BOOL:${PROACT_SANITIZE}>,-fsanitize=address$<COMMA>undefined,-O1>)
set_tests_properties(install.cpp PROPERTIES LABELS slow TIMEOUT 120 SKIP_RETURN_CODE 77)

proact_test(NAME install.completion COMMAND ${CMAKE_CURRENT_SOURCE_DIR}/install/completion.sh
    $<TARGET_FILE:proact_command> ${PROJECT_SOURCE_DIR}/tools/proact/completion/proact)
set_tests_properties(install.completion PROPERTIES LABELS slow TIMEOUT 60 SKIP_RETURN_CODE 77)
