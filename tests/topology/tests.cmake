# The probe of `proact topo` is the command's own.
target_sources(topology_tests PRIVATE ${PROJECT_SOURCE_DIR}/tools/proact/topology/topology_probe.c)
target_include_directories(topology_tests PRIVATE ${PROJECT_SOURCE_DIR}/tools/proact)

# More than 0.3 s of CPU time each.
set_tests_properties(topology.topology_probe PROPERTIES LABELS "slow;sanitize")
