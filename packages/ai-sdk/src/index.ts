import { externalIdOf, notRun, settle } from '@countersign/client'
import type { AgentCallOptions, Client, WaitOptions } from '@countersign/client'
import type { GenericToolApprovalFunction, ModelMessage, ToolApprovalResponse } from 'ai'
import type { ToolApprovalStatus, ToolExecutionEndEvent, ToolSet } from 'ai'

/** Options for the calls of a conversation. */
export interface ApprovalOptions extends AgentCallOptions {
  /** a name of the conversation, for models whose call ids are unique only within one */
  readonly conversation?: string
}

type ApprovalQuery = Parameters<GenericToolApprovalFunction<ToolSet, never, unknown>>[0]
type ToolApproval = (
  query: Pick<ApprovalQuery, 'messages' | 'toolCall'>,
) => Promise<ToolApprovalStatus>
type EndedExecution = Pick<ToolExecutionEndEvent, 'toolCall' | 'toolOutput'>

/** Settings of `generateText`, `streamText` and agents; as a function, it is its `toolApproval`. */
export interface CountersignApproval extends ToolApproval {
  readonly toolApproval: ToolApproval
  /** reports the outcome of an approved call */
  readonly onToolExecutionEnd: (event: EndedExecution) => Promise<void>
}

/**
 * Settings with which each tool call waits until a different person has approved it:
 * `generateText({ ...countersignApproval(client), tools, … })`. A call that needs an approval ends
 * the generation with a `tool-approval-request`; `resumeApprovals` continues it later, in any
 * process.
 *
 * Approvals in the messages are not trusted: before a call runs, this takes the permit of its
 * request. On any error the call is denied, with a sentence for the model.
 */
export function countersignApproval(
  client: Client,
  { conversation, unasked = [], ...routing }: ApprovalOptions = {},
): CountersignApproval {
  const taken = new Map<string, string>()

  async function judge({ messages, toolCall }: Parameters<ToolApproval>[0]) {
    const { input, providerExecuted, toolCallId, toolName: tool } = toolCall
    if (unasked.includes(tool)) return undefined
    if (providerExecuted === true) throw new Error('it would run at the provider of the model')
    const externalId = externalIdOf('ai-sdk', conversation, toolCallId)
    const call = { ...routing, edits: 'off', externalId, input: input as object, tool } as const
    // If the call is in the messages, this run answers it, and must not open a new request.
    const isAnswered = messages
      .flatMap(partsOf)
      .some((part) => part.type === 'tool-call' && part.toolCallId === toolCallId)
    const request = isAnswered ? await client.find(externalId) : await client.ask(call)
    if (request === null) throw new Error('nobody was asked about this call')
    if (request.state === 'pending') {
      const { id, number } = request
      if (!isAnswered) return { type: 'user-approval', reason: `waits as #${number}` } as const
      await client.withdraw(id)
      throw new Error(`nobody else has approved #${number}, which is withdrawn`)
    }
    const settled = await settle(client, () => call)
    if ('refusal' in settled) return { type: 'denied', reason: settled.refusal } as const
    taken.set(toolCallId, settled.requestId)
    return 'approved'
  }

  const toolApproval: ToolApproval = (query) =>
    judge(query).catch((error: unknown) => ({ type: 'denied', reason: notRun(error) }))
  async function onToolExecutionEnd({ toolCall, toolOutput }: EndedExecution): Promise<void> {
    const requestId = taken.get(toolCall.toolCallId)
    if (requestId === undefined || !taken.delete(toolCall.toolCallId)) return
    const state = toolOutput.type === 'tool-error' ? 'failed' : 'succeeded'
    await client.report(requestId, { state }).catch(() => undefined)
  }
  return Object.assign(toolApproval, { toolApproval, onToolExecutionEnd })
}

const partsOf = ({ content, role }: ModelMessage) =>
  role === 'assistant' && typeof content !== 'string' ? content : []

/**
 * Adds the decision of each call that waited to the messages. Continue the generation with them and
 * the settings of `countersignApproval`. Resolves to `null` while a call waits; `wait` is in
 * seconds. Decisions that the messages already contain, for instance from a browser, are replaced.
 */
export async function resumeApprovals(
  messages: readonly ModelMessage[],
  client: Client,
  { conversation, ...waiting }: Pick<ApprovalOptions, 'conversation'> & WaitOptions = {},
): Promise<ModelMessage[] | null> {
  const turn = messages.findLastIndex(({ role }) => role === 'assistant')
  const answers: ToolApprovalResponse[] = []
  for (const part of messages.slice(turn).flatMap(partsOf)) {
    if (part.type !== 'tool-approval-request' || part.isAutomatic === true) continue
    const earlier = await client.find(externalIdOf('ai-sdk', conversation, part.toolCallId))
    const decided = earlier === null ? null : await client.decision(earlier.id, waiting)
    const { decidedBy = 'nobody', reason = 'no reason', state = 'cancelled' } = decided ?? {}
    if (state === 'pending') return null
    const answer = { approved: state === 'approved', approvalId: part.approvalId }
    const words = `Countersign: ${state} by ${decidedBy}: ${reason}`
    answers.push({ type: 'tool-approval-response', ...answer, reason: words })
  }
  if (answers.length === 0) return [...messages]
  const later = messages.slice(turn + 1).flatMap(({ content, role }) => {
    if (role === 'tool') return content
    throw new Error('A message follows the calls that wait: resume with the messages up to them')
  })
  const ids = new Set(answers.map(({ approvalId }) => approvalId))
  const others = later.filter((part) => !('approvalId' in part && ids.has(part.approvalId)))
  return [...messages.slice(0, turn + 1), { role: 'tool', content: [...others, ...answers] }]
}
