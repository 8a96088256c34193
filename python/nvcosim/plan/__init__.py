"""Plans of regressions: what a YAML file says becomes tests (docs/plans.md)."""
