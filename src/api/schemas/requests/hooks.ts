import { z } from 'zod'
import { usualPermissionSeconds } from '#domain/hooks/permission-tool.ts'
import { json, name, text, wholeNumber } from '../common.ts'

/** The default of `wait`. The agent itself waits 600 s. */
const usualWaitSeconds = 540

export const hookQuery = z.strictObject({
  worker: name
    .optional()
    .describe(
      'The worker whose policy judges the call first; absent: every call needs an approval',
    ),
  wait: wholeNumber({
    min: 0,
    max: 86_400,
    message: 'must be a number of seconds, 0 to 86400',
  })
    .default(usualWaitSeconds)
    .describe(
      'Seconds to wait for people, less than the timeout of the hook; 0: answer at once; default: 540',
    ),
})

/** Of the permission tool at `/mcp`: as for a hook, but for longer. */
export const permissionQuery = hookQuery.extend({
  wait: hookQuery.shape.wait.unwrap().default(usualPermissionSeconds),
})

/** Headers that the settings of the agent add. */
export const hookHeaders = z.object({
  'countersign-root': z
    .string()
    .optional()
    .describe(
      'Absolute path of the folder at which the paths of the worker begin; default: where the session began',
    ),
  'countersign-host': z.string().optional().describe('Name of the machine of the agent'),
})

/** An agent's event. A malformed one is answered with a denial: agents ignore errors. */
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

/** The answer in the agent's format; empty if nothing is decided. */
export const hookAnswer = z
  .object({
    hookSpecificOutput: z
      .record(z.string(), json)
      .optional()
      .describe('The decision in the format of the agent; absent: nothing is decided'),
  })
  .meta({
    examples: [
      {
        hookSpecificOutput: {
          hookEventName: 'PreToolUse',
          permissionDecision: 'deny',
          permissionDecisionReason:
            'Countersign: this call has not run and waits as #142; ask again with exactly the same call, which continues the same request.',
        },
      },
    ],
  })

/** Name of the machine that the agent runs on, as in `origin`. */
export const hookHost = text(255).min(1)
