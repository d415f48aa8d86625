"""Client of a Countersign service: requests approvals, waits, takes permits, reports outcomes."""

from ._async_client import AsyncClient
from ._callback import Callback, callback_secret
from ._client import Client
from ._digest import call_digest
from ._request import AllowedCall, RequestSummary, Decision, Permit
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
    "AllowedCall",
    "AlreadyTakenError",
    "RequestSummary",
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
