# More than 0.3 s of CPU time each.
set_tests_properties(base.gzip PROPERTIES LABELS "slow;sanitize")
