"""Connections: `connect`, `listen`, `Connection`, `Listener`, `wait` and their asyncio methods."""
