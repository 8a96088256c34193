"""The RTL of others, before it is a simulator: which files a tree needs (tree), and what Verilator
says of them (verilate)."""
