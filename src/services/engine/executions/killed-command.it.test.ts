import { proposeCall } from '#test/harness/fixtures/runs/waiting-call.ts'
import { spawn } from 'node:child_process'
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { disposeAfterTests } from '#test/harness/dispose-after-tests.ts'
import { deskConfig, deskWorker, openAgentDesk } from '#test/harness/fixtures/agent-desk.ts'
import { rowOf, rowsOf } from '#test/harness/fixtures/rows.ts'
import { boundsByKernel } from '#sandbox/process/control-group.ts'
import { getText } from '#store/content/content.ts'
import { testSandbox } from '#tools/commands/commands.fixture.ts'
import { undoLostCommands } from '../attempts/undo-lost-command.ts'
import { settleAttempt, settleUnknown } from './settle-unknown.ts'

const worker = deskWorker.replace('zones:', 'shell: { default: ask }\nzones:')
const desk = disposeAfterTests(await openAgentDesk(testSandbox))

beforeAll(async () => {
  mkdirSync(join(desk.root, 'scratch'))
  mkdirSync(join(desk.root, 'notes'))
  await desk.activate({ 'workers/scribe.md': worker })
})
beforeEach(() => {
  desk.beforeExecute = async () => undefined
})

const at = (file: string): string => JSON.stringify(new URL(file, import.meta.url))

/** A process of its own that runs a command as a Temporal worker does, until somebody kills it. */
const host = `
  import { parseProject } from ${at('../../../policy/project/parse-project.ts')}
  import { findSandbox } from ${at('../../../sandbox/bwrap/find-sandbox.ts')}
  import { openWorkspace } from ${at('../../../sandbox/workspace.ts')}
  import { shellTool } from ${at('../../../tools/commands/shell.ts')}
  const [root, key, command, bwrap] = process.argv.slice(1)
  const texts = new Map(JSON.parse(process.env.PROJECT))
  const { policy } = parseProject({ texts, toolFiles: [] })
  const sandbox = await findSandbox(bwrap)
  const dataDir = root + '/.countersign'
  const place = { policy, worker: policy.workers.get('scribe'), sandbox, dataDir, projectDir: root }
  const tool = shellTool(place)
  const workspace = await openWorkspace({ root, hidden: [dataDir] })
  const { input } = await tool.parse({ command, cwd: 'scratch' })
  const signal = new AbortController().signal
  const { facts } = await tool.present(input, { workspace, signal })
  await tool.execute(input, { workspace, signal, idempotencyKey: key, facts, printed: null })
`

/** A call that was started and whose host was killed by `kill -9` in the middle of its command. */
async function killed(
  command: string,
  bwrap = 'bwrap',
): Promise<{ id: string; requestId: string }> {
  desk.steps.length = 0
  const runId = await desk.start()
  const call = await proposeCall(desk, runId, 1, {
    tool: 'shell',
    input: { command: 'true', cwd: 'scratch' },
  })
  await desk.decide(desk.people.grace, call.requestId)
  const started = Promise.withResolvers<void>()
  desk.beforeExecute = () => {
    started.resolve()
    return new Promise(() => undefined)
  }
  void desk.execute(call.id)
  await started.promise

  const texts = JSON.stringify([
    ['countersign.yaml', deskConfig],
    ['workers/scribe.md', worker],
  ])
  rmSync(join(desk.root, 'scratch/begun'), { force: true })
  const script = `${command}; echo x > begun; sleep 300`
  const child = spawn(
    process.execPath,
    ['--input-type=module', '-e', host, desk.root, `${call.id}:1`, script, bwrap],
    { stdio: 'inherit', env: { ...process.env, PROJECT: texts } },
  )
  const ended = new Promise((resolve) => child.once('close', resolve))
  try {
    const begun = (): boolean => existsSync(join(desk.root, 'scratch/begun'))
    await expect.poll(begun, { timeout: 90_000 }).toBe(true)
  } finally {
    child.kill('SIGKILL')
    await ended
  }
  return call
}

const records = (): string[] => readdirSync(join(desk.root, '.countersign/commands'))
const made = (name: string): boolean => existsSync(join(desk.root, 'scratch', name))

async function attempt(callId: string) {
  return rowOf(desk.database.db, 'execution', { call_id: callId }, 'state', 'reason')
}

async function audited(callId: string, type: 'execution.unknown' | 'system.reconciled') {
  const rows = await rowsOf(desk.database.db, 'audit_event', { call_id: callId, type }, 'document')
  return rows.map(({ document }) => document).join('\n')
}

// Rules: security.md 8
describe.skipIf(!testSandbox.works)('a command whose host was killed', () => {
  test('has the protected names that it made removed, and its outcome check says so', async () => {
    const { id } = await killed('echo evil > .envrc; mkdir -p sub/.git/hooks')
    expect(made('.envrc')).toBe(true)
    const settled = await settleUnknown(desk.worker, { callId: id })
    expect(made('.envrc')).toBe(false)
    expect(made('sub/.git')).toBe(false)
    const violation = 'it made "scratch/.envrc", a protected name, which was removed'
    expect(await attempt(id)).toEqual({
      state: 'unknown',
      reason: expect.stringContaining(violation),
    })
    expect(await audited(id, 'execution.unknown')).toContain('scratch/.envrc')
    const check = settled.kind === 'wait' ? (settled.requestIds[0] ?? '') : ''
    const row = await rowOf(desk.database.db, 'request_revision', { request_id: check })
    expect(await getText(desk.database.db, row.content_hash ?? '')).toContain(violation)
    expect(records()).toEqual([])
  })

  test('is cleaned up when the next Temporal worker of the host starts', async () => {
    const { id } = await killed('echo evil > .envrc')
    await undoLostCommands(desk.worker, (attempt) => settleAttempt(desk.worker, attempt))
    expect(made('.envrc')).toBe(false)
    expect(await attempt(id)).toMatchObject({
      state: 'unknown',
      reason: expect.stringContaining('scratch/.envrc'),
    })
    expect(records()).toEqual([])
  })

  test('and that another host gave up in the meantime has the violation added, with an event', async () => {
    const { id } = await killed('echo evil > .envrc')
    const { commandSite: _, ...elsewhere } = desk.worker
    await settleUnknown(elsewhere, { callId: id })
    expect((await attempt(id)).reason).not.toContain('.envrc')
    await undoLostCommands(desk.worker, () => expect.fail('it is settled'))
    expect(made('.envrc')).toBe(false)
    expect((await attempt(id)).reason).toContain('scratch/.envrc')
    expect(await audited(id, 'system.reconciled')).toContain('scratch/.envrc')
    expect(records()).toEqual([])
  })

  test('and that others give up at the same moment has the violation added by the next start', async () => {
    const { id } = await killed('echo evil > .envrc')
    const { commandSite: _, ...elsewhere } = desk.worker
    await undoLostCommands(desk.worker, async (lost) => {
      await settleUnknown(elsewhere, lost)
      await settleAttempt(desk.worker, lost)
    })
    expect(made('.envrc')).toBe(false)
    expect((await attempt(id)).reason).not.toContain('.envrc')
    await undoLostCommands(desk.worker, () => expect.fail('it is settled'))
    expect((await attempt(id)).reason).toContain('scratch/.envrc')
    expect(await audited(id, 'system.reconciled')).toContain('scratch/.envrc')
    expect(records()).toEqual([])
  })

  test('has its violation reported with its own attempt, after another one was settled', async () => {
    const { id } = await killed('echo evil > .envrc')
    await settleAttempt(desk.worker, { callId: id, attempt: 2 })
    expect(made('.envrc')).toBe(true)
    await settleAttempt(desk.worker, { callId: id, attempt: null })
    expect(made('.envrc')).toBe(false)
    expect(await attempt(id)).toMatchObject({ state: 'started' })
    await settleUnknown(desk.worker, { callId: id })
    expect((await attempt(id)).reason).toContain('scratch/.envrc')
    expect(records()).toEqual([])
  })

  test('and that made no protected name has nothing to report', async () => {
    const { id } = await killed('echo fine > fine.txt')
    await settleUnknown(desk.worker, { callId: id })
    expect((await attempt(id)).reason).toBe('the connection to its host was lost')
    expect(made('fine.txt')).toBe(true)
    expect(records()).toEqual([])
  })

  test('and cannot be cleaned up yet is settled with a note of that, and kept for the next start', async () => {
    const { id } = await killed('echo evil > .envrc')
    const [name = ''] = records()
    const file = join(desk.root, '.countersign/commands', name)
    const text = readFileSync(file, 'utf8')
    const own = JSON.parse(text) as object
    writeFileSync(file, JSON.stringify({ ...own, root: '/moved' }))
    expect(await settleUnknown(desk.worker, { callId: id })).toMatchObject({ kind: 'wait' })
    expect((await attempt(id)).reason).toContain('could not be checked')
    writeFileSync(file, text)
    await undoLostCommands(desk.worker, () => expect.fail('it is settled'))
    expect(made('.envrc')).toBe(false)
    expect((await attempt(id)).reason).toContain('it made "scratch/.envrc"')
    expect(records()).toEqual([])
  })

  test('on another host is left to that host', async () => {
    const { id } = await killed('echo evil > .envrc')
    const [name = ''] = records()
    const file = join(desk.root, '.countersign/commands', name)
    const own = JSON.parse(readFileSync(file, 'utf8')) as { owner: object }
    writeFileSync(file, JSON.stringify({ ...own, owner: { ...own.owner, host: 'another' } }))
    await settleUnknown(desk.worker, { callId: id })
    expect(made('.envrc')).toBe(true)
    rmSync(join(desk.root, 'scratch/.envrc'))
    rmSync(file)
  })
})

// Rules: security.md 8, 9
test('a command without a sandbox whose host was killed is ended, and the protected names that it made are removed', async () => {
  const name = `countersign-bare-killed-${process.pid}`
  // Where control groups can be made, not even an environment of its own hides it.
  const bare = boundsByKernel().processes ? 'env -i' : ''
  const hidden = `setsid -f ${bare} bash -c "exec -a ${name} sleep 300" </dev/null >/dev/null 2>&1`
  const { id } = await killed(`echo evil > .envrc; ${hidden}`, 'no-such-bubblewrap')
  await settleUnknown(desk.worker, { callId: id })
  expect((await attempt(id)).reason).toContain('it made "scratch/.envrc"')
  expect(made('.envrc')).toBe(false)
  const found = spawn('pgrep', ['-f', name], { stdio: 'ignore' })
  expect(await new Promise((resolve) => found.once('close', resolve))).toBe(1)
})
