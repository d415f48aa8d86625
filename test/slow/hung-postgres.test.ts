import { randomUUID } from 'node:crypto'
import { readFileSync, readdirSync } from 'node:fs'
import { expect, test } from 'vitest'
import { aWrite, faultProject } from '../faults/fault-project.ts'
import { FaultWorld } from '../faults/fault-world.ts'

/** Postgres' first process and those that it started, by which each connection has one. */
function processesOf(postmaster: number): number[] {
  const parentOf = (pid: string): string | undefined => {
    try {
      return /\) \S (\d+)/.exec(readFileSync(`/proc/${pid}/stat`, 'utf8'))?.[1]
    } catch {
      return undefined
    }
  }
  const children = readdirSync('/proc').filter(
    (name) => /^\d+$/.test(name) && parentOf(name) === String(postmaster),
  )
  return [postmaster, ...children.map(Number)]
}

// Rules: security.md 37, 42
test('while Postgres hangs every caller is answered 503 within a minute, and the same decision then counts once', async () => {
  await using world = await FaultWorld.start(
    faultProject({ hung: [{ calls: [aWrite('notes/hung.md')] }] }),
  )
  const runId = await world.startRun('hung')
  const request = await world.onlyWaiting(runId)
  const grace = await world.as('grace')
  const decide = (): ReturnType<typeof grace.post> =>
    grace.post(
      `/v1/requests/${request.id}/decisions`,
      { decision: 'approve', digest: request.digest, revision: 1 },
      key,
    )
  const key = { 'idempotency-key': randomUUID() }
  const stopped = processesOf(await world.installation.pidOf('postgres'))
  for (const pid of stopped) process.kill(pid, 'SIGSTOP')
  const begunMs = performance.now()
  try {
    const answers = [grace.get('/v1/me'), grace.get('/v1/requests'), decide()]
    for (const answer of answers) {
      expect(await answer).toMatchObject({ status: 503, body: { code: 'unavailable' } })
    }
    expect(performance.now() - begunMs).toBeLessThan(60_000)
  } finally {
    for (const pid of stopped) process.kill(pid, 'SIGCONT')
  }
  await expect
    .poll(async () => (await decide()).status, { timeout: 60_000, interval: 500 })
    .toBe(200)
  const decisions = await world.sql('select 1 from decision where request_id = $1', [request.id])
  expect(decisions).toHaveLength(1)
  await world.untilRun(runId, 'completed')
  expect(await world.calls(runId)).toMatchObject([{ execution: 'succeeded', attempts: 1 }])
}, 400_000)
