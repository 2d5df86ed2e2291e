"""A wallet simulator: behaves like the wallets of operators, and misbehaves on request.

For tests, the demo and integrators: `python -m services.walletsim`, or `make wallet-sim`.
"""
