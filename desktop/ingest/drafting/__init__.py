"""A local model drafts a pack from a document, in stages that hold the rules by construction.

Nothing here scores anything, and nothing that a document or a model says can set whether a pack is reviewed.
"""
