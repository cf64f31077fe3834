"""Who can open the app, said where the server starts."""

from __future__ import annotations

import ipaddress
import socket

from streamlit import config


def reach() -> str:
    """One line: only this machine, or everybody in the network, and at which address."""
    address, port = config.get_option("server.address") or "", config.get_option("server.port")
    if is_local(address):
        return (
            f"Only this machine can open it, at http://localhost:{port} "
            "(everybody in the network: make app ADDRESS=0.0.0.0)."
        )
    host = address if address and not is_any(address) else own_address()
    return (
        f"Everybody in the network can open it, at http://{written(host)}:{port} "
        "(only this machine: make app ADDRESS=127.0.0.1)."
    )


def is_local(address: str) -> bool:
    """Whether an address to listen at is this machine's alone; a unix socket is, too."""
    if address == "localhost" or address.startswith("unix:"):
        return True
    try:
        return ipaddress.ip_address(address).is_loopback
    except ValueError:
        return False


def is_any(address: str) -> bool:
    """Whether it stands for all addresses of the machine."""
    return address in ("0.0.0.0", "::")


def own_address() -> str:
    """The machine's address in its network; "<your address>" where it has none."""
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as probe:
        try:
            probe.connect(("192.0.2.1", 9))  # RFC 5737: nobody; of UDP nothing is sent here
        except OSError:
            return "<your address>"
        return str(probe.getsockname()[0])


def written(host: str) -> str:
    """A host in a URL: an IPv6 address stands in brackets."""
    return f"[{host}]" if ":" in host else host
