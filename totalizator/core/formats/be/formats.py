"""How Belarusian writes dates and numbers: Django knows the language's words, and not these."""

DATE_FORMAT = "j E Y г."
TIME_FORMAT = "H:i"
DATETIME_FORMAT = "j E Y г. H:i"
YEAR_MONTH_FORMAT = "F Y г."
MONTH_DAY_FORMAT = "j E"
SHORT_DATE_FORMAT = "d.m.Y"
SHORT_DATETIME_FORMAT = "d.m.Y H:i"
FIRST_DAY_OF_WEEK = 1  # Monday
DATE_INPUT_FORMATS = ["%d.%m.%Y", "%d.%m.%y", "%Y-%m-%d"]
DATETIME_INPUT_FORMATS = ["%d.%m.%Y %H:%M:%S", "%d.%m.%Y %H:%M", "%Y-%m-%d %H:%M:%S", "%Y-%m-%d %H:%M"]
DECIMAL_SEPARATOR = ","
THOUSAND_SEPARATOR = "\u00a0"
NUMBER_GROUPING = 3
