"""The cashier's desk: one page with one field, and what comes of what is scanned or typed into it."""
