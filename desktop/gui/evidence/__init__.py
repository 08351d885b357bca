"""The Evidence place: what a bundle says, and whether it proves it."""
