"""Removes secrets from URLs for messages."""


def redact_url(url: str) -> str:
    """The URL without user, password, query and fragment, which may be secret. A path is returned unchanged.

    >>> redact_url("https://me:hush@host:81/a/x.npz?signature=hush")
    'https://host:81/a/x.npz'
    >>> redact_url("me:hush@host:81")
    'host:81'
    >>> redact_url("unix:/run/me@host")
    'unix:/run/me@host'
    """
    if url.startswith("unix:"):
        return url
    scheme, found, rest = url.partition("://")
    if not found:
        place, slash, path = url.partition("/")
        user, _, host = place.rpartition("@")
        return f"{host}{slash}{path}" if ":" in user else url
    rest = rest.partition("?")[0].partition("#")[0]
    place, slash, path = rest.partition("/")
    host = place.rpartition("@")[2]
    port = host.rpartition("]")[2].partition(":")[2]
    # Text that is no port may be a password with a / or a ?. Its end is then unknown, so the rest is removed.
    return f"{scheme}://{host}{slash}{path}" if not port or port.isdecimal() else f"{scheme}://..."
