"""Linux in QEMU."""
