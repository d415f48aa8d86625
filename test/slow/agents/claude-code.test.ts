import { readFile, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { AgentWorld } from './agent-world.ts'
import { guaranteesOverMcp } from './claude-code-over-mcp.ts'
import { ClaudeCodeSessions } from './claude-code-sessions.ts'

const notes = fileURLToPath(new URL('../../harness/fixtures/mcp/noting-server.ts', import.meta.url))
let agent: AgentWorld
let sessions: ClaudeCodeSessions

beforeAll(async () => {
  await ClaudeCodeSessions.install()
  agent = await AgentWorld.start(
    `mcpServers:\n  notes: { command: ${process.execPath}, args: ['${notes}', notes.journal], holdSeconds: 2 }\n`,
  )
  sessions = new ClaudeCodeSessions(agent)
}, 600_000)
afterAll(() => agent?.[Symbol.asyncDispose](), 60_000)

const print = (...args: string[]) => sessions.print(...args)
const resume = (...args: string[]) =>
  agent.run(
    join(agent.project.folder, 'node_modules/.bin/countersign-hook'),
    ['claude-code', 'resume', '--program', sessions.program, '--json', ...args],
    sessions.env,
  )
const touch = (name: string) => {
  // It fails when it is made twice.
  const input = { command: `mkdir ${name}`, description: 'Make it' }
  agent.model.calls = [{ name: 'Bash', input }]
}
const install = (...args: string[]): Promise<void> => agent.install('claude-code', ...args)

test('in print mode a call waits for somebody else and through a restart, is made once as it was approved, and its outcome is reported', async () => {
  await install('--wait', '60')
  touch('printed')
  const ended = print()
  expect(await agent.decide('approve', 'grace')).toBe(403)
  await (
    await agent.world.takeDown('api')
  )()
  await agent.revise('printed', 'changed')
  expect(await agent.decide('approve')).toBe(200)
  expect(JSON.parse((await ended).out)).toMatchObject({ result: 'Done.', is_error: false })
  expect(await agent.has('printed')).toBe(false)
  expect(await agent.has('changed')).toBe(true)
  expect(await agent.outcome()).toBe('succeeded')
})

test('over HTTP a call that nobody decides in time is denied, and the same call goes on and is made once', async () => {
  await install('--http', '--url', agent.world.installation.url, '--wait', '5')
  touch('asked')
  agent.model.calls = [...agent.model.calls, ...agent.model.calls]
  const ended = print()
  await agent.until(async () => agent.model.conversation.includes('waits as #'))
  expect(await agent.has('asked')).toBe(false)
  expect(await agent.decide('approve')).toBe(200)
  expect(JSON.parse((await ended).out)).toMatchObject({ result: 'Done.', is_error: false })
  expect(await agent.has('asked')).toBe(true)
  expect(await agent.outcome()).toBe('succeeded')
  await install('--wait', '60')
})

test('a denied call is not made, and the model is told why', async () => {
  touch('denied')
  const ended = print()
  expect(await agent.decide('deny')).toBe(200)
  expect(JSON.parse((await ended).out)).toMatchObject({ result: 'Done.' })
  expect(await agent.has('denied')).toBe(false)
  expect(agent.model.conversation).toContain('not on a Friday')
})

test('with --defer the session ends, outlives a restart, and is continued once by whoever resumes it after the decision', async () => {
  await install('--defer', '2')
  touch('deferred')
  const ended = JSON.parse((await print('--permission-mode', 'acceptEdits')).out)
  expect(ended).toMatchObject({ stop_reason: 'tool_deferred' })
  // Nothing that is called from here decides, and the owner of the key may not.
  expect(await resume()).toMatchObject({ code: 3 })
  expect(await agent.decide('approve', 'grace')).toBe(403)
  await (
    await agent.world.takeDown('api')
  )()
  expect(await agent.has('deferred')).toBe(false)
  const waited = resume('--wait', '120')
  expect(await agent.decide('approve')).toBe(200)
  const { code, err, out } = await waited
  expect({ code, items: JSON.parse(out).items }).toMatchObject({
    code: 0,
    items: [{ sessionId: ended.session_id, state: 'approved', exitCode: 0 }],
  })
  expect(err).toContain('Done.')
  expect(await agent.has('deferred')).toBe(true)
  expect(await agent.outcome()).toBe('succeeded')
  expect(JSON.parse((await resume()).out)).toEqual({ items: [] })
})

test('a session whose call was denied is continued with the reason', async () => {
  touch('refused')
  expect(JSON.parse((await print()).out)).toMatchObject({ stop_reason: 'tool_deferred' })
  expect(await agent.decide('deny')).toBe(200)
  expect((await resume('--', '--output-format', 'text')).err).toContain('Done.')
  expect(await agent.has('refused')).toBe(false)
  expect(agent.model.conversation).toContain('not on a Friday')
})

test('in prompt mode, where Claude Code would make a deferred call, the hook waits and does not defer', async () => {
  await install('--defer', '2', '--wait', '60')
  touch('prompted')
  const { folder } = agent.project
  const settings = JSON.parse(await readFile(join(folder, '.claude/settings.json'), 'utf8'))
  const allowed = { ...settings, permissions: { allow: ['Bash'] } }
  await agent.project.write('.claude/settings.json', JSON.stringify(allowed))
  // A session may inherit the name of the mode of another.
  const session = await sessions.prompt([], { CLAUDE_CODE_ENTRYPOINT: 'sdk-cli' })
  await agent.waiting()
  expect(await agent.has('prompted')).toBe(false)
  expect(await agent.decide('approve')).toBe(200)
  await agent.until(() => agent.has('prompted'))
  await session.stop()
})

test('the plugin folder alone makes calls wait, and Claude Code finds no fault in it', async () => {
  const { folder } = agent.project
  await rm(join(folder, '.claude'), { recursive: true, force: true })
  expect(await agent.hook('claude-code', '--plugin', '--wait', '60')).toMatchObject({ code: 0 })
  const plugin = join(folder, 'countersign-plugin')
  const validate = ['plugin', 'validate', plugin]
  expect(await agent.run(sessions.program, validate, sessions.env)).toMatchObject({ code: 0 })
  touch('plugged')
  const ended = print('--plugin-dir', plugin)
  expect(await agent.decide('approve', 'grace')).toBe(403)
  expect(await agent.has('plugged')).toBe(false)
  expect(await agent.decide('approve')).toBe(200)
  expect(JSON.parse((await ended).out)).toMatchObject({ result: 'Done.' })
  expect(await agent.has('plugged')).toBe(true)
  expect(await agent.outcome()).toBe('succeeded')
})

guaranteesOverMcp(() => ({ agent, sessions }))
