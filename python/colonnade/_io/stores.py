"""Object stores by URL: the store and the key that `s3://`, `gs://`, `az://` and their relatives name."""

from __future__ import annotations

import functools
import os
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from ..errors import OptionError, UnsupportedError
from .nearest import nearest_hint
from .redact_url import redact_url
from .store_objects import FsspecObject, ObstoreObject, StoreObject
from .store_text import public_text

SCHEMES = ("s3", "s3a", "gs", "az", "azure", "adl", "abfs", "abfss")
_Items = tuple[tuple[str, Any], ...]
_SILENT_S = 30.0
_RETRY_S = 120.0

# What fsspec's file systems call an option that object_store has under another name.
_FSSPEC_NAMES: dict[str, dict[str, str]] = {
    "s3": {
        "key": "access_key_id",
        "secret": "secret_access_key",
        "token": "session_token",
        "endpoint_url": "endpoint",
        "region_name": "region",
        "anon": "skip_signature",
    },
    "gs": {"token": "service_account", "anon": "skip_signature"},
    "az": {"sas_token": "sas_key", "anon": "skip_signature"},
}
_COMMON_NAMES = {
    "s3": ("access_key_id", "secret_access_key", "session_token", "region", "endpoint", "allow_http", "skip_signature",
           "virtual_hosted_style_request", "unsigned_payload", "imdsv1_fallback", "checksum_algorithm"),
    "gs": ("service_account", "service_account_key", "application_credentials", "skip_signature", "base_url"),
    "az": ("account_name", "account_key", "sas_key", "client_id", "client_secret", "tenant_id", "endpoint",
           "use_emulator", "skip_signature"),
}  # fmt: skip


@dataclass(frozen=True)
class Access:
    """How stores are reached: options for those of URLs, or a store or file system that the caller opened."""

    storage_options: Mapping[str, Any] | None = field(default=None, repr=False)
    filesystem: Any = None

    @classmethod
    def of(cls, options: Mapping[str, Any]) -> Access:
        """The access that the keywords of a call name."""
        given = options.get("options")
        found = {name: options.get(name, getattr(given, name, None)) for name in ("storage_options", "filesystem")}
        if found["filesystem"] is not None:
            check_filesystem(found["filesystem"])
        return cls(**found)


NO_ACCESS = Access()


def is_store(path: str, access: Access) -> bool:
    """Whether `path` is an object of a store: a URL of one, or a key in a given store."""
    return access.filesystem is not None or path.partition("://")[0].lower() in SCHEMES


def path_of_file_url(path: str) -> str:
    """The path of a ``file://`` URL. Everything else is returned unchanged.

    >>> path_of_file_url("file:///tmp/a%20b.npz"), path_of_file_url("a%20b.npz")
    ('/tmp/a b.npz', 'a%20b.npz')
    """
    if not path.lower().startswith("file://"):
        return path
    from urllib.parse import unquote

    host, slash, rest = path[len("file://") :].partition("/")
    if host not in ("", "localhost"):
        raise UnsupportedError(f"{path!r}: expected file:///PATH of this machine, found the host {host!r}.")
    return unquote(slash + rest)


def object_of(path: str, access: Access, timeout_s: float | None = None) -> StoreObject:
    """The object that `path` names: in the given store or file system, or at a URL.

    Raises
    ------
    OptionError
        An unknown option, or both a file system and options for one.
    UnsupportedError
        obstore is not installed.
    """
    if access.filesystem is None:
        store, key = open_store(path, access.storage_options, timeout_s)
        return ObstoreObject(import_obstore(path), store, key, redact_url(path))
    if access.storage_options is not None:
        raise OptionError("storage_options: expected None with filesystem, which has its own options. Leave one out.")
    if hasattr(access.filesystem, "cat_file"):
        return FsspecObject(access.filesystem, path, redact_url(path))
    return ObstoreObject(import_obstore(path), access.filesystem, path.lstrip("/"), redact_url(path))


def check_filesystem(filesystem: object) -> None:
    """OptionError unless the object is a store of obstore or a file system of fsspec."""
    kind = type(filesystem)
    if kind.__module__.partition(".")[0] != "obstore" and not hasattr(filesystem, "cat_file"):
        raise OptionError(
            "filesystem: expected an obstore store or an fsspec file system, found "
            f"{kind.__module__}.{kind.__qualname__}."
        )


def open_store(url: str, storage_options: Mapping[str, Any] | None, timeout_s: float | None) -> tuple[Any, str]:
    """The obstore store of `url`, and the key in it.

    Raises
    ------
    OptionError
        An option that the store does not know.
    UnsupportedError
        obstore is not installed.
    """
    from datetime import timedelta

    obstore = import_obstore(url)
    root, key = split(url)
    kind = _kind(url)
    config, client = _config(kind, storage_options or {})
    retry_s = _retry_seconds(config)
    silent = timedelta(seconds=timeout_s or _SILENT_S)
    # A slow link may take long for a request of 8 MiB, as long as bytes come.
    client = {"timeout": timedelta(hours=1), "connect_timeout": silent, "read_timeout": silent, **client}
    how = (root, tuple(config.items()), tuple(client.items()), retry_s)
    try:
        hash(how)
    except TypeError:  # an option that can change later
        connect = _connected
    else:
        # A store takes keys, proxies and certificates from the environment. A forked child has no connections.
        connect = functools.partial(_kept, os.getpid(), frozenset(os.environ.items()))
    try:
        store = connect(*how)
    except obstore.exceptions.UnknownConfigurationKeyError as error:
        raise _unknown(kind, config, str(error)) from None
    except (ValueError, TypeError, obstore.exceptions.BaseError) as error:
        message = public_text(error)
        raise OptionError(f"storage_options: {redact_url(url)}: the store refuses them: {message}") from None
    return store, key


def _connected(root: str, config: _Items, client: _Items, retry_s: float) -> Any:
    """A store with connections of its own."""
    from datetime import timedelta

    retry = {"retry_timeout": timedelta(seconds=retry_s), "max_retries": 1000}
    obstore = import_obstore(root)
    return obstore.store.from_url(root, config=dict(config), client_options=dict(client), retry_config=retry)


@functools.lru_cache(maxsize=16)
def _kept(pid: int, environment: frozenset[tuple[str, str]], *how: Any) -> Any:
    """A store whose connections later calls use too. A new one takes 4 ms, and each of its connections a handshake."""
    return _connected(*how)


def split(url: str) -> tuple[str, str]:
    """The URL of the store and the key in it.

    >>> split("s3://bucket/a/b.npz")
    ('s3://bucket', 'a/b.npz')
    """
    scheme, _, rest = url.partition("://")
    place, _, key = rest.partition("/")
    if not place:
        raise OptionError(f"source: {redact_url(url)!r}: expected {scheme}://BUCKET/KEY, found no bucket.")
    if "?" in key:
        # The store would show it in its errors, and it may hold a signature.
        raise OptionError(
            f"source: {redact_url(url)!r}: expected a key, found a query after it. A signed address begins with https://."
        )
    parts = key.split("/")
    if ".." in parts or "." in parts:
        raise OptionError(f"source: {redact_url(url)!r}: expected a key without '.' and '..', found {key!r}.")
    return f"{scheme}://{place}", key


def import_obstore(what: str) -> Any:
    """The obstore package."""
    try:
        import obstore
        import obstore.exceptions
        import obstore.store
    except ImportError:
        raise UnsupportedError(
            f"{redact_url(what)!r}: object stores are read through obstore, which is not installed. "
            "Install it with: pip install 'colonnade[cloud]'"
        ) from None
    return obstore


def _kind(url: str) -> str:
    scheme = url.partition("://")[0].lower()
    return {"s3a": "s3"}.get(scheme, scheme) if scheme in ("s3", "s3a", "gs") else "az"


def _config(kind: str, options: Mapping[str, Any]) -> tuple[dict[str, Any], dict[str, Any]]:
    """The configuration of the store and of its HTTP client, in object_store's names."""
    config: dict[str, Any] = {}
    client: dict[str, Any] = {}
    if not isinstance(options, Mapping):
        raise OptionError(f"storage_options: expected a mapping or None, found {type(options).__name__}.")
    for name, value in options.items():
        if name == "client_options" and isinstance(value, Mapping):
            client |= value
        elif name == "client_kwargs" and isinstance(value, Mapping):  # of s3fs, for botocore
            nested, _ = _config(kind, value)
            config |= nested
        else:
            config[_FSSPEC_NAMES[kind].get(name, name)] = value
    endpoint = config.get("endpoint", config.get("base_url"))
    if isinstance(endpoint, str) and endpoint.startswith("http://"):
        client.setdefault("allow_http", True)
    if "allow_http" in config:
        client["allow_http"] = config.pop("allow_http")
    return config, client


def plain_options(url: str, options: Mapping[str, Any] | None) -> dict[str, str] | None:
    """The options in object_store's names and as text, for a library that has its own object_store."""
    if options is None:
        return None
    config, client = _config(_kind(url), options)
    config.pop("retry_timeout_s", None)
    found = {**config, **{name: value for name, value in client.items() if isinstance(value, bool | str | int)}}
    return {name: str(value).lower() if isinstance(value, bool) else str(value) for name, value in found.items()}


def _retry_seconds(config: dict[str, Any]) -> float:
    """For how long requests that failed are sent again; ours, so it is taken out of the options of the store."""
    found = config.pop("retry_timeout_s", _RETRY_S)
    if isinstance(found, bool) or not isinstance(found, int | float | str):
        raise OptionError(f"storage_options: retry_timeout_s: expected seconds, found {found!r}.")
    try:
        return float(found)
    except ValueError:
        raise OptionError(f"storage_options: retry_timeout_s: expected seconds, found {found!r}.") from None


def _unknown(kind: str, config: Mapping[str, Any], message: str) -> OptionError:
    # The message has the name. A shorter one may be the beginning of it.
    names = sorted((name for name in config if name.lower() in message.lower()), key=len) or list(config)
    if not names:
        return OptionError(f"storage_options: the store refuses them: {message}")
    near = nearest_hint(names[-1], _COMMON_NAMES[kind])
    return OptionError(
        f"storage_options: expected options of {kind} stores, such as {', '.join(_COMMON_NAMES[kind][:4])}, "
        f"found {names[-1]!r}{near}."
    )
