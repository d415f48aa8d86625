import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { Installation } from '../harness/installation/installation.ts'
import { waitUntil } from '../harness/wait-until.ts'
import { readJournal } from './chaos/journal.ts'
import { clerkProject, startClerk } from './chaos/writing-clerk.ts'

// Rules: security.md 27
test('a Temporal worker that hangs is killed and started again, and the call that it was at is checked, not repeated', async () => {
  await using installation = await Installation.start(clerkProject(240_000))
  const { requests } = await startClerk(installation)
  const hung = await installation.pidOf('temporal-worker')
  process.kill(hung, 'SIGSTOP')
  const patient = { withinMs: 240_000, everyMs: 200 }
  await waitUntil(async () => (await installation.pidOf('temporal-worker')) !== hung, patient)
  await waitUntil(
    async () => (await requests()).some(({ kind }) => kind === 'outcome_check'),
    patient,
  )
  const { begun } = await readJournal(installation.folder)
  expect([...begun.values()]).toEqual([1])
  const url = await readFile(join(installation.folder, '.countersign', 'run', 'url'), 'utf8')
  await waitUntil(async () => (await fetch(`${url.trim()}/readyz`)).status === 200, patient)
})
