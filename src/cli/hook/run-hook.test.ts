import { expect, test } from 'vitest'
import { runHook } from './run-hook.ts'

test('an event that cannot be read is a denial with its cause, and no word of a service that is away', async () => {
  for (const [input, why] of [
    ['junk', 'The input of the hook is not JSON'],
    ['{}', 'The input of the hook is not a hook event: hook_event_name'],
  ] as const) {
    const output = await runHook(
      'claude-code',
      {},
      { environment: {}, input: Promise.resolve(input) },
    )
    expect(JSON.parse(output)).toMatchObject({
      hookSpecificOutput: {
        permissionDecision: 'deny',
        permissionDecisionReason: `Countersign: this call was not judged, so it does not run: ${why}`,
      },
    })
  }
})
