import { expect, test } from 'vitest'
import type { RequestItem } from '#api/schemas/requests/request-item.ts'
import { Installation } from '../../harness/installation/installation.ts'
import { approve, requestsOf } from '../../harness/installation/run-requests.ts'
import type { TestSession } from '../../harness/installation/test-session.ts'
import { waitUntil } from '../../harness/wait-until.ts'
import { seededChoices } from '../../shell/seeded.ts'
import { chaosProject } from '../chaos/chaos-project.ts'
import { readJournal } from '../chaos/journal.ts'
import { problemsOfTrail } from '../chaos/verify-trail.ts'
import { seedOfRun } from '../seed-of-run.ts'
import {
  actAndKill,
  descriptionOf,
  operatorActs,
  retireKey,
  saveProject,
  victimsOf,
} from './operator-acts.ts'

const rounds = 10
const patient = { withinMs: 240_000, everyMs: 300 }

// Rules: security.md 13
test('however versions are saved and keys rotated and retired while processes are killed, the newest version takes force, and each approved call runs once or was found not to have run', async () => {
  const choose = seededChoices(seedOfRun())
  await using installation = await Installation.start(chaosProject())
  const runs: string[] = []
  /** Calls whose worker died before their tool began. */
  const notRun = new Set<string>()
  // The retirement of a key ends all sessions.
  const session = (name: string) => installation.signIn(`${name}@example.com`)
  const countEvents = async (type: string) => {
    const { body } = await (await session('grace')).get(`/v1/audit?type=${type}`)
    return (body['items'] as unknown[]).length
  }
  const pendingOf = async (runId: string) => {
    const [request] = await requestsOf(await session('grace'), runId)
    return request?.state === 'pending' ? request : null
  }
  const settle = async (grace: TestSession, { id, callId }: RequestItem) => {
    const ran = (await readJournal(installation.folder)).begun.has(callId ?? '')
    const finding = { ran, then: 'continue', reason: 'looked into the journal' }
    const { status } = await grace.post(`/v1/requests/${id}/settle`, finding)
    if (status === 200 && !ran) notRun.add(callId ?? '')
  }
  for (let version = 1; version <= rounds; version += 1) {
    const start = async () => {
      const ada = await session('ada')
      const { status, body } = await ada.post('/v1/runs', { worker: 'clerk', input: 'Write' })
      if (status === 201) runs.push(String(body['id']))
      return status === 201 || `${status} ${JSON.stringify(body)}`
    }
    await waitUntil(() => start().catch(String), patient)
    const runId = runs.at(-1) ?? ''
    await waitUntil(async () => (await pendingOf(runId)) !== null || 'nothing waits', patient)
    const act = choose.one(operatorActs)
    const victim = choose.one(victimsOf(act))
    const acting = actAndKill(installation, { act, victim, version }, choose)
    const decide = async () => {
      const request = await pendingOf(runId)
      if (request !== null) await approve(await session('grace'), request)
      return true
    }
    await waitUntil(() => decide().catch(String), patient)
    await acting
  }
  await saveProject(installation, rounds + 1)
  await waitUntil(async () => {
    const { body } = await (await session('ada')).get('/v1/workers')
    return JSON.stringify(body).includes(descriptionOf(rounds + 1)) || JSON.stringify(body)
  }, patient)
  // A call whose permit was void is asked about again, and one whose worker died is checked.
  await waitUntil(async () => {
    const grace = await session('grace')
    for (const request of (await requestsOf(grace)).filter(({ state }) => state === 'pending')) {
      if (request.kind === 'outcome_check') await settle(grace, request)
      else await approve(grace, request)
    }
    const states = await Promise.all(
      runs.map(async (id) => String((await grace.get(`/v1/runs/${id}`)).body['state'])),
    )
    return states.every((state) => state === 'completed') || states.join(' ')
  }, patient)
  const { begun } = await readJournal(installation.folder)
  expect([...begun.values()].filter((count) => count !== 1)).toEqual([])
  expect([...notRun].filter((callId) => begun.has(callId))).toEqual([])
  expect(begun.size + notRun.size).toBe(runs.length)
  // The acts above may have retired keys already.
  const before = new Map<string, number>()
  const types = ['key.created', 'key.revoked']
  const isCounted = async () => {
    for (const type of types) before.set(type, await countEvents(type))
    return true
  }
  await waitUntil(() => isCounted().catch(String), patient)
  expect(await retireKey(installation)).toBe(0)
  for (const type of types) {
    const isRecorded = async () => {
      const count = await countEvents(type)
      return count > before.get(type)! || `${count} events ${type}`
    }
    await waitUntil(() => isRecorded().catch(String), patient)
  }
  expect(await problemsOfTrail(await session('grace'))).toEqual([])
}, 900_000)
