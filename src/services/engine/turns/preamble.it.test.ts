import { expect, test } from 'vitest'
import { hashJson } from '#domain/json/digest.ts'
import { signStatement } from '#domain/statements/statement-bytes.ts'
import { deskConfig, deskWorker } from '#test/harness/fixtures/agent-desk.ts'
import { setRows } from '#test/harness/fixtures/rows.ts'
import { statementOf } from '../../core/verify-run.ts'
import { readPreamble } from '../../runs/reading/read-preamble.ts'
import { aRead, desk, runRow, useTurnDesk } from './turns.fixture.ts'

useTurnDesk()

const systems = (): string[] => desk.modelRequests.map(({ system }) => system)

// Rules: product.md 32
test('every turn of a run begins with the same bytes, which its page shows, whatever policy is in force by then', async () => {
  const runId = await desk.start()
  const { ada, linus } = desk.people
  const { version, text } = await readPreamble(desk.api, ada.caller, runId)
  desk.say({ calls: [aRead] }, { text: 'Read.' })
  await desk.perform(await desk.turn(runId, 1))
  await desk.activate({
    'countersign.yaml': `${deskConfig}overlays: [{ when: { tool: delete_file }, approval: blocked }]\n`,
    'workers/scribe.md': `${deskWorker}More instructions.\n`,
  })
  await desk.turn(runId, 2)
  const [first, second] = systems()
  expect(version).toBe(1)
  expect(first).toBe(second)
  expect(first).toContain(`${text}\n\n---\n\n`)
  expect(first).not.toContain('More instructions.')
  expect(text).toContain((await runRow(runId)).created_at.toISOString().slice(0, 10))
  expect((await readPreamble(desk.api, ada.caller, runId)).text).toBe(text)
  expect((await readPreamble(desk.api, ada.caller, await desk.start())).text).toContain(
    'Delete and move files',
  )
  await expect(readPreamble(desk.api, linus.caller, runId)).rejects.toMatchObject({
    code: 'not_found',
  })
})

test('a run whose pinned worker is older than the preamble gets only its instructions, and continues', async () => {
  await desk.activate({ 'countersign.yaml': deskConfig, 'workers/scribe.md': deskWorker })
  const runId = await desk.start()
  const { db } = desk.database
  const run = await runRow(runId)
  const { worker: name } = run
  const digest = hashJson({ name, definition: deskWorker, script: null })
  await db
    .insertInto('worker_version')
    .values({ digest, name, definition: deskWorker, script: null })
    .execute()
  const statement = statementOf({ ...run, worker_digest: digest })
  const { signature, keyId } = signStatement(desk.api.signer, 'run', statement)
  await setRows(db, 'run', { id: runId }, { worker_digest: digest, signature, key_id: keyId })
  desk.say({ calls: [aRead] }, { text: 'Read.' })
  await desk.perform(await desk.turn(runId, 1))
  await desk.turn(runId, 2)
  expect(systems()).toEqual(['You write notes.', 'You write notes.'])
  expect(await readPreamble(desk.api, desk.people.ada.caller, runId)).toEqual({
    version: 0,
    text: '',
  })
})
