import { spawnSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import { chmod, mkdir, rm, utimes, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { sql } from 'kysely'
import { beforeAll, describe, expect, test } from 'vitest'
import { disposeAfterTests } from '#test/harness/dispose-after-tests.ts'
import { Worktrees } from '#sandbox/worktrees/open-worktree.ts'
import { policyDocument } from '#policy/version-digest.ts'
import { readRecord, writeRecord } from '#sandbox/worktrees/worktree-record.ts'
import { deskConfig, openAgentDesk } from '#test/harness/fixtures/agent-desk.ts'
import { mergeHalfway } from '#test/harness/fixtures/git/merge-halfway.ts'
import { gitIn, gitWorker } from '#test/harness/fixtures/git/git-workspace.ts'
import { refusal } from '#test/harness/fixtures/refusal.ts'
import { rowOf } from '#test/harness/fixtures/rows.ts'
import { testSandbox } from '#tools/commands/commands.fixture.ts'
import type { WorkerContext } from '../core/worker-context.ts'
import { closeRun } from '../engine/lifecycle/close-run.ts'
import { discardWorktree } from '../engine/lifecycle/discard-worktree.ts'
import { getRun } from '../runs/reading/get-run.ts'
import { startRun } from '../runs/starting/start-run.ts'
import { removeWorktrees } from './remove-worktrees.ts'
import { replayCalls } from '../replay/replay-calls.ts'

const running = new AbortController().signal
const desk = disposeAfterTests(await openAgentDesk(testSandbox))

const worker = gitWorker('[shop, default]', 'shell: { default: ask }')

const git = (...words: string[]): string => gitIn(desk, 'shop', ...words)

beforeAll(async () => {
  await mkdir(join(desk.root, 'shop'))
  git('init', '-q', '-b', 'main', '.')
  await writeFile(join(desk.root, 'shop/a.txt'), 'a\n')
  git('add', '-A')
  git('commit', '-qm', 'first')
  await desk.activate({
    'countersign.yaml': `${deskConfig}workspaces:\n  default: { root: . }\n  shop: { root: shop, isolation: worktree, base: main }\n`,
    'workers/scribe.md': worker,
  })
})

const folderOf = (runId: string): string => join(desk.root, '.countersign/worktrees', runId)
const round = (): Promise<void> => removeWorktrees(desk.worker, running)
const discard = (runId: string, who = desk.people.ada): Promise<void> =>
  discardWorktree(desk.api, who.caller, { runId })

/** A run that ran a script in its worktree, and has ended unless `open`. */
async function ran(command: string, { open = false } = {}) {
  const run = await startRun(desk.api, desk.people.ada.caller, { worker: 'scribe', input: 'Go' })
  desk.say({ calls: [{ tool: 'shell', input: { command } }] })
  await desk.turn(run.id, 1)
  const [call] = await desk.calls(run.id, 1)
  await desk.decide(desk.people.grace, call?.requestId ?? '')
  await desk.execute(call?.id ?? '')
  if (!open) {
    await desk.turn(run.id, 2)
    await closeRun(desk.worker, { runId: run.id })
  }
  return { id: run.id, branch: run.workspace.branch ?? '' }
}

const commit = (text: string): string => `echo ${text} > a.txt && git commit -qam ${text}`
const exists = (branch: string): boolean => git('branch', '--list', branch) !== ''
const removals = async (runId: string): Promise<string[]> =>
  (await desk.auditTypes(runId)).filter((type) => /^(run.disc|worktree)/.test(type))

// Rules: product.md 35
describe.skipIf(!testSandbox.works)('the worktree of a run that has ended', () => {
  test('is removed with its branch once everything in it is merged and committed, and not before', async () => {
    const [clean, merged] = [await ran('true'), await ran(commit('merged'))]
    const [unmerged, untracked] = [await ran(commit('kept')), await ran('echo x > new.txt')]
    const open = await ran('true', { open: true })
    git('merge', '-q', '--no-edit', merged.branch)
    await round()
    const there = [clean, merged, unmerged, untracked, open].map(({ id, branch }) => [
      existsSync(folderOf(id)),
      exists(branch),
    ])
    const [gone, kept] = [
      [false, false],
      [true, true],
    ]
    expect(there).toEqual([gone, gone, kept, kept, kept])
    await round()
    expect(await removals(merged.id)).toEqual(['worktree.removed'])
    const { workspace } = await getRun(desk.api, desk.people.ada.caller, merged.id)
    expect(workspace.removedAt).toMatch(/Z$/)
  })

  test('stays while a checkout lacks its merge, since its process was killed, and gives it that first', async () => {
    const run = await ran(commit('halfway'))
    await mergeHalfway(desk, run)
    const lock = join(desk.root, 'shop/.git/index.lock')
    await writeFile(lock, '')
    await round()
    expect(existsSync(folderOf(run.id))).toBe(true)
    await rm(lock)
    await round()
    expect(existsSync(folderOf(run.id))).toBe(false)
    expect(git('status', '--porcelain')).toBe('')
    expect(git('show', 'HEAD:a.txt')).toBe('halfway')
  })

  test('is discarded, or removed after 30 days, also while a checkout cannot get its merge', async () => {
    const lock = join(desk.root, 'shop/.git/index.lock')
    for (const remove of [
      (id: string) => discard(id),
      async (id: string) => {
        const monthAgo = new Date(Date.now() - 31 * 86_400_000)
        await sql`update run set ended_at = ${monthAgo} where id = ${id}`.execute(desk.database.db)
        await utimes(join(folderOf(id), 'worktree.json'), monthAgo, monthAgo)
      },
    ]) {
      const run = await ran('echo x > new.txt && git add . && git commit -qm new')
      const from = await mergeHalfway(desk, run)
      await writeFile(lock, '')
      await remove(run.id)
      await round()
      await rm(lock)
      expect(existsSync(folderOf(run.id))).toBe(false)
      git('reset', '-q', '--hard', from)
    }
  })

  test('leaves calls that a replay of the policy cannot judge, and the replay says why; it judges the others', async () => {
    const gone = await ran('true')
    await round()
    const open = await ran('true', { open: true })
    const calls = [...(await desk.calls(gone.id, 1)), ...(await desk.calls(open.id, 1))]
    // A host that was started again: the desk keeps the worktrees that it has opened.
    const worktrees = new Worktrees(join(desk.root, '.countersign'))
    const workspaceOf: WorkerContext['workspaceOf'] = async (place, policy) =>
      place.worktree === undefined
        ? desk.worker.workspaceOf(place, policy)
        : worktrees.open({ root: join(desk.root, 'shop'), copy: [] }, place.worktree)
    const host = { ...desk.worker, workspaceOf }
    const answer = await replayCalls(host, {
      replayUnder: policyDocument((await desk.worker.policies.inForce()).files),
      callIds: calls.map(({ id }) => id),
    })
    const why = `the files of its run cannot be read: the worktree of run ${gone.id} is not there any more`
    expect(answer).toMatchObject({ done: 2, items: [], notJudged: [{ runId: gone.id, why }] })
    expect(answer.notJudged).toHaveLength(1)
  })

  test('is removed after 30 days whatever is in it, and a branch with unmerged commits stays', async () => {
    const run = await ran(`${commit('late')} && echo x > new.txt`)
    const tip = git('rev-parse', run.branch)
    const age = sql`update run set ended_at = clock_timestamp() - interval '31 days' where id = ${run.id}`
    await age.execute(desk.database.db)
    // A row alone is not believed.
    await round()
    expect(existsSync(folderOf(run.id))).toBe(true)
    const monthAgo = new Date(Date.now() - 31 * 86_400_000)
    await utimes(join(folderOf(run.id), 'worktree.json'), monthAgo, monthAgo)
    await round()
    expect(existsSync(folderOf(run.id))).toBe(false)
    expect(git('rev-parse', run.branch)).toBe(tip)
  })

  test('is discarded by people who may message its run: with its branch, at once, and once however often it is requested', async () => {
    const run = await ran(`${commit('gone')} && echo x > new.txt && mkdir -m 0 shut`)
    const tip = git('rev-parse', run.branch)
    const may = async (who = desk.people.ada): Promise<boolean> =>
      (await getRun(desk.api, who.caller, run.id)).allowed.discard
    expect([await may(), await may(desk.people.olga)]).toEqual([true, true])
    expect(await may(desk.people.grace)).toBe(false)
    expect(await refusal(discard(run.id, desk.people.grace))).toMatchObject({ code: 'forbidden' })
    expect(exists(run.branch)).toBe(true)
    await Promise.all([discard(run.id), discard(run.id)])
    await discard(run.id)
    expect(await may()).toBe(false)
    expect([existsSync(folderOf(run.id)), exists(run.branch)]).toEqual([false, false])
    expect(await removals(run.id)).toEqual(['run.discarded', 'worktree.removed'])
    const { document } = await rowOf(desk.database.db, 'audit_event', {
      run_id: run.id,
      type: 'worktree.removed',
    })
    expect(JSON.parse(document)).toMatchObject({
      detail: { why: 'discarded', branch: run.branch, tip },
    })
  })

  test('is not discarded while the run is active, or by a row that nobody signed', async () => {
    const open = await ran(commit('open'), { open: true })
    expect(await refusal(discard(open.id))).toMatchObject({ code: 'conflict' })
    const elsewhere = await desk.start({ workspace: 'default' })
    expect(await refusal(discard(elsewhere))).toMatchObject({ code: 'conflict' })
    const run = await ran(commit('forged'))
    const other = await ran('true')
    await discard(other.id)
    // The statement of another run, and one without a signature.
    for (const forged of [
      sql`(select worktree -> 'discard' from run where id = ${other.id})`,
      sql`'{"statement":"{}","signature":"x","keyId":"x"}'::jsonb`,
    ]) {
      await sql`update run set worktree = worktree || jsonb_build_object('discardedAt', 'x', 'discard', ${forged})
        where id = ${run.id}`.execute(desk.database.db)
      await round()
      expect([existsSync(folderOf(run.id)), exists(run.branch)]).toEqual([true, true])
    }
  })

  test.each([
    'before anything went',
    'with half of the files gone',
    'with nothing but the folder left',
  ])('whose removal was killed %s is removed completely by the next round', async (where) => {
    const run = await ran(commit(`half${where.length}`))
    const folder = folderOf(run.id)
    // The host does not answer: what is signed waits for its round.
    const away = { ...desk.api, removeWorktree: () => Promise.reject(new Error('away')) }
    await discardWorktree(away, desk.people.ada.caller, { runId: run.id })
    const record = await readRecord(folder)
    if (record === null) throw new Error('no worktree')
    await writeRecord(folder, { ...record, removed: { branch: true } })
    if (where !== 'before anything went') {
      spawnSync('rm', ['-rf', join(folder, 'tree/.git'), join(folder, 'host.git')])
    }
    if (where.startsWith('with nothing')) {
      await round()
      await mkdir(folder)
    }
    await round()
    expect([existsSync(folder), exists(run.branch)]).toEqual([false, false])
  })

  test('keeps a branch that a person has moved or checked out, and is removed even when its repository is gone', async () => {
    const [moved, used] = [await ran(commit('moved')), await ran(commit('used'))]
    git('branch', '-f', moved.branch, 'main')
    git('worktree', 'add', '-q', '../used', used.branch)
    await discard(moved.id)
    await discard(used.id)
    expect([exists(moved.branch), exists(used.branch)]).toEqual([true, true])
    expect([existsSync(folderOf(moved.id)), existsSync(folderOf(used.id))]).toEqual([false, false])
    const last = await ran('mkdir -p deep/er && echo x > deep/er/x')
    await chmod(join(folderOf(last.id), 'tree/deep'), 0o500)
    spawnSync('mv', [join(desk.root, 'shop/.git'), join(desk.root, 'away.git')])
    await discard(last.id)
    expect(existsSync(folderOf(last.id))).toBe(false)
  })
})
