"""A night: its tests from the plan to their results, buckets and messages."""
