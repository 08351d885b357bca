"""From what a person has (tables, documents) to a pack. Text from outside is data and nothing else."""
