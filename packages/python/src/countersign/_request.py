"""What the acts of a client return."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True)
class Asked:
    """A request that was opened. `number` is short enough to say aloud."""

    id: str
    number: int
    state: str


@dataclass(frozen=True)
class Decision:
    """What became of a request so far.

    `state` is `pending`, `approved`, `denied`, `expired` or `cancelled`. `decided_by` is the name of
    the person whose decision ended it, `reason` that person's words or why it was cancelled.
    `request` is the service's whole answer.
    """

    state: str
    digest: str
    revision: int
    decided_by: str | None
    reason: str | None
    request: dict[str, Any]


@dataclass(frozen=True)
class Permit:
    """The right to make one call once, as the service signed it."""

    permit_id: str
    request_id: str
    digest: str
    expires_at: str
    statement: str
    signature: str
    key_id: str


@dataclass(frozen=True)
class Allowed:
    """What was allowed.

    `input` is what people approved, and what is to be done: a person may have changed it, and a
    `worker` gives it the form of its tool. `is_changed` says whether it differs from what was asked
    for.
    """

    input: dict[str, Any]
    is_changed: bool
    request_id: str
    permit: Permit


def read_asked(answer: dict[str, Any]) -> Asked:
    """The request of an answer, in short."""
    return Asked(answer["id"], answer["number"], answer["state"])


def read_decision(answer: dict[str, Any]) -> Decision:
    """Who decided a request and why, from its answer."""
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
