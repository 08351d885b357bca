"""What a pack says and how an answer is judged.

A pure library: no Qt, no network, no clock and no randomness. Files are touched only by the loaders and
writers. Nothing here imports `desktop`.
"""
