"""The WSGI entry point."""

import os

from django.core.wsgi import get_wsgi_application

from totalizator.core.starting import be_ready

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "totalizator.settings")
application = get_wsgi_application()
be_ready()
