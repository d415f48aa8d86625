"""Deferred tools of PydanticAI (`requires_approval`) whose calls wait in Countersign.

Install `pydantic-ai-slim` or `pydantic-ai` beside this package.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from pydantic_ai import DeferredToolRequests, DeferredToolResults, ToolApproved, ToolDenied
from pydantic_ai.messages import ModelMessage, RetryPromptPart, ToolCallPart, ToolReturnPart

from ._client import Client
from ._framework_calls import Refusal, ask_about, call_name, settle
from ._gate import try_report

_NAME = "countersign_request"


def resolve_deferred(
    requests: DeferredToolRequests, client: Client, *, conversation: str | None = None, **more: Any
) -> DeferredToolResults | None:
    """Returns the result for every call that needs an approval; `None` while one of them waits.

    Store the message history and call this again later, in any process: a call keeps its request.
    Then continue with `agent.run(message_history=…, deferred_tool_results=results)`. A call runs with
    the approved arguments, and the model gets the reason of a denial. Every call has a result, because
    PydanticAI runs a call without one. `conversation` is for models whose call ids are unique only
    within one conversation. `more` are arguments of `ask`: `worker`, `queue` and `on_behalf_of`.
    Raises `unavailable` if the service is unreachable; nothing has run then.
    """

    def call_of(call: ToolCallPart) -> dict[str, Any]:
        external_id = call_name("pydantic-ai", conversation, call.tool_call_id)
        return {**more, "tool": call.tool_name, "input": call.args_as_dict(), "external_id": external_id}

    if ask_about(client, requests.approvals, call_of):
        return None
    results = DeferredToolResults()
    for call in requests.approvals:
        settled = settle(client, lambda call=call: call_of(call))
        if isinstance(settled, Refusal):
            results.approvals[call.tool_call_id] = ToolDenied(settled.words)
        else:
            edited = settled.input if settled.is_changed else None
            results.approvals[call.tool_call_id] = ToolApproved(override_args=edited)
            results.metadata[call.tool_call_id] = {_NAME: settled.request_id}
    return results


def report_outcomes(
    messages: Iterable[ModelMessage], results: DeferredToolResults, client: Client
) -> None:
    """Reports the outcomes of the approved calls, from the messages of the run that made them."""
    for message in messages:
        for part in message.parts:
            if isinstance(part, (ToolReturnPart, RetryPromptPart)):
                taken = results.metadata.get(part.tool_call_id, {}).get(_NAME)
                state = "succeeded" if isinstance(part, ToolReturnPart) else "failed"
                if taken is not None:
                    try_report(client, taken, state)
