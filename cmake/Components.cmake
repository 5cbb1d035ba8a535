# proact_component(NAME): every C file under src/NAME, as an object library proact_NAME.
function(proact_component name)
    file(GLOB_RECURSE sources CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/src/${name}/*.c)
    list(FILTER sources EXCLUDE REGEX "/lanes/") # built by src/CMakeLists.txt
    add_library(proact_${name} OBJECT ${sources})
    target_include_directories(proact_${name} PUBLIC ${PROJECT_SOURCE_DIR}/include
        PRIVATE ${PROJECT_SOURCE_DIR}/src)
    target_link_libraries(proact_${name} PRIVATE proact_options)
    set_property(GLOBAL APPEND PROPERTY PROACT_COMPONENTS proact_${name})
endfunction()
