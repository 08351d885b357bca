"""The pack editor: one document a pack, forms that send changes to it, problems that lead to the field."""
