"""Faults planted in an RTL, and which of them a corpus of traces notices."""
