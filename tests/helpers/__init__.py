"""What tests share: sample outcomes, files, data frames, a browser, the command line."""
