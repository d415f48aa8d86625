import { createHash } from 'node:crypto'
import type { HookEvent } from './hook-event.ts'

const maxCharacters = 200

/** The `externalId` of a call, the same before and after it; `null`: the agent has no ids. */
export function externalIdOf(
  { session_id: session, tool_use_id: call }: Pick<HookEvent, 'session_id' | 'tool_use_id'>,
  agent: string,
): string | null {
  if (call === undefined) return null
  const name = `${agent}:${session}:${call}`
  return name.length <= maxCharacters
    ? name
    : `${agent}:${createHash('sha256').update(name).digest('hex')}`
}
