"""The Models place: this machine, every model found on it, and whether each fits."""
