"""Drills on servers of their own: the primary is lost and another takes over; a backup is restored to an instant."""
