"""What the machine must have before anything is made; each lack is one sentence."""

import importlib.util
import os
import shutil
import socket
import sys

from deploy.local.checkout import Checkout
from deploy.local.refusal import Refusal

FREE_BYTES = 1_000_000_000


def check_machine(checkout: Checkout) -> None:
    """Refuse a machine on which the stack cannot be made. :raises Refusal: naming the first lack."""
    if not sys.platform.startswith("linux"):
        raise Refusal("The local stack needs Linux: elsewhere run it in a container.")
    check_writable(checkout)
    if not checkout.python.exists() and importlib.util.find_spec("ensurepip") is None:
        raise Refusal("python3 cannot make virtual environments: install the package python3-venv.")
    if shutil.disk_usage(checkout.root).free < FREE_BYTES:
        raise Refusal(f"The disk of {checkout.root} has less than 1 GB free: make room and try again.")


def check_writable(checkout: Checkout) -> None:
    """Refuse folders in which we may not write. :raises Refusal: naming the folder and its owner's remedy."""
    for folder in (checkout.root, checkout.local, checkout.venv):
        if folder.exists() and not os.access(folder, os.W_OK):
            raise Refusal(f"{folder} belongs to another user: use a checkout of your own, or that user.")
    env = checkout.env_file
    if env.exists() and not os.access(env, os.R_OK | os.W_OK):
        raise Refusal(f"{env} belongs to another user: use a checkout of your own, or that user.")


def check_port(port: int) -> None:
    """Refuse a port of 127.0.0.1 on which another program listens. :raises Refusal: with the way out."""
    if not port_is_free(port):
        raise Refusal(f"Port {port} is in use by another program: stop it, or choose another: PORT=8001 make demo.")


def port_is_free(port: int) -> bool:
    """Tell whether a server could listen on this port of 127.0.0.1."""
    with socket.socket() as probe:
        probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            probe.bind(("127.0.0.1", port))
        except OSError:
            return False
        return True


def free_port() -> int:
    """Return a port of 127.0.0.1 that nobody uses now."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port: int = probe.getsockname()[1]
        return port
