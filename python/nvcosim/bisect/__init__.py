"""Finds the commit of an RTL since which a trace fails."""
