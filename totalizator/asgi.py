"""The ASGI entry point."""

import os

from django.core.asgi import get_asgi_application

from totalizator.core.starting import be_ready

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "totalizator.settings")
application = get_asgi_application()
be_ready()
