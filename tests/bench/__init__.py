"""Benchmarks: what Sabot does a second, beside what its parts could do at most.

`make bench` runs them all. Both sides of a ratio run interleaved in the same rounds; the figure is
the median of the ratios of the rounds, with the smallest and the largest. Never timed tests.
"""
