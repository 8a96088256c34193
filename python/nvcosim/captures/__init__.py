"""Text logs of drivers and analysers: finds the accesses in them. C makes traces of these."""
