"""The register map for the user and other tools: model.py reads the tables of csrc/nvdla, lookup.py
finds and decodes, each other module writes one form of it."""
