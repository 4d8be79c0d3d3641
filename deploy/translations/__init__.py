"""The catalogues of translations: what the source says, against what `locale/` has; without GNU gettext."""
