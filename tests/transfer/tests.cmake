# What the agent and its mechanism share is the kernels' own.
target_include_directories(transfer_tests PRIVATE ${PROJECT_SOURCE_DIR}/kernels)

# More than 0.3 s of CPU time each.
set_tests_properties(transfer.slices transfer.table_gaps transfer.transfer_table
    PROPERTIES LABELS "slow;sanitize")
