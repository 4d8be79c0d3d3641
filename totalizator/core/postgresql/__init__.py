"""The database engine of the site: Django's own for PostgreSQL, but for how it looks after its connections."""
