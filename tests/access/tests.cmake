# The forms against the executor, on the samples.
target_sources(oracle_samples_test PRIVATE access/oracle.c)
target_link_libraries(oracle_samples_test PRIVATE proact_samples)
