"""Plans, runs, keeps and compares what the C program `nvcosim` plays and explains."""
