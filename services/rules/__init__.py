"""The rules of the game as pure functions and as data.

Nothing in this package reads a clock, draws a random number, makes an id or touches a
file. Every number that differs between rule texts is a field of a rulebook
(`services.rules.rulebook`); the functions here read the field and never ask which
rulebook they are looking at.
"""
