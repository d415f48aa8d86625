import { execFile } from 'node:child_process'
import { mkdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { promisify } from 'node:util'
import pg from 'pg'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { readSecrets, webhookHeaders } from '#delivery/webhooks/webhook-secret.ts'
import { findSandbox } from '#sandbox/bwrap/find-sandbox.ts'
import { FaultWorld } from '../../faults/fault-world.ts'
import { processNames } from '../../harness/installation/installation.ts'
import type { Answer } from '../../harness/installation/test-session.ts'
import { waitUntil } from '../../harness/wait-until.ts'
import { HeldModel } from '../../harness/held-model.ts'
import { problemsOfTrail } from '../chaos/verify-trail.ts'
import { StreamReader } from './stream-reader.ts'
import { filesOfMerge, killedAnswer, killedProject } from './killed-project.ts'
import { gitAsAda } from '../../harness/programs/git-as-ada.ts'

const run = promisify(execFile)
const sandbox = await findSandbox('bwrap')
const patient = { withinMs: 240_000 }
const answerMs = 240_000
const deploysSecret = `whsec_${Buffer.alloc(32, 7).toString('base64')}`
let model: HeldModel
let world: FaultWorld

const at = (...names: string[]): string => join(world.installation.folder, ...names)
const git = (...words: string[]): Promise<string> => gitAsAda(at('shop'), ...words)

/** The repository, and a remote that takes a push only when there is a file `go`. */
async function prepare(folder: string): Promise<void> {
  const [shop, remote] = [join(folder, 'shop'), join(folder, 'remote.git')]
  for (const name of [shop, remote]) await mkdir(name)
  await gitAsAda(remote, 'init', '-q', '--bare')
  const waits = 'cat >> ../received; while [ ! -e ../go ]; do sleep 0.05; done'
  await mkdir(join(remote, 'hooks'), { recursive: true })
  await writeFile(join(remote, 'hooks/pre-receive'), `#!/bin/sh\n${waits}\n`, { mode: 0o755 })
  await gitAsAda(shop, 'init', '-q', '-b', 'main')
  await gitAsAda(shop, 'commit', '-q', '--allow-empty', '-m', 'first')
  await gitAsAda(shop, 'remote', 'add', 'origin', '../remote.git')
}

beforeAll(async () => {
  model = await HeldModel.start(killedAnswer)
  const { baseUrl } = model
  const provider = { OPENAI_COMPATIBLE_BASE_URL: baseUrl, OPENAI_COMPATIBLE_API_KEY: 'held' }
  const env = { ...provider, DEPLOYS_SECRET: deploysSecret }
  world = await FaultWorld.start(killedProject, { env, prepare })
}, 240_000)
afterAll(async () => {
  await world?.[Symbol.asyncDispose]()
  await model?.[Symbol.asyncDispose]()
}, 240_000)

/**
 * Nobody starts a run, and the call of this one gets no result, until it is released, or Postgres
 * is gone.
 */
async function heldWrites(runId: string) {
  const client = new pg.Client({ connectionString: await world.installation.databaseUrl() })
  client.on('error', () => undefined)
  await client.connect()
  await client.query('begin; lock table run_lineage in share row exclusive mode')
  await client.query('select from tool_call where run_id = $1 for update', [runId])
  const waiting = `select count(*)::int as many from pg_stat_activity
    where pg_backend_pid() = any(pg_blocking_pids(pid))`
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

/** Sends a message to the trigger, again until it is answered, as its senders do. */
async function sendMessage(id: string): Promise<Answer> {
  const body = JSON.stringify({ id })
  const deadline = performance.now() + answerMs
  for (;;) {
    const signed = webhookHeaders(readSecrets(deploysSecret) ?? [], { id, at: new Date(), body })
    const headers = { 'content-type': 'application/json', ...signed }
    const url = `${world.installation.url}/v1/triggers/deploys`
    const response = await fetch(url, { method: 'POST', headers, body }).catch(String)
    if (typeof response !== 'string' && response.status < 500) {
      return { status: response.status, body: (await response.json()) as Answer['body'] }
    }
    if (performance.now() > deadline) throw new Error('the trigger does not answer')
    await delay(50)
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
  const { body } = await (await world.as('grace')).get(`/v1/runs/${runId}/transcript`)
  const items = body['items'] as { role: string; text?: string }[]
  return items.filter(({ role }) => role === 'assistant').map(({ text = '' }) => text)
}

const count = async (text: string, ...values: unknown[]): Promise<unknown> =>
  Object.values((await world.sql(text, values))[0] ?? {})[0]

// Rules: product.md 28, 29, 31, 35, 36
describe.skipIf(!sandbox.works)('a process that is killed', () => {
  test.each([...processNames, 'tools', 'reader'] as const)(
    '%s, in the middle of a stream, compaction, fork, answer, trigger, merge and push, neither loses nor repeats one of them',
    async (victim) => {
      const round = `round-${victim}`
      const start = (worker: string, input: string) => world.startRun(worker, { input })
      const [old, streaming, writing, holding, asking, merging, pushing] = await Promise.all([
        start('streamer', `short ${round}`),
        start('streamer', `held ${round}`),
        start('writer', round),
        start('holder', round),
        start('asker', round),
        start('merger', round),
        start('pusher', round),
      ])
      await Promise.all([world.untilRun(old, 'completed'), approve(merging), approve(pushing)])
      for (const place of ['stream', 'compaction'])
        await waitUntil(() => model.holds(`${place} ${victim}`) || `no ${place}`, patient)
      const held = (): Promise<string> => readFile(at(`held-${victim}`), 'utf8').catch(() => '')
      await waitUntil(async () => /begin \d+\n/.test(await held()), patient)
      const streamUrl = `${world.installation.url}/v1/runs/${streaming}/stream`
      const session = await world.as('ada')
      const reader = new StreamReader(streamUrl, session, at(`stream-${victim}`))
      await reader.start()
      await waitUntil(
        async () => (await reader.parts()).some(({ type }) => type === 'text-delta'),
        patient,
      )
      await Promise.all([world.waiting(merging), world.waiting(pushing)])

      const question = await world.onlyWaiting(asking)
      const ofTrigger = `select count(*)::int from run where started_from = 'trigger:deploys'`
      const openedBefore = await count(ofTrigger)
      await using lock = await heldWrites(asking)
      const ada = await world.as('ada')
      const post = (path: string, text: string) =>
        ada.postUntilAnswered(`/v1/${path}`, { text }, answerMs)
      const answers = Promise.all([
        post(`runs/${old}/forks`, 'again'),
        post(`requests/${question.id}/answer`, 'blue'),
        sendMessage(round),
      ])
      await waitUntil(async () => (await lock.waiting()) === 3 || 'not all wait', patient)
      await approve(pushing)
      const received = (): Promise<string> => readFile(at('received'), 'utf8').catch(() => '')
      const branchOf = `select worktree ->> 'branch' from run where id = $1`
      const branch = String(await count(branchOf, pushing))
      await waitUntil(async () => (await received()).includes(branch), patient)
      const before = await git('rev-parse', 'main')
      await approve(merging)
      const ref = (): Promise<string> => readFile(at('shop/.git/refs/heads/main'), 'utf8')
      await waitUntil(async () => (await ref()).trim() !== before, { ...patient, everyMs: 1 })

      const kill = async (): Promise<() => Promise<void>> => {
        if (victim === 'reader') {
          await reader.kill()
          return async () => undefined
        }
        if (victim === 'tools') {
          process.kill(Number((await held()).split(/\s/)[1]), 'SIGKILL')
          return async () => undefined
        }
        const gone = await world.installation.killNine(victim)
        return () => world.installation.untilBack(victim, gone)
      }
      const untilBack = await kill()
      await lock.release()
      await writeFile(at('go'), '')
      model.release()
      await untilBack()

      const [fork, answer, triggered] = await answers
      expect([fork.status, answer.status, triggered.status]).toEqual([201, 200, 202])
      const forkId = String(fork.body['id'])
      const openedId = String(triggered.body['runId'])
      expect(await count(ofTrigger)).toBe(Number(openedBefore) + 1)
      const going = [streaming, writing, holding, asking, merging, pushing]
      await Promise.all([forkId, openedId, ...going].map(untilCompleted))
      expect(await saidIn(openedId)).toEqual(['Opened.'])
      expect(await saidIn(asking)).toEqual(['I ask.', 'Thanks.'])
      expect(await world.told(asking)).toEqual([expect.stringContaining('blue')])
      const answered = `select count(*)::int from decision join request on request.id = request_id where run_id = $1`
      expect(await count(answered, asking)).toBe(1)
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
      expect(await gitAsAda(at('remote.git'), 'rev-parse', branch)).toBe(head)
      for (const id of [merging, pushing]) {
        const last = (await world.calls(id)).at(-1)
        expect(last).toMatchObject({ execution: 'succeeded', attempts: 1 })
      }

      // The tool began once, whoever knows how it ended, and the reader has each word once.
      const ends = victim === 'tools' ? 0 : 1
      const endsOf = async (): Promise<number> => (await held()).split('end').length - 1
      await waitUntil(async () => (await endsOf()) === ends || 'the tool goes on', patient)
      expect((await held()).match(/begin/g)).toHaveLength(1)
      await run('rm', [at('go')])
      await reader.untilDone(patient.withinMs)
      const parts = await reader.parts()
      const last = parts.slice(parts.findLastIndex(({ type }) => type === 'text-start'))
      expect(last.map(({ delta = '' }) => delta).join('')).toBe('All of it.')
      expect(await problemsOfTrail(await world.as('grace'))).toEqual([])
    },
  )

  test('the Temporal worker, between the end of a command and the record of what it changed, claims nothing: the files are listed, or said to be unknown', async () => {
    const runId = await world.startRun('merger', { input: 'round-changes' })
    const branch = String(await count(`select worktree ->> 'branch' from run where id = $1`, runId))
    const tip = async (): Promise<string> => readFile(at('shop/.git/refs/heads', branch), 'utf8')
    await world.waiting(runId)
    const before = await tip()
    await approve(runId)
    // The commit is the last thing that the command does.
    await waitUntil(async () => (await tip()) !== before, { ...patient, everyMs: 1 })
    const gone = await world.installation.killNine('temporal-worker')
    await world.installation.untilBack('temporal-worker', gone)
    const grace = await world.as('grace')
    const check = await world.onlyWaiting(runId)
    const finding = { ran: true, then: 'continue', reason: 'I looked: it is there' }
    await grace.post(`/v1/requests/${check.id}/settle`, finding)
    const { body } = await grace.get(`/v1/runs/${runId}/changes`)
    const unknown = (body['unknown'] as { commands: number }).commands
    expect([body['total'], unknown]).toEqual(unknown === 0 ? [filesOfMerge, 0] : [0, 1])
    await grace.post(`/v1/runs/${runId}/cancel`, {})
  })
})
