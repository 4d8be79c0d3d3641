"""What waits for the organizer's staff: each source is one small question that is answered by an index."""
