"""Bundles of evidence: looked into, signed, compared, checked against what runs now, exported."""
