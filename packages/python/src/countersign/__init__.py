"""Asks a Countersign service for approval of a call, waits, takes the permit, reports the outcome."""

from ._async_client import AsyncClient
from ._callback import Callback, callback_secret
from ._client import Client
from ._digest import call_digest
from ._request import Allowed, Asked, Decision, Permit
from .errors import (
    AlreadyTakenError,
    BlockedError,
    CancelledError,
    CountersignError,
    DeniedError,
    ExpiredError,
    MismatchError,
)

__all__ = [
    "Allowed",
    "AlreadyTakenError",
    "Asked",
    "AsyncClient",
    "BlockedError",
    "Callback",
    "CancelledError",
    "Client",
    "CountersignError",
    "Decision",
    "DeniedError",
    "ExpiredError",
    "MismatchError",
    "Permit",
    "call_digest",
    "callback_secret",
]
