# Several thousand variants of each file.
set_tests_properties(model.import_damaged PROPERTIES LABELS "slow;sanitize")
