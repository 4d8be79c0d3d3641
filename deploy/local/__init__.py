"""The stack of one checkout: `.venv`, PostgreSQL, worker, beat and web, on a machine with nothing but python3."""
