"""Interrupts of LangGraph graphs whose calls wait in Countersign.

Nothing needs to be installed beside this package. Two shapes of interrupts are known: that of
LangChain's human-in-the-loop middleware, and that of LangGraph's agent inbox.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from ._client import Client
from ._digest import canonical_json, call_digest
from ._gate import try_report
from ._request import Asked
from .errors import CountersignError


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
    approve: dict[str, Any]
    edit: Callable[[dict[str, Any]], dict[str, Any]]
    refuse: Callable[[str], dict[str, Any]]


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
    waiting: list[Asked] = []
    for id, actions, _ in pauses:
        for index, action in enumerate(actions):
            try:
                asked = client.ask(*_call(action), **_acts(action, f"{id}:{index}", more))
                waiting += [asked] if asked.state == "pending" else []
            except (CountersignError, ValueError) as error:
                _raise_unavailable(error)
    if waiting:
        return AnsweredInterrupts(waiting, None, [])
    taken: list[tuple[str, str]] = []
    resume: dict[str, Any] = {}
    for id, actions, resume_of in pauses:
        answers = []
        for index, action in enumerate(actions):
            try:
                answers.append(_taken(client, action, f"{id}:{index}", more, taken))
            except (CountersignError, ValueError) as error:
                _raise_unavailable(error)
                answers.append(action.refuse(f"Countersign: not run. {error}"))
        resume[id] = resume_of(answers)
    return AnsweredInterrupts(waiting, resume, taken)


def _taken(
    client: Client, action: _Action, place: str, more: dict[str, Any], taken: list[tuple[str, str]]
) -> dict[str, Any]:
    allowed = client.take(*_call(action), wait=0, **_acts(action, place, more))
    is_edited = canonical_json(allowed.input) != canonical_json(action.args)
    if is_edited and not action.can_edit:
        try_report(client, allowed.request_id, "failed", "Not run: other input")
        raise ValueError(f"approved are other arguments: {allowed.input}")
    taken.append((allowed.request_id, action.name))
    return action.edit(allowed.input) if is_edited else action.approve


def _call(action: _Action) -> tuple[str, dict[str, Any]]:
    if not action.can_approve:
        raise ValueError("its graph lets nobody approve this")
    return action.name, action.args


def _acts(action: _Action, place: str, more: dict[str, Any]) -> dict[str, Any]:
    """A name of its own for each pause and each input."""
    digest = call_digest(action.name, action.args, "")
    edits = {} if action.can_edit else {"edits": "off"}
    return {**more, **edits, "external_id": f"langgraph:{place}:{digest[7:23]}"}


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
    return _Action(
        name=name,
        args=dict(call["args"]),
        can_approve="approve" in allowed,
        can_edit="edit" in allowed,
        approve={"type": "approve"},
        edit=lambda args: {"type": "edit", "edited_action": {"name": name, "args": args}},
        refuse=lambda words: {"type": "reject", "message": words},
    )


def _inboxed(request: Mapping[str, Any], config: Mapping[str, Any]) -> _Action:
    """Of `{action_request: {action, args}, config: {allow_accept, …}}`, as graphs pause for the inbox."""
    name, can_respond = request["action"], config.get("allow_respond", False)
    return _Action(
        name=name,
        args=dict(request["args"]),
        can_approve=bool(config.get("allow_accept")),
        can_edit=bool(config.get("allow_edit")),
        approve={"type": "accept", "args": None},
        edit=lambda args: {"type": "edit", "args": {"action": name, "args": args}},
        refuse=lambda words: {"type": "response", "args": words}
        if can_respond
        else {"type": "ignore", "args": None},
    )


def _raise_unavailable(error: Exception) -> None:
    if getattr(error, "code", None) == "unavailable":
        raise error
