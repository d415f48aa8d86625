/** Events of a tool call of an agent that hooks answer, by the names that Claude Code gave them. */
export const hookEvents = [
  'PreToolUse',
  'PermissionRequest',
  'PostToolUse',
  'PostToolUseFailure',
] as const

export type HookEventName = (typeof hookEvents)[number]

/** Whether the agent asks with it before the call is made. */
export function isBeforeCall(event: HookEventName): boolean {
  return event === 'PreToolUse' || event === 'PermissionRequest'
}
