"""What holds for every test."""

from hypothesis import settings

# A busy machine is no failure, and a run leaves nothing behind that would change the next one.
settings.register_profile("house", deadline=None, database=None)
settings.load_profile("house")
