import { mkdir, rename } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { proposeCall } from '#test/harness/fixtures/runs/waiting-call.ts'
import { disposeAfterTests } from '#test/harness/dispose-after-tests.ts'
import { deskConfig, deskWorker, openAgentDesk } from '#test/harness/fixtures/agent-desk.ts'
import { refusal } from '#test/harness/fixtures/refusal.ts'
import { rowOf, setRows } from '#test/harness/fixtures/rows.ts'
import { maxJudgings } from '../../engine/turns/take-turn.ts'
import { forkRun } from '../forking/fork-run.ts'
import { getRun } from '../reading/get-run.ts'
import { startRun } from './start-run.ts'
import { admitRun } from '../../engine/lifecycle/admit-run.ts'
import { writeCall } from '#test/harness/fixtures/runs/file-calls.ts'

const zones = `zones:
  - { name: notes, root: ./notes, mode: rw, approval: { read: preApproved, write: preApproved } }
`
const worker = (name: string, keys: string): string =>
  deskWorker
    .replace('name: scribe', `name: ${name}\n${keys}`)
    .replace(/zones:[^]*?---\n/, `${zones}---\n`)
const config = `${deskConfig}workspaces:
  default: { root: first }
  shop: { root: shop }
  inside: { root: first/notes }
  far: { root: shop, taskQueue: another-host }
`
const files = {
  'countersign.yaml': config,
  'workers/both.md': worker(
    'both',
    'workspace: [shop, default]\nworkers: [both-too, homely, nested, distant]',
  ),
  'workers/both-too.md': worker('both-too', 'workspace: [default, shop]'),
  'workers/homely.md': worker('homely', ''),
  'workers/nested.md': worker('nested', 'workspace: inside\nworkers: [homely]'),
  'workers/distant.md': worker('distant', 'workspace: far'),
}

const desk = disposeAfterTests(await openAgentDesk())
await mkdir(join(desk.root, 'first/notes'), { recursive: true })
await mkdir(join(desk.root, 'shop/notes'), { recursive: true })
await desk.activate(files)

const start = (name: string, workspace?: string) =>
  startRun(desk.api, desk.people.ada.caller, {
    worker: name,
    input: 'Go',
    ...(workspace === undefined ? {} : { workspace }),
  })

const asking = files['workers/both.md'].replace('write: preApproved', 'write: ask')

/** What a run's first call became, once it was carried out if it could be. */
async function firstCall(runId: string, call: { tool: string; input: object }) {
  const made = await proposeCall(desk, runId, 1, call as never)
  if (made.verdict === 'preApproved') await desk.execute(made.id)
  return (await desk.calls(runId, 1))[0]
}

// Rules: product.md 35
describe('a run works in', () => {
  test('the workspace that was chosen at its start, and writes nowhere else', async () => {
    const { id, workspace } = await start('both', 'default')
    expect(workspace).toEqual({ name: 'default', isolation: 'none' })
    await firstCall(id, writeCall('notes/chosen.md'))
    expect(await desk.read('first/notes/chosen.md')).toBe('x\n')
    await expect(desk.read('shop/notes/chosen.md')).rejects.toThrow('ENOENT')
  })

  test('the first of its worker when none was chosen, which its page says', async () => {
    const { id } = await start('both')
    await firstCall(id, writeCall('notes/first.md'))
    expect(await desk.read('shop/notes/first.md')).toBe('x\n')
    const run = await getRun(desk.api, desk.people.ada.caller, id)
    expect(run.workspace).toEqual({ name: 'shop', isolation: 'none' })
  })

  test('no other workspace: one that the worker does not list, or that does not exist, is refused', async () => {
    for (const name of ['shop', 'nowhere', '__proto__', '../shop']) {
      const { code, message } = await refusal(start('homely', name))
      expect([code, message]).toEqual([
        'invalid_request',
        'workspace: runs of homely work in default',
      ])
    }
  })

  test('the signed workspace: a run whose row was changed takes no turn', async () => {
    const { id } = await start('both', 'shop')
    await setRows(desk.database.db, 'run', { id }, { workspace: 'default' })
    expect((await desk.turn(id, 1)).kind).toBe('ended')
    expect(await desk.calls(id, 1)).toEqual([])
  })

  test('the workspace of the run it is forked from, as long as its worker may work there', async () => {
    const { id } = await start('both', 'shop')
    const fork = () => forkRun(desk.api, desk.people.ada.caller, { runId: id, afterTurn: 0 })
    expect((await fork()).workspace.name).toBe('shop')
    await desk.activate({ ...files, 'workers/both.md': worker('both', 'workspace: default') })
    const { code, message } = await refusal(fork())
    expect([code, message]).toEqual([
      'invalid_request',
      'workspace: both no longer works in shop, the workspace of this run',
    ])
    await desk.activate(files)
  })
})

// Rules: product.md 23, 35
describe('a delegated run works', () => {
  const calling = (name: string) => ({ tool: 'call_worker', input: { worker: name, input: 'Go' } })
  async function childOf(workspace: string, name: string) {
    const { id } = await start('both', workspace)
    const call = await firstCall(id, calling(name))
    expect(call?.verdict, call?.text ?? '').toBe('ask')
    await desk.decide(desk.people.grace, call?.requestId ?? '')
    const outcome = await desk.execute(call?.id ?? '')
    if (outcome.kind !== 'wait') expect.fail(outcome.kind)
    const childId = outcome.requestIds[0] ?? ''
    expect(await admitRun(desk.api, { runId: childId })).toBe(true)
    const child = await getRun(desk.api, desk.people.ada.caller, childId)
    const { document } = await rowOf(desk.database.db, 'audit_event', {
      run_id: childId,
      type: 'run.started',
    })
    // The trail says what is signed: `default` is not written.
    const { name: signed } = child.workspace
    expect(JSON.parse(document).detail.workspace ?? 'default').toBe(signed)
    return signed
  }

  test('in the workspace of the calling run, if its worker may; else in its worker’s', async () => {
    expect(await childOf('shop', 'both-too')).toBe('shop')
    expect(await childOf('default', 'both-too')).toBe('default')
    expect(await childOf('shop', 'homely')).toBe('default')
  })

  test('neither on another host nor in a folder around or inside the one above it', async () => {
    for (const [name, why] of [
      ['distant', 'distant works in the workspace far, which is on another host'],
      ['nested', 'nested works in the workspace inside, whose folder overlaps that of default'],
    ] as const) {
      const { id } = await start('both', 'default')
      const call = await firstCall(id, calling(name))
      expect(call?.verdict).not.toBe('ask')
      expect(call?.text).toContain(why)
    }
  })
})

// Rules: product.md 35
describe('while the folder of a workspace is missing', () => {
  const take = () => rename(join(desk.root, 'shop'), join(desk.root, 'shop-taken'))
  const giveBack = () => rename(join(desk.root, 'shop-taken'), join(desk.root, 'shop'))
  const failureOf = async (id: string) =>
    (await getRun(desk.api, desk.people.ada.caller, id)).failure
  const mark = {
    code: 'workspace_unusable',
    message:
      'The workspace shop cannot be used: its folder is not there. Nothing is lost: the run continues by itself, within a minute, when that is corrected.',
  }

  test('no run starts in it, and a start elsewhere is not affected', async () => {
    const { id } = await start('both', 'shop')
    await take()
    const fork = () => forkRun(desk.api, desk.people.ada.caller, { runId: id, afterTurn: 0 })
    for (const attempt of [() => start('both', 'shop'), fork]) {
      const { code, message } = await refusal(attempt())
      expect([code, message]).toEqual([
        'invalid_request',
        'workspace: no run can start in shop: its folder is not there',
      ])
    }
    expect((await start('both', 'default')).workspace.name).toBe('default')
    await giveBack()
  })

  test('a turn waits however often it is judged, its run says why, and it continues when the folder exists again', async () => {
    const { id } = await start('both', 'shop')
    await take()
    desk.say({ calls: [writeCall('notes/later.md')] })
    for (let times = 0; times < maxJudgings + 2; times += 1) {
      await expect(desk.turn(id, 1)).rejects.toThrow('its folder is not there')
    }
    expect(await failureOf(id)).toEqual(mark)
    await giveBack()
    await desk.perform(await desk.turn(id, 1))
    expect(await desk.read('shop/notes/later.md')).toBe('x\n')
    expect(await failureOf(id)).toBeNull()
    const marks = (await desk.auditTypes(id)).filter((type) => type === 'system.reconciled')
    expect(marks).toHaveLength(2)
  })

  test('an approved call keeps its approval, and runs once when the folder exists again', async () => {
    await desk.activate({ ...files, 'workers/both.md': asking })
    const { id } = await start('both', 'shop')
    const call = await proposeCall(desk, id, 1, writeCall('notes/approved.md'))
    await desk.decide(desk.people.grace, call.requestId)
    await take()
    const before = desk.executed.length
    await expect(desk.execute(call.id)).rejects.toThrow('its folder is not there')
    expect(await failureOf(id)).toEqual(mark)
    await giveBack()
    expect(await desk.execute(call.id)).toEqual({ kind: 'done' })
    expect(await desk.read('shop/notes/approved.md')).toBe('x\n')
    expect(desk.executed.slice(before)).toEqual(['write_file'])
    expect(await failureOf(id)).toBeNull()
    await desk.activate(files)
  })
})
