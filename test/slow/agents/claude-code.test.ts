import { mkdir, readFile, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { timesRun } from '#test/faults/gateway-world.ts'
import { InstalledPrograms } from '../runtimes/runtimes.ts'
import { AgentWorld, type ProgramEnd } from './agent-world.ts'

const release = '2.1.332'
const programs = new InstalledPrograms('claude-code', { '@anthropic-ai/claude-code': release })
const claude = programs.file('@anthropic-ai/claude-code/bin/claude.exe')
const notes = fileURLToPath(new URL('../../harness/fixtures/mcp/noting-server.ts', import.meta.url))
let agent: AgentWorld

beforeAll(async () => {
  await programs.install()
  agent = await AgentWorld.start(
    `mcpServers:\n  notes: { command: ${process.execPath}, args: ['${notes}', notes.journal], holdSeconds: 2 }\n`,
  )
}, 600_000)
afterAll(() => agent?.[Symbol.asyncDispose](), 60_000)

const quiet = {
  ANTHROPIC_API_KEY: 'sk-local',
  CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: '1',
  DISABLE_AUTOUPDATER: '1',
}
const env = (): Record<string, string> => ({ ...quiet, ANTHROPIC_BASE_URL: agent.model.url })
const print = (...args: string[]) =>
  agent.run(claude, ['-p', 'do it', '--output-format', 'json', ...args], env())
const resume = (...args: string[]) =>
  agent.run(
    join(agent.project.folder, 'node_modules/.bin/countersign-hook'),
    ['claude-code', 'resume', '--program', claude, '--json', ...args],
    env(),
  )
const touch = (name: string) => {
  // It fails when it is made twice.
  const input = { command: `mkdir ${name}`, description: 'Make it' }
  agent.model.calls = [{ name: 'Bash', input }]
}
const install = async (...args: string[]): Promise<void> => {
  const { code, err } = await agent.hook('claude-code', '--install', ...args)
  expect({ code, err }).toEqual({ code: 0, err: '' })
}
/** Without the hook: the file that leads to the gateway, as the service is found at this moment. */
async function writeGateway(): Promise<string> {
  await rm(join(agent.project.folder, '.claude'), { recursive: true, force: true })
  const headers = { Authorization: 'Bearer ${COUNTERSIGN_API_KEY}' }
  const url = `${agent.world.installation.url}/mcp/notes`
  const servers = { mcpServers: { notes: { type: 'http', url, headers } } }
  return agent.project.write('mcp.json', JSON.stringify(servers))
}
/** A session at a terminal in a folder that its person trusts, for so many seconds. */
async function prompt(
  seconds: string,
  args: readonly string[],
  more: Readonly<Record<string, string>>,
): Promise<{ readonly end: Promise<ProgramEnd> }> {
  const trusted = { [agent.project.folder]: { hasTrustDialogAccepted: true } }
  const onboarding = { hasCompletedOnboarding: true, projects: trusted }
  const keys = { customApiKeyResponses: { approved: ['sk-local'], rejected: [] } }
  await mkdir(join(agent.project.folder, 'home'), { recursive: true })
  await agent.project.write('home/.claude.json', JSON.stringify({ ...onboarding, ...keys }))
  const command = [claude, 'do it', ...args].map((word) => `'${word}'`).join(' ')
  const line = `stty rows 40 cols 120; exec timeout ${seconds} ${command}`
  const words = ['-qefc', line, '/dev/null']
  return { end: agent.run('script', words, { ...env(), TERM: 'xterm', ...more }) }
}
const outcomes = () =>
  agent.world.sql(`select outcome from external_request order by request_id desc limit 1`)

test('in print mode a call waits for somebody else, is made once as it was approved, and its outcome is reported', async () => {
  await install('--wait', '60')
  touch('printed')
  const ended = print()
  expect(await agent.decide('approve', 'grace')).toBe(403)
  await agent.revise('printed', 'changed')
  expect(await agent.decide('approve')).toBe(200)
  expect(JSON.parse((await ended).out)).toMatchObject({ result: 'Done.', is_error: false })
  expect(await agent.has('printed')).toBe(false)
  expect(await agent.has('changed')).toBe(true)
  expect(await outcomes()).toMatchObject([{ outcome: 'succeeded' }])
})

test('over HTTP a call that nobody decides in time is denied, and the same call goes on and is made once', async () => {
  await install('--http', '--url', agent.world.installation.url, '--wait', '5')
  touch('asked')
  agent.model.calls = [...agent.model.calls, ...agent.model.calls]
  const ended = print()
  await agent.until(async () => agent.model.seen.includes('waits as #'))
  expect(await agent.has('asked')).toBe(false)
  expect(await agent.decide('approve')).toBe(200)
  expect(JSON.parse((await ended).out)).toMatchObject({ result: 'Done.', is_error: false })
  expect(await agent.has('asked')).toBe(true)
  expect(await outcomes()).toMatchObject([{ outcome: 'succeeded' }])
  await install('--wait', '60')
})

test('a denied call is not made, and the model is told why', async () => {
  touch('denied')
  const ended = print()
  expect(await agent.decide('deny')).toBe(200)
  expect(JSON.parse((await ended).out)).toMatchObject({ result: 'Done.' })
  expect(await agent.has('denied')).toBe(false)
  expect(agent.model.seen).toContain('not on a Friday')
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
  expect(await outcomes()).toMatchObject([{ outcome: 'succeeded' }])
  expect(JSON.parse((await resume()).out)).toEqual({ items: [] })
})

test('a session whose call was denied is continued with the reason', async () => {
  touch('refused')
  expect(JSON.parse((await print()).out)).toMatchObject({ stop_reason: 'tool_deferred' })
  expect(await agent.decide('deny')).toBe(200)
  expect((await resume('--', '--output-format', 'text')).err).toContain('Done.')
  expect(await agent.has('refused')).toBe(false)
  expect(agent.model.seen).toContain('not on a Friday')
})

test('in prompt mode, where Claude Code would make a deferred call, the hook waits and does not defer', async () => {
  await install('--defer', '2', '--wait', '60')
  touch('prompted')
  const { folder } = agent.project
  const settings = JSON.parse(await readFile(join(folder, '.claude/settings.json'), 'utf8'))
  const allowed = { ...settings, permissions: { allow: ['Bash'] } }
  await agent.project.write('.claude/settings.json', JSON.stringify(allowed))
  // A session may inherit the name of the mode of another.
  const ended = await prompt('30', [], { CLAUDE_CODE_ENTRYPOINT: 'sdk-cli' })
  await agent.waiting()
  expect(await agent.has('prompted')).toBe(false)
  expect(await agent.decide('approve')).toBe(200)
  await agent.until(() => agent.has('prompted'))
  await ended.end
})

test('the plugin folder alone makes calls wait, and Claude Code finds no fault in it', async () => {
  const { folder } = agent.project
  await rm(join(folder, '.claude'), { recursive: true, force: true })
  expect(await agent.hook('claude-code', '--plugin', '--wait', '60')).toMatchObject({ code: 0 })
  const plugin = join(folder, 'countersign-plugin')
  expect(await agent.run(claude, ['plugin', 'validate', plugin], env())).toMatchObject({ code: 0 })
  touch('plugged')
  const ended = print('--plugin-dir', plugin)
  expect(await agent.decide('approve', 'grace')).toBe(403)
  expect(await agent.has('plugged')).toBe(false)
  expect(await agent.decide('approve')).toBe(200)
  expect(JSON.parse((await ended).out)).toMatchObject({ result: 'Done.' })
  expect(await agent.has('plugged')).toBe(true)
  expect(await outcomes()).toMatchObject([{ outcome: 'succeeded' }])
})

test('over the MCP gateway the reason of a denial reaches the model, and a changed call is made as it was decided', async () => {
  const config = await writeGateway()
  const note = async (text: string): Promise<void> => {
    agent.model.calls = [{ name: 'mcp__notes__note', input: { text } }]
    const { out } = await print('--mcp-config', config, '--allowedTools', 'mcp__notes__note')
    expect(JSON.parse(out)).toMatchObject({ result: 'Done.' })
  }
  await note('no')
  expect(await agent.decide('deny')).toBe(200)
  await note('no')
  expect(agent.model.seen).toContain('not on a Friday')
  await note('rash')
  await agent.revise('rash', 'wise')
  expect(await agent.decide('approve')).toBe(200)
  await note('rash')
  expect(agent.model.seen).toContain('other arguments than yours')
  const lines = ['note no', 'note rash', 'note wise']
  const counts = lines.map((line) => timesRun(agent.world, 'notes', line))
  expect(await Promise.all(counts)).toEqual([0, 0, 1])
})

test('in prompt mode Claude Code takes a task from the MCP gateway, and the call is made without its calling again', async () => {
  const config = await writeGateway()
  agent.model.calls = [{ name: 'mcp__notes__note', input: { text: 'as a task' } }]
  const more = [
    '--permission-mode',
    'default',
    '--mcp-config',
    config,
    '--allowedTools',
    'mcp__notes__note',
  ]
  const ended = await prompt('60', more, { CLAUDE_CODE_ENTRYPOINT: 'cli' })
  await agent.waiting()
  const rows = await agent.world.sql('select by_task from gateway_call order by created_at desc')
  expect(rows[0]).toEqual({ by_task: true })
  expect(await agent.decide('approve')).toBe(200)
  const runs = () => timesRun(agent.world, 'notes', 'note as a task')
  await agent.until(async () => (await runs()) === 1)
  const result = JSON.stringify('{"text":"as a task"}').slice(1, -1)
  await agent.until(async () => agent.model.seen.includes(result))
  expect(agent.model.seen).not.toContain('PENDING, not run')
  await ended.end
})

// Rules: product.md 47
test('a call over the MCP gateway waits through a restart of everything and a week, and runs once when the agent makes it again', async () => {
  const config = await writeGateway()
  agent.model.calls = [{ name: 'mcp__notes__note', input: { text: 'by Claude Code' } }]
  const allowed = ['--mcp-config', config, '--allowedTools', 'mcp__notes__note']
  expect(JSON.parse((await print(...allowed)).out)).toMatchObject({ result: 'Done.' })
  expect(agent.model.seen).toContain('PENDING, not run')
  await agent.passWeek()
  // The service has another port now.
  await writeGateway()
  expect(await agent.decide('approve', 'grace')).toBe(403)
  expect(await agent.decide('approve')).toBe(200)
  const runs = () => timesRun(agent.world, 'notes', 'note by Claude Code')
  expect(await runs()).toBe(0)
  expect(JSON.parse((await print(...allowed)).out)).toMatchObject({ result: 'Done.' })
  expect(agent.model.seen).not.toContain('PENDING, not run')
  // Of a result with data Claude Code shows its model the data alone.
  expect(agent.model.seen).toContain(JSON.stringify('{"text":"by Claude Code"}').slice(1, -1))
  expect(await runs()).toBe(1)
})
