import type { ActOptions, Client, Decision } from '@countersign/client'
import type { ModelMessage, ToolApprovalResponse } from 'ai'
import { externalIdOf, type ApprovalOptions } from './countersign-approval.ts'

/**
 * The messages with the answer of each call that waited, to generate on with the settings of
 * `countersignApproval`; `null` while one of them waits. `wait` is in seconds. Answers to these
 * calls that are in the messages, such as a browser sends them, are replaced by what was decided.
 */
export async function resumeApprovals(
  messages: readonly ModelMessage[],
  client: Client,
  options: Pick<ApprovalOptions, 'conversation'> & ActOptions & { readonly wait?: number } = {},
): Promise<ModelMessage[] | null> {
  const { conversation, ...waiting } = options
  const turn = messages.findLastIndex(({ role }) => role === 'assistant')
  const parts = messages[turn]?.content ?? ''
  const answers: ToolApprovalResponse[] = []
  for (const part of typeof parts === 'string' ? [] : parts) {
    if (part.type !== 'tool-approval-request' || part.isAutomatic === true) continue
    const found = await client.find(externalIdOf(part.toolCallId, { conversation }))
    const decided = found === null ? nobodyAsked : await client.decision(found.id, waiting)
    const { decidedBy = 'nobody', reason = 'no reason', state } = decided
    if (state === 'pending') return null
    answers.push({
      type: 'tool-approval-response',
      approvalId: part.approvalId,
      approved: state === 'approved',
      reason: `Countersign: ${state} by ${decidedBy}: ${reason}`,
    })
  }
  if (answers.length === 0) return [...messages]
  const later = messages.slice(turn + 1).flatMap(({ content, role }) => {
    if (role === 'tool') return content
    throw new Error('A message follows the calls that wait: resume with the messages up to them')
  })
  const ours = (part: { readonly type: string }): boolean =>
    'approvalId' in part && answers.some(({ approvalId }) => approvalId === part.approvalId)
  const content = [...later.filter((part) => !ours(part)), ...answers]
  return [...messages.slice(0, turn + 1), { role: 'tool', content }]
}

const nobodyAsked: Pick<Decision, 'decidedBy' | 'reason' | 'state'> = { state: 'cancelled' }
