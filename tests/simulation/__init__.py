"""The deterministic simulation: all four services in one process, on a virtual clock, with faults."""
