/** Events of a tool call of an agent that hooks answer, by the names that Claude Code gave them. */
export const hookEvents = ['PreToolUse', 'PostToolUse', 'PostToolUseFailure'] as const

export type HookEventName = (typeof hookEvents)[number]
