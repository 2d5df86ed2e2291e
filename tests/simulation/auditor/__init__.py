"""The auditor: books and cards of its own, kept from plain events.

Nothing in here imports anything of the services, and nothing of theirs is asked for a rule: the
tableau, the payments, the digests and the books are written a second time, from the rule texts and
the documents of the events. `test_auditor.py` holds it to that.
"""
