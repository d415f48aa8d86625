import { expect, test } from 'vitest'
import { Installation } from '../harness/installation/installation.ts'
import { waitUntil } from '../harness/wait-until.ts'
import { readJournal } from './chaos/journal.ts'
import { clerkProject, startClerk } from './chaos/writing-clerk.ts'

/** Longer than a worker that is stopped lets its work finish. */
const project = clerkProject(90_000)

test('a tool that runs when its worker is stopped gracefully is failed (stopped), not unknown, and the run goes on', async () => {
  await using installation = await Installation.start(project)
  const { grace, runId, requestId: id, requests } = await startClerk(installation)
  process.kill(await installation.pidOf('temporal-worker'), 'SIGTERM')
  await waitUntil(
    async () => {
      const { body } = await grace.get(`/v1/runs/${runId}`)
      return body['state'] === 'completed' || JSON.stringify([body['state'], await requests()])
    },
    { everyMs: 200 },
  )
  expect(await requests()).toMatchObject([
    { id, kind: 'tool_call', execution: { state: 'failed', reason: 'stopped' } },
  ])
  const { begun, ended } = await readJournal(installation.folder)
  expect([...begun.values()]).toEqual([1])
  expect(ended.size).toBe(0)
}, 240_000)
