import { PassThrough } from 'node:stream'
import { expect, test } from 'vitest'
import { runAcp } from './run-acp.ts'

test('an agent that cannot be started is named, and no message of the editor is waited for', async () => {
  const input = new PassThrough()
  const refuse = () => Promise.reject(new Error('nobody asks'))
  const running = runAcp({
    agent: ['no-such-agent', '--acp'],
    cwd: '/',
    judge: { decide: refuse, report: refuse },
    input,
    output: new PassThrough(),
    warn: () => undefined,
  })
  await expect(running).rejects.toThrow(
    'The agent no-such-agent cannot be started: spawn no-such-agent ENOENT',
  )
  expect(input.destroyed).toBe(true)
})
