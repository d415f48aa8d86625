"""Interrupts of LangGraph graphs whose calls wait in Countersign.

Nothing needs to be installed beside this package. Two shapes of interrupts are known: that of
LangChain's human-in-the-loop middleware, and that of LangGraph's agent inbox.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from ._client import Client
from ._digest import call_digest
from ._framework_calls import Refusal, ask_about, settle
from ._request import AllowedCall, RequestSummary


@dataclass(frozen=True)
class AnsweredInterrupts:
    """The state of the calls for which a graph pauses.

    Continue with `Command(resume=resume)` once `waiting` is empty. `taken` are the ids of the requests
    whose permits were taken, with the names of their calls: report the outcomes of these calls.
    """

    waiting: list[RequestSummary]
    resume: dict[str, Any] | None
    taken: list[tuple[str, str]]


@dataclass(frozen=True)
class _Action:
    name: str
    args: dict[str, Any]
    can_approve: bool
    can_edit: bool
    answer: Callable[[AllowedCall | Refusal], dict[str, Any]]


def answer_interrupts(client: Client, interrupts: Iterable[Any], **more: Any) -> AnsweredInterrupts:
    """Opens a request for every call for which a graph pauses.

    Call it again later, also in another process, with the interrupts of the stored state. Once all
    calls are decided, takes the permits and returns an answer for each call in the shape of its
    interrupt: an approval, with new arguments if a person changed them, or a refusal with the person's
    reason. `more` are arguments of `ask`: `worker`, `queue` and `on_behalf_of`.

    Raises `TypeError` for an interrupt of another shape, and `unavailable` if the service is
    unreachable. It then opens no request.
    """
    pauses = [(one.id, *_read(one.value)) for one in interrupts]

    def call_of(place: tuple[str, int, _Action]) -> dict[str, Any]:
        id, index, action = place
        if not action.can_approve:
            raise ValueError("its graph lets nobody approve this")
        # The id is unique for each pause and each input.
        digest = call_digest(action.name, action.args, "")
        edits = {} if action.can_edit else {"edits": "off"}
        external_id = f"langgraph:{id}:{index}:{digest[7:23]}"
        return {**more, **edits, "tool": action.name, "input": action.args, "external_id": external_id}

    places = [(id, index, action) for id, actions, _ in pauses for index, action in enumerate(actions)]
    if waiting := ask_about(client, places, call_of):
        return AnsweredInterrupts([request for _, request in waiting], None, [])
    settled = [(place, settle(client, lambda place=place: call_of(place))) for place in places]
    taken = [(one.request_id, place[2].name) for place, one in settled if isinstance(one, AllowedCall)]
    resume = {
        id: resume_of([place[2].answer(one) for place, one in settled if place[0] == id])
        for id, _, resume_of in pauses
    }
    return AnsweredInterrupts([], resume, taken)


def _read(value: Any) -> tuple[list[_Action], Callable[[list[Any]], Any]]:
    """Reads the calls of an interrupt, and a function that makes the resume value of their answers."""
    if isinstance(value, Mapping) and isinstance(value.get("action_requests"), list):
        allowed = {one["action_name"]: one["allowed_decisions"] for one in value["review_configs"]}
        actions = [_read_review(call, allowed.get(call["name"], [])) for call in value["action_requests"]]
        return actions, lambda decisions: {"decisions": decisions}
    items = value if isinstance(value, list) else [value]
    if not items or not all(isinstance(one, Mapping) and "action_request" in one for one in items):
        raise TypeError("this interrupt names no call that could be approved")
    return [_read_inbox(one["action_request"], one["config"]) for one in items], lambda answers: answers


def _read_review(call: Mapping[str, Any], allowed: list[str]) -> _Action:
    name = call["name"]

    def answer(settled: AllowedCall | Refusal) -> dict[str, Any]:
        if isinstance(settled, Refusal):
            return {"type": "reject", "message": settled.words}
        edited = {"name": name, "args": settled.input}
        return {"type": "edit", "edited_action": edited} if settled.is_changed else {"type": "approve"}

    return _Action(name, dict(call["args"]), "approve" in allowed, "edit" in allowed, answer)


def _read_inbox(request: Mapping[str, Any], config: Mapping[str, Any]) -> _Action:
    """Reads `{action_request: {action, args}, config: {allow_accept, …}}` of LangGraph's agent inbox."""
    name = request["action"]

    def answer(settled: AllowedCall | Refusal) -> dict[str, Any]:
        if isinstance(settled, Refusal):
            can_respond = config.get("allow_respond", False)
            return {"type": "response", "args": settled.words} if can_respond else {"type": "ignore", "args": None}
        edited = {"action": name, "args": settled.input}
        return {"type": "edit", "args": edited} if settled.is_changed else {"type": "accept", "args": None}

    may = [bool(config.get(key)) for key in ("allow_accept", "allow_edit")]
    return _Action(name, dict(request["args"]), *may, answer)
