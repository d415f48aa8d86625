import { execFile } from 'node:child_process'
import { mkdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import pg from 'pg'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { findSandbox } from '#sandbox/bwrap/find-sandbox.ts'
import { FaultWorld } from '../../faults/fault-world.ts'
import { processNames } from '../../harness/installation/installation.ts'
import { waitUntil } from '../../harness/wait-until.ts'
import { HeldModel } from '../../harness/held-model.ts'
import { filesOfMerge, killedAnswer, killedProject } from './killed-project.ts'

const run = promisify(execFile)
const sandbox = await findSandbox('bwrap')
const patient = { withinMs: 60_000 }
let model: HeldModel
let world: FaultWorld

const at = (...names: string[]): string => join(world.installation.folder, ...names)
async function gitIn(folder: string, ...words: string[]): Promise<string> {
  const identity = ['-c', 'user.name=Ada', '-c', 'user.email=ada@example.com']
  return (await run('git', [...identity, ...words], { cwd: folder })).stdout.trim()
}
const git = (...words: string[]): Promise<string> => gitIn(at('shop'), ...words)

/** The repository, and a remote that takes a push only when there is a file `go`. */
async function prepare(folder: string): Promise<AsyncDisposable> {
  const [shop, remote] = [join(folder, 'shop'), join(folder, 'remote.git')]
  for (const name of [shop, remote]) await mkdir(name)
  await gitIn(remote, 'init', '-q', '--bare')
  const waits = 'cat >> ../received; while [ ! -e ../go ]; do sleep 0.05; done'
  await mkdir(join(remote, 'hooks'), { recursive: true })
  await writeFile(join(remote, 'hooks/pre-receive'), `#!/bin/sh\n${waits}\n`, { mode: 0o755 })
  await gitIn(shop, 'init', '-q', '-b', 'main')
  await gitIn(shop, 'commit', '-q', '--allow-empty', '-m', 'first')
  await gitIn(shop, 'remote', 'add', 'origin', '../remote.git')
  return { [Symbol.asyncDispose]: async () => undefined }
}

beforeAll(async () => {
  model = await HeldModel.start(killedAnswer)
  const { baseUrl } = model
  const env = { OPENAI_COMPATIBLE_BASE_URL: baseUrl, OPENAI_COMPATIBLE_API_KEY: 'held' }
  world = await FaultWorld.start(killedProject, { env, prepare })
}, 240_000)
afterAll(async () => {
  await world?.[Symbol.asyncDispose]()
  await model?.[Symbol.asyncDispose]()
}, 240_000)

/** Nobody writes to a table until it is released, or Postgres is gone. */
async function heldLock(table: string) {
  const client = new pg.Client({ connectionString: await world.installation.databaseUrl() })
  client.on('error', () => undefined)
  await client.connect()
  await client.query(`begin; lock table ${table} in share row exclusive mode`)
  const waiting = `select count(*)::int as many from pg_locks where relation = '${table}'::regclass and not granted`
  const release = async (): Promise<void> => {
    await client.query('rollback').catch(() => undefined)
    client.end().catch(() => undefined)
  }
  return {
    release,
    waiting: async (): Promise<number> => (await client.query(waiting)).rows[0].many,
    [Symbol.asyncDispose]: release,
  }
}

async function approve(runId: string): Promise<void> {
  const { seen, ...request } = await world.onlyWaiting(runId)
  const answer = await world.decide(request, { seen, reason: 'Looks right', again: true })
  expect(answer.body).toMatchObject({ state: 'approved' })
}

/** Waits for the end of a run; says of what is not known to have happened that it did. */
async function untilCompleted(runId: string): Promise<void> {
  const grace = await world.as('grace')
  await waitUntil(async () => {
    const checks = await world.sql<{ id: string }>(
      `select id from request where run_id = $1 and state = 'pending' and kind = 'outcome_check'`,
      [runId],
    )
    const finding = { ran: true, then: 'continue', reason: 'I looked: it is there' }
    for (const { id } of checks) await grace.post(`/v1/requests/${id}/settle`, finding)
    const [row] = await world.sql<{ state: string }>(`select state from run where id = $1`, [runId])
    return row?.state === 'completed' || `the run is ${row?.state}`
  }, patient)
}

/** What the model said in a run, turn by turn. */
async function saidIn(runId: string): Promise<string[]> {
  const { body } = await (await world.as('ada')).get(`/v1/runs/${runId}/transcript`)
  const items = body['items'] as { role: string; text?: string }[]
  return items.filter(({ role }) => role === 'assistant').map(({ text = '' }) => text)
}

const count = async (text: string, ...values: unknown[]): Promise<unknown> =>
  Object.values((await world.sql(text, values))[0] ?? {})[0]

// Rules: product.md 28, 29, 31, 35, 36
describe.skipIf(!sandbox.works)('a process that is killed', () => {
  test.each(processNames)(
    '%s, in the middle of a stream, a compaction, a fork, a merge and a push, loses and doubles none of them',
    async (victim) => {
      const round = `round-${victim}`
      const start = (worker: string, input: string) => world.startRun(worker, { input })
      const [old, streaming, writing, merging, pushing] = await Promise.all([
        start('streamer', `short ${round}`),
        start('streamer', `held ${round}`),
        start('writer', round),
        start('merger', round),
        start('pusher', round),
      ])
      await Promise.all([world.untilRun(old, 'completed'), approve(merging), approve(pushing)])
      for (const place of ['stream', 'compaction'])
        await waitUntil(() => model.holds(`${place} ${victim}`) || `no ${place}`, patient)
      await Promise.all([world.waiting(merging), world.waiting(pushing)])

      await using lock = await heldLock('run_prefix')
      const ada = await world.as('ada')
      const forked = ada.postUntilAnswered(`/v1/runs/${old}/forks`, { text: 'again' }, 240_000)
      await waitUntil(async () => (await lock.waiting()) === 1 || 'no fork', patient)
      await approve(pushing)
      const received = (): Promise<string> => readFile(at('received'), 'utf8').catch(() => '')
      const branchOf = `select worktree ->> 'branch' from run where id = $1`
      const branch = String(await count(branchOf, pushing))
      await waitUntil(async () => (await received()).includes(branch), patient)
      const before = await git('rev-parse', 'main')
      await approve(merging)
      const ref = (): Promise<string> => readFile(at('shop/.git/refs/heads/main'), 'utf8')
      await waitUntil(async () => (await ref()).trim() !== before, { ...patient, everyMs: 1 })

      const gone = await world.installation.killNine(victim)
      await lock.release()
      await writeFile(at('go'), '')
      model.release()
      await world.installation.untilBack(victim, gone)

      const fork = await forked
      expect(fork).toMatchObject({ status: 201 })
      const forkId = String(fork.body['id'])
      await Promise.all([forkId, streaming, writing, merging, pushing].map(untilCompleted))
      expect(await count('select count(*)::int from run where forked_from = $1', old)).toBe(1)
      expect(await saidIn(forkId)).toEqual(['Short.', 'Short.'])
      expect(await saidIn(streaming)).toEqual(['All of it.'])
      const summaries = `select count(*)::int from run_window where run_id = $1 and kind = 'compaction'`
      expect(await count(summaries, writing)).toBe(1)
      const turns = await saidIn(writing)
      expect(turns.at(-1)).toBe('Written.')
      const written = await world.calls(writing)
      expect(written).toHaveLength(turns.length - 1)
      for (const call of written) expect(call).toMatchObject({ result: 'output', attempts: 1 })

      const merges = await git('log', '--first-parent', '--format=%s', 'main')
      expect(merges.split('\n').filter((line) => line === `Merge ${victim}`)).toHaveLength(1)
      expect(await git('status', '--porcelain')).toBe('')
      const merged = await git('ls-files', `merge-${victim}`)
      expect(merged.split('\n')).toHaveLength(filesOfMerge)
      expect((await received()).split(branch)).toHaveLength(2)
      const head = await git('rev-parse', branch)
      expect(await gitIn(at('remote.git'), 'rev-parse', branch)).toBe(head)
      for (const id of [merging, pushing]) {
        const last = (await world.calls(id)).at(-1)
        expect(last).toMatchObject({ execution: 'succeeded', attempts: 1 })
      }
      await run('rm', [at('go')])
    },
    400_000,
  )
})
