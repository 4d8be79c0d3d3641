"""Benchmarks of the two things that must be fast: accepting bets and settling pools. Run: `make bench`."""
