import { z } from 'zod'

/**
 * What Claude Code hands a hook on standard input before and after a tool runs (its hooks
 * reference). Members that we do not need may be there or not.
 */
const hookEvent = z.object({
  hook_event_name: z.enum(['PreToolUse', 'PostToolUse', 'PostToolUseFailure']),
  session_id: z.string().min(1).max(200),
  tool_name: z.string().min(1).max(200),
  tool_input: z.record(z.string(), z.unknown()),
  tool_use_id: z.string().min(1).max(200).optional(),
  cwd: z.string().optional(),
})
export type HookEvent = z.infer<typeof hookEvent>

/** Parses it. Throws an error with a sentence when it is something else. */
export function parseHookEvent(text: string): HookEvent {
  let value: unknown
  try {
    value = JSON.parse(text)
  } catch (cause) {
    throw new Error('What came on standard input is not JSON', { cause })
  }
  const parsed = hookEvent.safeParse(value)
  if (parsed.success) return parsed.data
  const [issue] = parsed.error.issues
  const where = issue?.path.join('.') ?? ''
  throw new Error(`What came on standard input is no hook event: ${where} ${issue?.message ?? ''}`)
}

/**
 * How a hook answers: allow, or deny with a sentence that the model reads. `none`: the call is
 * harmless, and only Claude Code's own settings speak of it.
 */
export type HookDecision =
  | { readonly decision: 'none' }
  | { readonly decision: 'allow'; readonly reason: string }
  | { readonly decision: 'deny'; readonly reason: string }

/** The answer as Claude Code reads it on standard output. */
export function hookOutput(answer: HookDecision): string {
  if (answer.decision === 'none') return '{}'
  return JSON.stringify({
    hookSpecificOutput: {
      hookEventName: 'PreToolUse',
      permissionDecision: answer.decision,
      permissionDecisionReason: answer.reason,
    },
  })
}
