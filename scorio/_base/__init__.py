"""What every layer uses: arrays, words, tables, exports, progress and jobs."""
