"""Keeps nights and their results in one SQLite database, and in a ledger until they are there."""
