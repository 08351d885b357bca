"""How much of a file from outside is read. Beyond it the file is refused or cut with a word about it."""

MAX_FILE_BYTES = 100 * 2**20
MAX_UNPACKED_BYTES = 400 * 2**20
"""Of a zip-based format (XLSX, DOCX), added up over its entries before anything is unpacked."""
MAX_ZIP_ENTRIES = 10_000
MAX_ROWS = 100_000
MAX_COLUMNS = 500
MAX_CELL_CHARACTERS = 1_000_000
MAX_PAGES = 1_000
MAX_TEXT_CHARACTERS = 3_000_000
MAX_SECONDS = 60.0
"""For reading one document; asked between pages, rows or parts."""
