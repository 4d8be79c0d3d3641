"""Watching the system from outside: health pages, metrics, log lines. Nothing here decides anything."""
