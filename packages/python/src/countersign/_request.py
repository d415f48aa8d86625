"""The results of the methods of a client."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True)
class RequestSummary:
    """A request that `ask` opened or found. People refer to it by its `number`."""

    id: str
    number: int
    state: str


@dataclass(frozen=True)
class Decision:
    """The state of a request, and who decided it.

    `state` is `pending`, `approved`, `denied`, `expired` or `cancelled`. `decided_by` is the name of
    the person whose decision ended the request. `reason` is that person's reason, or the reason of a
    cancellation. `request` is the whole answer of the service.
    """

    state: str
    digest: str
    revision: int
    decided_by: str | None
    reason: str | None
    request: dict[str, Any]


@dataclass(frozen=True)
class Permit:
    """The right to make one call once, signed by the service."""

    permit_id: str
    request_id: str
    digest: str
    expires_at: str
    statement: str
    signature: str
    key_id: str


@dataclass(frozen=True)
class AllowedCall:
    """An approved call.

    Make it with `input`, which is what people approved: a person may have changed it, and the tool of
    a `worker` may have added its defaults. `is_changed` says whether it differs from the input of the
    call; a `revision` above 1, that a person changed it.
    """

    input: dict[str, Any]
    is_changed: bool
    request_id: str
    permit: Permit
    revision: int


def read_summary(answer: dict[str, Any]) -> RequestSummary:
    """Reads id, number and state of a request from an answer."""
    return RequestSummary(answer["id"], answer["number"], answer["state"])


def read_decision(answer: dict[str, Any]) -> Decision:
    """Reads who decided a request and why from an answer."""
    state = answer["state"]
    is_decided = state in ("approved", "denied")
    last = answer["decisions"][-1] if answer["decisions"] else None
    return Decision(
        state=state,
        digest=answer["digest"],
        revision=answer["revision"],
        decided_by=last["person"]["name"] if is_decided and last else None,
        reason=(last["reason"] if last else None) if is_decided else answer["cancelReason"],
        request=answer,
    )
