"""Demonstration content that several features hand out, so that each of them can live without the others."""
