"""Where tests are played: processes of this machine, or jobs of a cluster."""
