import { z } from 'zod'
import { json, name, text, wholeNumber } from '../common.ts'

/** How long people have when the address says nothing: the agent waits 600 s by itself. */
const usualWaitSeconds = 540

export const hookQuery = z.strictObject({
  /** whose policy judges first; absent: every call asks */
  worker: name.optional(),
  /** seconds that people have, less than the hook's own `timeout`; 0: answered at once */
  wait: wholeNumber({
    least: 0,
    most: 86_400,
    message: 'must be a number of seconds, 0 to 86400',
  }).default(usualWaitSeconds),
})

/** What the settings of the agent tell of the machine. */
export const hookHeaders = z.object({
  /** absolute path of the folder where the worker's paths begin; absent: where the session began */
  'countersign-root': z.string().optional(),
  'countersign-host': z.string().optional(),
})

/**
 * An event as the agent documents it. What is none is answered with a denial, since agents go on
 * after an error.
 */
export const hookBody = z.looseObject({}).meta({
  examples: [
    {
      hook_event_name: 'PreToolUse',
      session_id: '5b1f5d0e-6f7c-4a52-9a55-0c8e6f3f4a51',
      cwd: '/srv/shop',
      tool_name: 'Bash',
      tool_input: { command: 'npm publish' },
      tool_use_id: 'toolu_01',
    },
  ],
})

/** The agent's own JSON; empty where nothing is decided. */
export const hookAnswer = z
  .object({ hookSpecificOutput: z.record(z.string(), json).optional() })
  .meta({
    examples: [
      {
        hookSpecificOutput: {
          hookEventName: 'PreToolUse',
          permissionDecision: 'deny',
          permissionDecisionReason:
            'Countersign: this is not done, and waits as #142; ask again with exactly the same call.',
        },
      },
    ],
  })

/** Of the reported machine, as in `origin`. */
export const hookHost = text(255).min(1)
