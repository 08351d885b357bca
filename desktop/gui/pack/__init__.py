"""The Pack place: what the open pack holds and what is wrong with it."""
