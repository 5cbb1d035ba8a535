# cmake --install: headers, both libraries, the command, the machine files, the documents, and
# the files for pkg-config proact and find_package(proact).
include(CMakePackageConfigHelpers)

install(TARGETS proact proact_static proact_options EXPORT proact
    LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR} ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR})
if(TARGET proact_command)
    install(TARGETS proact_command DESTINATION ${CMAKE_INSTALL_BINDIR})
endif()
install(DIRECTORY include/proact DESTINATION ${CMAKE_INSTALL_INCLUDEDIR})
install(FILES tools/proact/completion/proact
    DESTINATION ${CMAKE_INSTALL_DATADIR}/bash-completion/completions)
install(DIRECTORY machines DESTINATION ${CMAKE_INSTALL_DATADIR}/proact)
# The documents keep their places, so that the links between them hold.
install(FILES LICENSE README.md CHANGELOG.md CONTRIBUTING.md
    DESTINATION ${CMAKE_INSTALL_DOCDIR})
install(DIRECTORY docs examples data DESTINATION ${CMAKE_INSTALL_DOCDIR}
    PATTERN man EXCLUDE)
install(DIRECTORY tools/proactcc/rt DESTINATION ${CMAKE_INSTALL_DOCDIR}/tools/proactcc
    FILES_MATCHING PATTERN *_call.def)

set(package_dir ${CMAKE_INSTALL_LIBDIR}/cmake/proact)
install(EXPORT proact NAMESPACE proact:: DESTINATION ${package_dir} FILE proact-targets.cmake)
configure_package_config_file(cmake/proact-config.cmake.in
    ${PROJECT_BINARY_DIR}/proact-config.cmake INSTALL_DESTINATION ${package_dir})
write_basic_package_version_file(${PROJECT_BINARY_DIR}/proact-config-version.cmake
    COMPATIBILITY SameMinorVersion)
install(FILES ${PROJECT_BINARY_DIR}/proact-config.cmake
    ${PROJECT_BINARY_DIR}/proact-config-version.cmake DESTINATION ${package_dir})

# The prefix is relative to the file, because `cmake --install --prefix` may change it.
file(RELATIVE_PATH PROACT_PREFIX_FROM_PC /${CMAKE_INSTALL_LIBDIR}/pkgconfig /)
string(REGEX REPLACE "/$" "" PROACT_PREFIX_FROM_PC ${PROACT_PREFIX_FROM_PC})
configure_file(cmake/proact.pc.in ${PROJECT_BINARY_DIR}/proact.pc @ONLY)
install(FILES ${PROJECT_BINARY_DIR}/proact.pc DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig)

# Everything that `cmake --install` copies, without the tests: what scripts/demo builds.
add_custom_target(proact_installed)
foreach(target proact proact_static proact_command proact_manual proactrt proactrt_shared
        proactrt_driver_there proactrt_driver_shared proactrt_stubs_there
        proactrt_driver_stubs_there proactcc_manual)
    if(TARGET ${target})
        add_dependencies(proact_installed ${target})
    endif()
endforeach()
