"""Real faults on real processes, and an auditor who keeps what was acknowledged."""
