"""Reports that need Qt to be written: handed to the table of renderers by the composition root."""
