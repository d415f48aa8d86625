import { randomUUID } from 'node:crypto'
import { expect, test } from 'vitest'
import { disposeAfterTests } from '../harness/dispose-after-tests.ts'
import type { TestSession } from '../harness/installation/test-session.ts'
import { aWrite, faultProject } from './fault-project.ts'
import { FaultWorld } from './fault-world.ts'

const people = Array.from({ length: 50 }, (_, index) => `person-${index}`)
const sessions: TestSession[] = []

const project = faultProject({ one: [{ calls: [aWrite('notes/one.md')] }] })
const members = people.map((name) => `${name}@example.com`).join(', ')
const config = project['countersign.yaml']?.replace('platform: { members: [', `$&${members}, `)
const world = disposeAfterTests(
  await FaultWorld.start({ ...project, 'countersign.yaml': config ?? '' }),
)
for (const name of people) sessions.push(await world.as(name))

// Rules: product.md 7
test('of fifty people who decide one request over HTTP, one succeeds, 49 get 409 with that name, and a repetition with the same key gets the same answer', async () => {
  const runId = await world.startRun('one')
  const { id, digest, revision } = await world.onlyWaiting(runId)
  const attempts = sessions.map((session, index) => ({
    session,
    key: { 'idempotency-key': randomUUID() },
    body: { decision: index % 3 === 0 ? 'deny' : 'approve', digest, revision },
  }))
  const path = `/v1/requests/${id}/decisions`
  const answers = await Promise.all(
    attempts.map(({ session, body, key }) => session.post(path, body, key)),
  )
  const winner = answers.findIndex((answer) => answer.status === 200)
  const lost = answers.filter((answer) => answer.status === 409)
  expect([answers.filter((answer) => answer.status === 200).length, lost.length]).toEqual([1, 49])
  const { body: me } = await (sessions[winner] as TestSession).get('/v1/me')
  const { name } = (me as { person: { name: string } }).person
  const state = winner % 3 === 0 ? 'denied' : 'approved'
  for (const { body } of lost) {
    expect(body).toMatchObject({ code: 'already_decided', decidedBy: name, state })
  }
  const again = attempts[winner]
  expect(again).toBeDefined()
  if (again === undefined) return
  const repeats = await Promise.all(
    Array.from({ length: 5 }, () => again.session.post(path, again.body, again.key)),
  )
  const original = answers[winner]?.body['decisionId']
  expect(repeats.map((answer) => [answer.status, answer.body['decisionId']])).toEqual(
    Array.from({ length: 5 }, () => [200, original]),
  )
  const other = { ...again.body, decision: again.body.decision === 'deny' ? 'approve' : 'deny' }
  expect(await again.session.post(path, other, again.key)).toMatchObject({
    status: 422,
    body: { code: 'idempotency_key_reused' },
  })
  await world.untilRun(runId, 'completed')
  expect(await world.sql('select 1 from decision where request_id = $1', [id])).toHaveLength(1)
  expect(await world.calls(runId)).toMatchObject([
    state === 'approved' ? { execution: 'succeeded', attempts: 1 } : { result: 'denied' },
  ])
}, 240_000)
