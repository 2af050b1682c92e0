"""The benchmarks: each module has `run(effort)`, which yields a comparison for each thing it measures."""
