"""The log of a driver: how far it came, and what can have stopped it. Spec: 86-driver-log."""
