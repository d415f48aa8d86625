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
from ._request import Allowed, Asked


@dataclass(frozen=True)
class AnsweredInterrupts:
    """What is known of the calls for which a graph pauses.

    Go on with `Command(resume=resume)` once nothing is in `waiting`. `taken` are the ids of the
    requests whose permits were taken, with the names of their calls: report what becomes of them.
    """

    waiting: list[Asked]
    resume: dict[str, Any] | None
    taken: list[tuple[str, str]]


@dataclass(frozen=True)
class _Action:
    name: str
    args: dict[str, Any]
    can_approve: bool
    can_edit: bool
    answer: Callable[[Allowed | Refusal], dict[str, Any]]


def answer_interrupts(client: Client, interrupts: Iterable[Any], **more: Any) -> AnsweredInterrupts:
    """Asks about every call for which a graph of your own pauses.

    Call it again later, also in another process, with the interrupts of the stored state. Once all
    calls are decided it takes the permits and writes the answer of each, in order and in the shape of
    its interrupt: approved, with other arguments where a person changed them, or refused with the
    words of the person. `more` is what `ask` takes: `worker`, `queue` and `on_behalf_of`.

    Raises `TypeError` for an interrupt of another shape, and `unavailable` while the service is away.
    Nothing is asked then, and nothing runs.
    """
    pauses = [(one.id, *_read(one.value)) for one in interrupts]

    def call_of(place: tuple[str, int, _Action]) -> dict[str, Any]:
        id, index, action = place
        if not action.can_approve:
            raise ValueError("its graph lets nobody approve this")
        # A name of its own for each pause and each input.
        digest = call_digest(action.name, action.args, "")
        edits = {} if action.can_edit else {"edits": "off"}
        external_id = f"langgraph:{id}:{index}:{digest[7:23]}"
        return {**more, **edits, "tool": action.name, "input": action.args, "external_id": external_id}

    places = [(id, index, action) for id, actions, _ in pauses for index, action in enumerate(actions)]
    if waiting := ask_about(client, places, call_of):
        return AnsweredInterrupts([asked for _, asked in waiting], None, [])
    settled = [(place, settle(client, lambda place=place: call_of(place))) for place in places]
    taken = [(one.request_id, place[2].name) for place, one in settled if isinstance(one, Allowed)]
    resume = {
        id: resume_of([place[2].answer(one) for place, one in settled if place[0] == id])
        for id, _, resume_of in pauses
    }
    return AnsweredInterrupts([], resume, taken)


def _read(value: Any) -> tuple[list[_Action], Callable[[list[Any]], Any]]:
    """The calls of an interrupt's value, and the value with which it goes on, of their answers."""
    if isinstance(value, Mapping) and isinstance(value.get("action_requests"), list):
        allowed = {one["action_name"]: one["allowed_decisions"] for one in value["review_configs"]}
        actions = [_reviewed(call, allowed.get(call["name"], [])) for call in value["action_requests"]]
        return actions, lambda decisions: {"decisions": decisions}
    items = value if isinstance(value, list) else [value]
    if not items or not all(isinstance(one, Mapping) and "action_request" in one for one in items):
        raise TypeError("this interrupt names no call that could be approved")
    return [_inboxed(one["action_request"], one["config"]) for one in items], lambda answers: answers


def _reviewed(call: Mapping[str, Any], allowed: list[str]) -> _Action:
    name = call["name"]

    def answer(settled: Allowed | Refusal) -> dict[str, Any]:
        if isinstance(settled, Refusal):
            return {"type": "reject", "message": settled.words}
        edited = {"name": name, "args": settled.input}
        return {"type": "edit", "edited_action": edited} if settled.is_changed else {"type": "approve"}

    return _Action(name, dict(call["args"]), "approve" in allowed, "edit" in allowed, answer)


def _inboxed(request: Mapping[str, Any], config: Mapping[str, Any]) -> _Action:
    """Of `{action_request: {action, args}, config: {allow_accept, …}}`, as graphs pause for the inbox."""
    name = request["action"]

    def answer(settled: Allowed | Refusal) -> dict[str, Any]:
        if isinstance(settled, Refusal):
            can_respond = config.get("allow_respond", False)
            return {"type": "response", "args": settled.words} if can_respond else {"type": "ignore", "args": None}
        edited = {"action": name, "args": settled.input}
        return {"type": "edit", "args": edited} if settled.is_changed else {"type": "accept", "args": None}

    may = [bool(config.get(key)) for key in ("allow_accept", "allow_edit")]
    return _Action(name, dict(request["args"]), *may, answer)
