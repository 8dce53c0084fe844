"""Independent truths for the tests: exact fractions, enumeration, or a great many digits."""
