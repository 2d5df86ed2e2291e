"""Databases of the bench's own, in the stack's PostgreSQL."""

from __future__ import annotations

import uuid
from urllib.parse import urlsplit

import asyncpg

from services.devstack.stack import Stack


async def new(stack: Stack, *, like: str = "") -> str:
    """The address of a new database: empty, or like the one with this address, which nobody uses."""
    name = f"bench_{uuid.uuid4().hex[:12]}"
    template = urlsplit(like).path.removeprefix("/")
    # As files: a copy through the write-ahead log would leave that to be synced by what is measured.
    copied = f' template "{template}" strategy file_copy' if like else ""
    connection = await asyncpg.connect(stack.postgres.dsn("postgres"))
    try:
        await connection.execute(f'create database "{name}"{copied}')
    finally:
        await connection.close()
    return stack.postgres.dsn(name)
