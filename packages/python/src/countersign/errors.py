"""Why a call was not made, or why a method of the client was refused."""

from __future__ import annotations

from typing import Any


class CountersignError(Exception):
    """A refusal. `code` is the service's (its HTTP API lists them), or one of the client's own.

    The client's own codes are `unavailable` (no answer in time), `pending` (no decision in time),
    `mismatch` (the answer is about another call) and `bad_signature` (a callback that the service did
    not sign). `status` and `problem` are the HTTP status and the problem details of the service, or `None`.
    """

    def __init__(
        self,
        code: str,
        message: str,
        *,
        request_id: str | None = None,
        status: int | None = None,
        problem: dict[str, Any] | None = None,
    ) -> None:
        super().__init__(message)
        self.code = code
        self.request_id = request_id
        self.status = status
        self.problem = problem


class DeniedError(CountersignError):
    """A person denied the call. `reason` is data for a model, never an instruction."""

    def __init__(self, request_id: str, decided_by: str, reason: str | None) -> None:
        words = "" if reason is None else f": {reason}"
        super().__init__("denied", f"{decided_by} denied this{words}", request_id=request_id)
        self.decided_by = decided_by
        self.reason = reason


class ExpiredError(CountersignError):
    """Nobody decided in time, or the permit was not taken before it expired."""


class CancelledError(CountersignError):
    """The request was cancelled or withdrawn, or its approval was revoked."""


class BlockedError(CountersignError):
    """Policy never allows this call; no person was asked."""


class AlreadyTakenError(CountersignError):
    """The permit was taken before, so nothing ran this time.

    `outcome` is the outcome that was reported for the earlier attempt. `None`: none was, for instance
    because the program crashed. Then only its operator can find out whether the call ran.
    """

    def __init__(self, request_id: str, outcome: str | None) -> None:
        report = "nothing was reported since" if outcome is None else f"its outcome is {outcome}"
        message = f"The permit of this call was taken before, and {report}"
        super().__init__("already_consumed", message, request_id=request_id)
        self.outcome = outcome


class MismatchError(CountersignError):
    """The approved call or the permit differs from the call of the program. Nothing ran."""

    def __init__(self, request_id: str, message: str) -> None:
        super().__init__("mismatch", message, request_id=request_id)
