"""Tables of examples: CSV, TSV, XLSX and JSON lines become one plain `Table`."""
