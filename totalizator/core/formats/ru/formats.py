"""How Russian writes dates here: as Django does, but with two digits of the hour, as everywhere on this site."""

TIME_FORMAT = "H:i"
DATETIME_FORMAT = "j E Y г. H:i"
DATE_INPUT_FORMATS = ["%d.%m.%Y", "%d.%m.%y", "%Y-%m-%d"]
