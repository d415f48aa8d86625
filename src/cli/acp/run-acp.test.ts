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

test('a message with line separators of Unicode, which JSON may contain, reaches the editor whole', async () => {
  const message = { jsonrpc: '2.0', method: 'session/update', params: { text: 'a\u2028b\u2029c' } }
  const program = `process.stdout.write(process.argv[1])`
  const output = new PassThrough()
  const refuse = () => Promise.reject(new Error('nobody asks'))
  await runAcp({
    agent: [process.execPath, '-e', program, JSON.stringify(message)],
    cwd: '/',
    judge: { decide: refuse, report: refuse },
    input: new PassThrough(),
    output,
    warn: () => undefined,
  })
  expect(JSON.parse(String(output.read()))).toEqual(message)
})
