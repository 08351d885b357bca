"""The Start place: a large drop area, recent things, sample packs, and three steps for the first time."""
