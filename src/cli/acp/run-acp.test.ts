import { PassThrough } from 'node:stream'
import { expect, test } from 'vitest'
import { askAboutEveryCall, runAcp } from './run-acp.ts'

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

test('an agent whose message does not end is ended, and a sentence says why', async () => {
  const program = `const write = () => {
    while (process.stdout.write('x'.repeat(65_536)));
    process.stdout.once('drain', write)
  }
  write()`
  const refuse = () => Promise.reject(new Error('nobody asks'))
  const said: string[] = []
  const code = await runAcp({
    agent: [process.execPath, '-e', program],
    cwd: '/',
    judge: { decide: refuse, report: refuse },
    input: new PassThrough(),
    output: new PassThrough(),
    warn: (sentence) => said.push(sentence),
  })
  expect(code).toBe(1)
  expect(new Set(said)).toEqual(
    new Set([
      'The agent was ended: it sent a message of over 16 million characters. Start it again, and let it send less at once.',
    ]),
  )
})

test('a message of the editor that is too long ends the agent, and a sentence says why', async () => {
  const input = new PassThrough()
  const said: string[] = []
  const refuse = () => Promise.reject(new Error('nobody asks'))
  const running = runAcp({
    agent: [process.execPath, '-e', 'process.stdin.resume()'],
    cwd: '/',
    judge: { decide: refuse, report: refuse },
    input,
    output: new PassThrough(),
    warn: (sentence) => said.push(sentence),
  })
  input.write('x'.repeat(16 * 1024 * 1024 + 1))
  expect(await running).toBe(1)
  expect(said).toEqual([
    'The agent was ended: the editor sent a message of over 16 million characters. Start it again, and let the editor send less at once.',
  ])
})

const rule = { permissions: { ask: ['*'] } }

test.each(['session/new', 'session/load', 'session/resume', 'session/fork'])(
  '%s gets the rule that makes Claude Code ask about every call, whatever else the editor sets',
  (method) => {
    const open = (params: object) => askAboutEveryCall({ id: 1, method, params })
    expect(open({ cwd: '/a' })).toEqual({
      id: 1,
      method,
      params: { cwd: '/a', _meta: { claudeCode: { options: { settings: rule } } } },
    })
    const settings = { model: 'm', permissions: { allow: ['Bash'], ask: [] } }
    const editor = { other: 1, claudeCode: { options: { effort: 'low', settings } } }
    const asking = { model: 'm', permissions: { allow: ['Bash'], ask: ['*'] } }
    const claudeCode = { options: { effort: 'low', settings: asking } }
    expect(open({ _meta: editor })).toMatchObject({ params: { _meta: { other: 1, claudeCode } } })
    for (const odd of ['settings.json', null, []]) {
      const _meta = { claudeCode: { options: { settings: odd } } }
      expect(open({ _meta })).toMatchObject({
        params: { _meta: { claudeCode: { options: { settings: rule } } } },
      })
    }
  },
)

test('every other message is passed on unchanged', () => {
  for (const message of [
    { id: 1, method: 'session/prompt', params: {} },
    { id: 1, result: { method: 'session/new' } },
    { id: 1, method: 'session/new', params: [] },
  ]) {
    expect(askAboutEveryCall(message)).toBe(message)
  }
})
