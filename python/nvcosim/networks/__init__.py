"""Networks over many pictures, configurations and memories."""
