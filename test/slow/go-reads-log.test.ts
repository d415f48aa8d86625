import { execFile } from 'node:child_process'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { cosign } from '#evidence/note/cosignature.ts'
import { formatVerifierKey } from '#evidence/note/note-key.ts'
import { formatSignature, parseNote } from '#evidence/note/signed-note.ts'
import { findGo } from '#runtime/embedded/build-with-go.ts'
import { proveConsistency, proveEvents } from '#services/audit/log/prove-events.ts'
import { readNewestCheckpoint, type StoredCheckpoint } from '#store/audit/audit-log.ts'
import { writeRecords } from '#store/records/records.ts'
import { noteSigner } from '../harness/evidence/fixed-log.ts'
import { coverAudit, logSigner } from '../harness/fixtures/cover-audit.ts'
import { createTestDatabase, type TestDatabase } from '../harness/postgres.ts'

const moduleDir = fileURLToPath(new URL('../../tools/read-log', import.meta.url))
const vkey = formatVerifierKey(logSigner.key)

let folder: string
let program: string
let database: TestDatabase
beforeAll(async () => {
  if ((await findGo()) === null) {
    throw new Error(
      'This test reads our log with Go’s packages: install Go 1.26 or newer (https://go.dev/dl) and put it on the PATH',
    )
  }
  folder = await mkdtemp(join(tmpdir(), 'countersign-go-'))
  program = join(folder, 'read-log')
  await run('go', ['build', '-mod=readonly', '-buildvcs=false', '-o', program, '.'], '', moduleDir)
  database = await createTestDatabase()
})
afterAll(async () => {
  await database?.[Symbol.asyncDispose]()
  if (folder !== undefined) await rm(folder, { recursive: true })
})

function run(command: string, args: readonly string[], input: string, cwd?: string) {
  return new Promise<{ out: string; refusal: string }>((resolve, reject) => {
    const child = execFile(command, [...args], { cwd }, (error, out, refusal) => {
      // Its own refusals are answers; what kept it from running is not.
      if (error !== null && (input === '' || error.code !== 1)) {
        reject(new Error(`${command}: ${error.message}${refusal}`))
      } else resolve({ out: out.trim(), refusal: refusal.trim() })
    })
    child.stdin?.end(input)
  })
}

const read = (question: object) => run(program, [], JSON.stringify({ vkey, ...question }))
const texts = (hashes: readonly Buffer[]) => hashes.map((hash) => hash.toString('base64'))

async function grow(count: number): Promise<StoredCheckpoint> {
  const event = { type: 'system.started', actor: { type: 'system' }, channel: 'system' } as const
  const audit = Array.from({ length: count }, (_, index) => ({
    ...event,
    detail: { place: index },
  }))
  await database.db.transaction().execute((tx) => writeRecords(tx, { audit }, null))
  await coverAudit(database.db)
  const newest = await readNewestCheckpoint(database.db)
  if (newest === null) throw new Error('Nothing was covered')
  return newest
}

async function everyFiftieth(checkpoint: StoredCheckpoint) {
  const rows = await database.db.selectFrom('audit_event').select(['id', 'document']).execute()
  const some = rows.filter((_, index) => index % 50 === 0)
  const proven = await proveEvents(
    database.db,
    checkpoint,
    some.map((row) => row.id),
  )
  return some.map(({ id, document }) => {
    const leaf = proven.get(id)
    if (leaf === undefined) throw new Error('An event is not covered')
    return { index: leaf.index, event: document, proof: texts(leaf.proof) }
  })
}

test('Go’s own packages verify our checkpoint, events in it, and that it goes on from an older one', async () => {
  const since = await grow(300)
  const newest = await grow(333)
  const events = await everyFiftieth(newest)
  const consistency = texts(await proveConsistency(database.db, since.size, newest))
  const question = { checkpoint: newest.note, events, since: since.note, consistency }
  expect(await read(question)).toEqual({ out: '13 events of 633', refusal: '' })

  const changed = events.map((one) => ({ ...one, event: one.event.replace('system', 'person') }))
  expect((await read({ ...question, events: changed })).refusal).toContain('event ')
  expect((await read({ ...question, checkpoint: since.note })).refusal).not.toBe('')
  const spelled = events.map((one) => ({ ...one, proof: one.proof.map((hash) => `${hash}\n`) }))
  expect((await read({ ...question, events: spelled })).refusal).toContain('is no hash')
  const forged = newest.note.replace('\n633\n', '\n634\n')
  expect((await read({ ...question, checkpoint: forged })).refusal).toContain('invalid signature')
  const turned = consistency.toReversed()
  expect((await read({ ...question, consistency: turned })).refusal).toContain('consistency')
})

test('Go’s packages read our checkpoint with a witness’s signature beside the log’s, and transparency-dev’s verify that one', async () => {
  const newest = await grow(3)
  const witness = noteSigner('witness.example', 'cosignature')
  const { text } = parseNote(newest.note)
  const line = formatSignature(cosign(text, witness, Math.floor(Date.now() / 1000)))
  const checkpoint = newest.note + line
  const question = { checkpoint, events: [], witness: formatVerifierKey(witness.key) }
  expect(await read(question)).toEqual({ out: `0 events of ${newest.size}`, refusal: '' })
  const other = formatVerifierKey(noteSigner('witness.example', 'cosignature').key)
  expect((await read({ ...question, witness: other })).refusal).toContain('witness: ')
  const late = formatSignature(cosign(`${text}\n`, witness, 1))
  const forged = { ...question, checkpoint: newest.note + late }
  expect((await read(forged)).refusal).toContain('witness: ')
})
