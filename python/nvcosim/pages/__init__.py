"""What is reported of nights: on terminals, in pages, for other tools."""
