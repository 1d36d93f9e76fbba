"""Finding runs among many: words, filters, order."""
