"""Assistants that make a pack from what a person has: a table, or notes."""
