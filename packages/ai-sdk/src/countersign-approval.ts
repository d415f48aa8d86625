import { callDigest, type Call, type Client } from '@countersign/client'
import type { ModelMessage, ToolApprovalStatus } from 'ai'

/** How the calls of a conversation are asked about. */
export interface ApprovalOptions extends Pick<Call, 'onBehalfOf' | 'queue' | 'worker'> {
  /** tools that nobody is asked about; every other one is */
  readonly unasked?: readonly string[]
  /** a name of the conversation, where the model's ids of calls are not unique by themselves */
  readonly conversation?: string
}

interface ToolCall {
  readonly toolName: string
  readonly toolCallId: string
  readonly input: unknown
  readonly providerExecuted?: boolean | undefined
}

type ToolApproval = (options: {
  readonly toolCall: ToolCall
  readonly messages: ModelMessage[]
}) => Promise<ToolApprovalStatus>

/** Settings of `generateText`, `streamText` and agents; as a function, it is its `toolApproval`. */
export interface CountersignApproval extends ToolApproval {
  readonly toolApproval: ToolApproval
  /** reports what became of the call */
  readonly onToolExecutionEnd: (event: {
    readonly toolCall: { readonly toolCallId: string }
    readonly toolOutput: { readonly type: string }
  }) => Promise<void>
}

/** The name under which the service knows a call. */
export function externalIdOf(
  toolCallId: string,
  { conversation }: { readonly conversation?: string | undefined },
): string {
  return conversation === undefined
    ? `ai-sdk:${toolCallId}`
    : `ai-sdk:${conversation}:${toolCallId}`
}

/**
 * Settings by which each call of a tool waits until a different person has approved it:
 * `generateText({ ...countersignApproval(client), tools, … })`. A call that asks ends the
 * generation with a `tool-approval-request`; `resumeApprovals` continues it later, in any process.
 *
 * An answer in the messages counts for nothing by itself: before the call runs, the permit of its
 * request is taken, once. Whatever goes wrong, the call is denied with a sentence for the model.
 */
export function countersignApproval(
  client: Client,
  options: ApprovalOptions = {},
): CountersignApproval {
  const { conversation: _, unasked = [], ...routing } = options
  const taken = new Map<string, string>()

  async function judge({ toolCall, messages }: Parameters<ToolApproval>[0]) {
    const { input, providerExecuted, toolCallId, toolName } = toolCall
    if (unasked.includes(toolName)) return undefined
    if (providerExecuted === true) throw new Error('it would run at the provider of the model')
    const externalId = externalIdOf(toolCallId, options)
    const call = {
      ...routing,
      edits: 'off',
      externalId,
      input: input as object,
      tool: toolName,
    } as const
    // With the call in the messages, this is the answer to it: then nothing new is asked.
    const isAnswered = messages.some(
      ({ content, role }) =>
        role === 'assistant' &&
        typeof content !== 'string' &&
        content.some((part) => part.type === 'tool-call' && part.toolCallId === toolCallId),
    )
    const asked = isAnswered ? await client.find(externalId) : await client.ask(call)
    if (asked === null) throw new Error('nobody was asked about this call')
    if (asked.state === 'pending' && !isAnswered) {
      return { type: 'user-approval', reason: `waits as #${asked.number}` } as const
    }
    if (asked.state === 'pending') {
      await client.withdraw(asked.id)
      throw new Error(`nobody else has approved #${asked.number}, which is withdrawn`)
    }
    const allowed = await client.take(call, { wait: 0 })
    const shown = { tool: toolName, input: allowed.input, toolHash: '' }
    if ((await callDigest(shown)) !== (await callDigest({ ...shown, input: call.input }))) {
      await client.report(allowed.requestId, { state: 'failed', summary: 'Not run: other input' })
      throw new Error(`approved is another input: ${JSON.stringify(allowed.input)}`)
    }
    taken.set(toolCallId, allowed.requestId)
    return 'approved'
  }

  const toolApproval: ToolApproval = (given) =>
    judge(given).catch((error: unknown) => ({
      type: 'denied',
      reason: `Countersign: not run. ${error instanceof Error ? error.message : String(error)}`,
    }))
  const onToolExecutionEnd: CountersignApproval['onToolExecutionEnd'] = async (event) => {
    const requestId = taken.get(event.toolCall.toolCallId)
    if (requestId === undefined) return
    taken.delete(event.toolCall.toolCallId)
    const state = event.toolOutput.type === 'tool-error' ? 'failed' : 'succeeded'
    await client.report(requestId, { state }).catch(() => undefined)
  }
  return Object.assign(toolApproval, { toolApproval, onToolExecutionEnd })
}
