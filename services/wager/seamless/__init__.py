"""The seamless wallet: an operator's wallet behind HTTP, described by `openapi.json` beside this.

Everything that both ends agree on is here, so that adapter, simulator and conformance suite speak
one language: messages, amounts, signatures, and the switches in which wallets differ.
"""
