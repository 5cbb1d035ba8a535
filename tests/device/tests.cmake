# The device contract is told in several files; contract_test.c runs them all.
target_sources(contract_test PRIVATE device/contract.c device/contract_memory.c
    device/contract_streams.c device/contract_launch.c device/contract_watch.c
    device/contract_faults.c)
