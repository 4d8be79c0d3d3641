"""Looking for known weaknesses: in the code, in the packages it stands on, and for secrets in files and history."""
