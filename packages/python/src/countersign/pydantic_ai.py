"""Deferred tools of PydanticAI (`requires_approval`) whose calls wait in Countersign.

Install `pydantic-ai-slim` or `pydantic-ai` beside this package.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from pydantic_ai import DeferredToolRequests, DeferredToolResults, ToolApproved, ToolDenied
from pydantic_ai.messages import ModelMessage, RetryPromptPart, ToolReturnPart

from ._client import Client
from ._gate import try_report
from .errors import CountersignError

_NAME = "countersign_request"


def resolve_deferred(
    requests: DeferredToolRequests, client: Client, *, conversation: str | None = None, **more: Any
) -> DeferredToolResults | None:
    """The answer to every call that needs an approval; `None` while one of them waits.

    Store the message history and call this again later, in any process: the same call is the same
    request. Then go on with `agent.run(message_history=…, deferred_tool_results=results)`. A call
    runs with the arguments that were approved, and a denial reaches the model with its reason.
    Every call has an answer, because PydanticAI runs one that is left out. `conversation` makes ids
    of calls unique that are not by themselves; `more` is what `ask` takes: `worker`, `queue` and
    `on_behalf_of`. Raises `unavailable` while the service is away; nothing has run then.
    """
    prefix = "pydantic-ai" if conversation is None else f"pydantic-ai:{conversation}"
    results = DeferredToolResults()
    asked: list[tuple[Any, str]] = []
    is_waiting = False
    for call in requests.approvals:
        try:
            external_id = f"{prefix}:{call.tool_call_id}"
            found = client.ask(call.tool_name, call.args_as_dict(), external_id=external_id, **more)
            is_waiting = is_waiting or found.state == "pending"
            asked.append((call, external_id))
        except (CountersignError, ValueError) as error:
            results.approvals[call.tool_call_id] = _denied(error)
    if is_waiting:
        return None
    for call, external_id in asked:
        args = call.args_as_dict()
        try:
            allowed = client.take(call.tool_name, args, external_id=external_id, wait=0, **more)
        except (CountersignError, ValueError) as error:
            results.approvals[call.tool_call_id] = _denied(error)
            continue
        edited = None if allowed.input == args else allowed.input
        results.approvals[call.tool_call_id] = ToolApproved(override_args=edited)
        results.metadata[call.tool_call_id] = {_NAME: allowed.request_id}
    return results


def report_outcomes(
    messages: Iterable[ModelMessage], results: DeferredToolResults, client: Client
) -> None:
    """Reports what became of the approved calls, from the messages of the run that made them."""
    for message in messages:
        for part in message.parts:
            if isinstance(part, (ToolReturnPart, RetryPromptPart)):
                taken = results.metadata.get(part.tool_call_id, {}).get(_NAME)
                state = "succeeded" if isinstance(part, ToolReturnPart) else "failed"
                if taken is not None:
                    try_report(client, taken, state)


def _denied(error: Exception) -> ToolDenied:
    if getattr(error, "code", None) == "unavailable":
        raise error
    return ToolDenied(f"Countersign: not run. {error}")
