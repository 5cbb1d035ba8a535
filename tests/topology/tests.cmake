# The probe of `proact topo` belongs to the command.
target_sources(topology_probe_test PRIVATE ${PROJECT_SOURCE_DIR}/tools/proact/topology/topology_probe.c)
target_include_directories(topology_probe_test PRIVATE ${PROJECT_SOURCE_DIR}/tools/proact)
