import { mkdir, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { disposeAfterTests } from '#test/harness/dispose-after-tests.ts'
import {
  deskWorker,
  openAgentDesk,
  type AgentDesk,
  type DeskCall,
} from '#test/harness/fixtures/agent-desk.ts'
import { rowOf } from '#test/harness/fixtures/rows.ts'
import type { Presentation } from '#domain/tools/presentation.ts'
import { getText } from '#store/content/content.ts'
import { testSandbox } from '#tools/commands/commands.fixture.ts'
import { gitVariables } from '#sandbox/git/git-files.ts'
import { executeCall } from './execute-call.ts'
import { readChanges } from '../../runs/reading/read-changes.ts'
import { startRun } from '../../runs/starting/start-run.ts'
import { cancelRun } from '../lifecycle/cancel-run.ts'

const shell = `shell:
  default: ask
  rules:
    - { pattern: cat, approval: preApproved }
    - { pattern: git push, approval: blocked, reason: "Nothing leaves this host" }
`
const desk = disposeAfterTests(await openAgentDesk(testSandbox))

beforeAll(async () => {
  await mkdir(join(desk.root, 'scratch'))
  await mkdir(join(desk.root, 'notes'))
  await desk.activate({ 'workers/scribe.md': deskWorker.replace('zones:', `${shell}zones:`) })
})
beforeEach(() => {
  desk.steps.length = 0
})

async function calls(
  ...modelCalls: { tool: string; input: Record<string, string | string[]> }[]
): Promise<{ runId: string; turn: Awaited<ReturnType<AgentDesk['turn']>>; calls: DeskCall[] }> {
  desk.say({ calls: modelCalls })
  const { runId, turn } = await desk.startTurn()
  return { runId, turn, calls: await desk.calls(runId, 1) }
}

async function presentationOf(call: DeskCall | undefined): Promise<Presentation> {
  const row = await rowOf(desk.database.db, 'request_revision', {
    request_id: call?.requestId ?? '',
  })
  return JSON.parse(await getText(desk.database.db, row.presentation_hash)) as Presentation
}

async function executions(call: DeskCall | undefined) {
  return desk.database.db
    .selectFrom('execution')
    .select(['state', 'reason', 'exit_code'])
    .where('call_id', '=', call?.id ?? '')
    .orderBy('attempt')
    .execute()
}

// Rules: product.md 1
describe.skipIf(!testSandbox.works)('commands of a run', () => {
  test('one that rules pre-approve runs, one that asks waits and runs once approved, a blocked one never runs', async () => {
    await desk.write('notes/a.md', 'first\n')
    const turn = await calls(
      { tool: 'exec', input: { file: 'cat', args: ['notes/a.md'] } },
      { tool: 'shell', input: { command: 'echo made > made.txt; echo "$PWD"', cwd: 'scratch' } },
      { tool: 'exec', input: { file: 'git', args: ['-C', 'notes', 'push'] } },
    )
    expect(turn.calls.map(({ verdict }) => verdict)).toEqual(['preApproved', 'ask', 'blocked'])
    const [first, second, third] = turn.calls
    await desk.decide(desk.people.grace, second?.requestId ?? '')
    for (const call of turn.calls) await desk.execute(call.id)
    const after = await desk.calls(turn.runId, 1)
    expect(after[0]?.text).toMatch(/Exit code 0\.\n.*\nfirst\n/)
    expect(after[1]?.text).toContain(join(desk.root, 'scratch'))
    expect(await desk.read('scratch/made.txt')).toBe('made\n')
    expect(after[2]).toMatchObject({
      result: 'blocked',
      text: expect.stringContaining('Nothing leaves this host'),
    })
    expect(await executions(first)).toEqual([{ state: 'succeeded', reason: null, exit_code: 0 }])
    expect(await executions(third)).toEqual([])
    // What commands change is not known file by file: it is counted, and nothing is guessed.
    const changed = await readChanges(desk.api, desk.people.ada.caller, { runId: turn.runId })
    expect(changed).toMatchObject({ items: [], unknown: { commands: 2, calls: 0 } })
  })

  // Rules: product.md 26
  test('a request shows vector, folder, sandbox, environment, and each file by its hash', async () => {
    await desk.write('scratch/run.sh', 'echo one\n')
    const turn = await calls({ tool: 'exec', input: { file: 'sh', args: ['scratch/run.sh'] } })
    const presentation = await presentationOf(turn.calls[0])
    expect(presentation).toMatchObject({
      type: 'command',
      metadata: {
        argv: ['sh', 'scratch/run.sh'],
        cwd: '.',
        timeoutSeconds: 120,
        sandbox: {
          required: false,
          network: 'none',
          writable: ['./notes', './scratch'].map((at) => at.slice(2)),
          readable: ['.'],
        },
        environment: ['HOME', 'LANG', 'PATH', 'TMPDIR', ...gitVariables],
        files: [{ path: 'scratch/run.sh', bytes: 9, hash: expect.stringMatching(/^sha256:/) }],
        runsWorkspaceCode: true,
      },
    })
    expect(presentation.warnings.join(' ')).toContain('runs other code (sh)')
  })

  // Rules: product.md 14
  test('a changed file that one names makes the approval stale, and people are asked again', async () => {
    await desk.write('scratch/job.sh', 'echo approved > scratch/out.txt\n')
    const turn = await calls({ tool: 'exec', input: { file: 'sh', args: ['scratch/job.sh'] } })
    const [call] = turn.calls
    await desk.decide(desk.people.grace, call?.requestId ?? '')
    await desk.write('scratch/job.sh', 'echo swapped > scratch/out.txt\n')
    expect(await desk.execute(call?.id ?? '')).toMatchObject({ kind: 'wait' })
    expect(await executions(call)).toMatchObject([{ state: 'refused', reason: 'stale' }])
    await expect(desk.read('scratch/out.txt')).rejects.toThrow('ENOENT')
    const fresh = (await desk.calls(turn.runId, 1))[0]
    expect(fresh?.requestId).not.toBe(call?.requestId)
    await desk.decide(desk.people.grace, fresh?.requestId ?? '')
    await desk.execute(call?.id ?? '')
    expect(await desk.read('scratch/out.txt')).toBe('swapped\n')
  })

  // Rules: product.md 15
  test('a script written earlier in the turn is shown as it will be', async () => {
    const turn = await calls(
      { tool: 'write_file', input: { path: 'scratch/new.sh', content: 'echo new\n' } },
      { tool: 'exec', input: { file: 'sh', args: ['scratch/new.sh'] } },
    )
    expect(turn.calls.map(({ verdict }) => verdict)).toEqual(['preApproved', 'ask'])
    expect((await presentationOf(turn.calls[1])).metadata).toMatchObject({
      files: [{ path: 'scratch/new.sh' }],
    })
    await desk.execute(turn.calls[0]?.id ?? '')
    await desk.decide(desk.people.grace, turn.calls[1]?.requestId ?? '')
    await desk.execute(turn.calls[1]?.id ?? '')
    expect((await desk.calls(turn.runId, 1))[1]?.text).toContain('new\n')
  })

  // Rules: security.md 8
  test('protected names that one makes are removed, and it fails, with the violation in the audit', async () => {
    const turn = await calls({
      tool: 'shell',
      input: { command: 'echo evil > .envrc', cwd: 'scratch' },
    })
    const [call] = turn.calls
    await desk.decide(desk.people.grace, call?.requestId ?? '')
    await desk.execute(call?.id ?? '')
    const [ended] = await executions(call)
    expect(ended).toMatchObject({
      state: 'failed',
      reason: expect.stringContaining('it made "scratch/.envrc"'),
    })
    const audited = await rowOf(desk.database.db, 'audit_event', {
      call_id: call?.id ?? '',
      type: 'execution.finished',
    })
    expect(audited.document).toContain('scratch/.envrc')
    await expect(desk.read('scratch/.envrc')).rejects.toThrow('ENOENT')
  })

  test('a key file that it names is readable for the command that was approved with it, and for no other', async () => {
    await desk.write('scratch/.env', 'A=1\n')
    const turn = await calls(
      { tool: 'exec', input: { file: 'tac', args: ['scratch/.env'] } },
      { tool: 'shell', input: { command: 'cat scratch/.en?' } },
    )
    expect((await presentationOf(turn.calls[0])).warnings.join(' ')).toContain(
      'a key or environment file',
    )
    for (const call of turn.calls) {
      await desk.decide(desk.people.grace, call.requestId)
      await desk.execute(call.id)
    }
    const after = await desk.calls(turn.runId, 1)
    expect(after[0]?.text).toContain('A=1')
    expect(after[1]?.text).toContain('Permission denied')
  })

  test.each([
    ['and is failed (cancelled)', 'true', /^cancelled$/],
    [
      'and what it made of protected names is undone and named',
      'echo evil > .envrc',
      /^cancelled; it made "scratch\/\.envrc"/,
    ],
  ])('ends when its run is cancelled, %s', async (_, first, reason) => {
    await rm(join(desk.root, 'scratch/begun.txt'), { force: true })
    const turn = await calls({
      tool: 'shell',
      input: { command: `${first}; echo x > begun.txt; sleep 300`, cwd: 'scratch' },
    })
    const [call] = turn.calls
    await desk.decide(desk.people.grace, call?.requestId ?? '')
    const stop = new AbortController()
    const running = executeCall(desk.worker, { callId: call?.id ?? '', signal: stop.signal })
    await expect
      .poll(() => desk.read('scratch/begun.txt').catch(() => ''), { timeout: 60_000 })
      .toBe('x\n')
    await cancelRun(desk.api, desk.people.ada.caller, { runId: turn.runId })
    stop.abort('cancelled')
    await running
    const [ended] = await executions(call)
    expect(ended).toMatchObject({ state: 'failed', reason: expect.stringMatching(reason) })
    await expect(desk.read('scratch/.envrc')).rejects.toThrow('ENOENT')
  })

  test.each([
    ['in a folder outside of the workspace', { command: 'ls', cwd: '../../..' }],
    ['in a folder that is not there', { command: 'ls', cwd: 'nowhere' }],
    ['that is longer than a script may be', { command: 'x'.repeat(8 * 1024 + 1) }],
  ])('one %s is an error, and nobody is asked', async (_, input) => {
    const turn = await calls({ tool: 'shell', input })
    expect(turn.calls[0]).toMatchObject({ verdict: 'error' })
  })
})

// Rules: security.md 7
describe('without a sandbox', () => {
  async function plainDesk(sandbox: string): Promise<AgentDesk> {
    const plain = await openAgentDesk()
    const worker = deskWorker.replace('zones:', `${sandbox}${shell}zones:`)
    await plain.activate({ 'workers/scribe.md': worker })
    await mkdir(join(plain.root, 'scratch'))
    const command = 'cat countersign.yaml | head -1 > scratch/out.txt'
    plain.say({ calls: [{ tool: 'shell', input: { command, cwd: '.' } }] })
    return plain
  }

  test('nothing is pre-approved, whatever the mode; the approver is warned, and an approved command runs and is audited as unconfined', async () => {
    await using plain = await plainDesk('')
    const asking = { worker: 'scribe', input: 'Write', mode: 'approve_all' } as const
    const { id: runId } = await startRun(plain.api, plain.people.olga.caller, asking)
    await plain.turn(runId, 1)
    const [call] = await plain.calls(runId, 1)
    expect(call).toMatchObject({ verdict: 'ask' })
    const row = await plain.database.db
      .selectFrom('request')
      .innerJoin('request_revision as shown', 'shown.request_id', 'request.id')
      .select(['request.risk', 'shown.presentation_hash'])
      .where('request.id', '=', call?.requestId ?? '')
      .executeTakeFirstOrThrow()
    const presentation = JSON.parse(
      await getText(plain.database.db, row.presentation_hash),
    ) as Presentation
    expect(row.risk).toBe('high')
    expect(presentation.warnings.join(' ')).toContain('It will run without a sandbox')
    await plain.decide(plain.people.grace, call?.requestId ?? '', {
      reason: 'I read it',
      seen: presentation.digest,
    })
    await plain.execute(call?.id ?? '')
    expect((await plain.calls(runId, 1))[0]).toMatchObject({
      result: 'output',
      text: expect.stringContaining('It ran without a sandbox'),
    })
    expect(await plain.read('scratch/out.txt')).toBe('version: 1\n')
    const started = await rowOf(plain.database.db, 'audit_event', {
      call_id: call?.id ?? '',
      type: 'execution.started',
    })
    expect(started.document).toContain('"sandbox":"none"')
  })

  test('a worker that requires one runs no command, and nobody is asked', async () => {
    await using plain = await plainDesk('sandbox: { required: true }\n')
    const runId = await plain.start()
    await plain.turn(runId, 1)
    expect((await plain.calls(runId, 1))[0]).toMatchObject({
      verdict: 'error',
      requestId: '',
      text: expect.stringContaining('runs commands in a sandbox only'),
    })
  })
})
