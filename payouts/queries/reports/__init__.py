"""Reports, each tying to the ledger: what there is of them, and what each finds (N1-N4)."""
