"""The organizer's pages of prepaid cards: batches, stock, ranges, replacements."""
