"""Makes a certificate for this machine and one run, with its own certificate authority."""

from __future__ import annotations

from pathlib import Path

NAMES = ("localhost", "127.0.0.1")


def make(folder: Path) -> dict[str, str]:
    """Writes PEM files to `folder` and returns their paths.

    ``certificate`` and ``key`` are for the serving end, ``authorities`` is for the other one.
    """
    import trustme

    folder.mkdir(parents=True, exist_ok=True)
    paths = {name: str(folder / f"{name}.pem") for name in ("certificate", "key", "authorities")}
    authority = trustme.CA()
    issued = authority.issue_cert(*NAMES)
    authority.cert_pem.write_to_path(paths["authorities"])
    issued.private_key_pem.write_to_path(paths["key"])
    for number, blob in enumerate(issued.cert_chain_pems):
        blob.write_to_path(paths["certificate"], append=number > 0)
    return paths
