"""The digest that people approve."""

from __future__ import annotations

import hashlib
from typing import Any

import rfc8785


def canonical_json(value: Any) -> bytes:
    """Canonical JSON (RFC 8785). Raises `ValueError` for what has no such form.

    Integers beyond 2**53 are refused, as by the service: readers of JSON disagree on them.
    """
    canonical: bytes = rfc8785.dumps(value)
    return canonical


def call_digest(tool: str, input: dict[str, Any], tool_hash: str) -> str:
    """SHA-256 of the canonical JSON of `{tool, input, toolHash}`, written `sha256:<hex>`."""
    call = {"tool": tool, "input": input, "toolHash": tool_hash}
    return f"sha256:{hashlib.sha256(canonical_json(call)).hexdigest()}"
