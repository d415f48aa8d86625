/** Events of an agent's tool call that hooks answer, by their names in Claude Code. */
export const hookEvents = [
  'PreToolUse',
  'PermissionRequest',
  'PostToolUse',
  'PostToolUseFailure',
] as const

export type HookEventName = (typeof hookEvents)[number]

/** Whether the event comes before the call. */
export function isBeforeCall(event: HookEventName): boolean {
  return event === 'PreToolUse' || event === 'PermissionRequest'
}
