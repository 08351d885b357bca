"""The Runs place: plan, live view, results and history."""
