import { describe, expect, it } from 'vitest'
import { disposeAfterTests } from '#test/harness/dispose-after-tests.ts'
import { coverAudit, logSigner } from '#test/harness/fixtures/cover-audit.ts'
import { addRequest, addRun, type TestRequest } from '#test/harness/fixtures/gated-run.ts'
import { addPerson } from '#test/harness/fixtures/people.ts'
import { refusal } from '#test/harness/fixtures/refusal.ts'
import { createTestService } from '#test/harness/fixtures/test-service.ts'
import { createTestDatabase } from '#test/harness/postgres.ts'
import { rowsOf } from '#test/harness/fixtures/rows.ts'
import { verifyConsistency } from '#evidence/merkle/consistency-proof.ts'
import { verifyInclusion } from '#evidence/merkle/inclusion-proof.ts'
import { leafHash } from '#evidence/merkle/tree-hash.ts'
import { treeRoot } from '#evidence/merkle/tree-of-leaves.ts'
import { openCheckpoint, type Checkpoint } from '#evidence/note/checkpoint.ts'
import { decodeEntries } from '#evidence/tiles/entry-bundle.ts'
import { splitTile } from '#evidence/tiles/tile-hashes.ts'
import { entriesPath, tilePath, tilesOfLevel } from '#evidence/tiles/tile-path.ts'
import { writeRecords } from '#store/records/records.ts'
import { proveConsistency } from './prove-events.ts'
import { readCheckpoint } from './read-checkpoint.ts'
import { readReceipt } from './read-receipt.ts'
import { readTile } from './read-tile.ts'

let request: TestRequest

const database = disposeAfterTests(await createTestDatabase())
const service = await createTestService(database.db)
const ada = await addPerson(database.db, 'Ada', [])
const grace = await addPerson(database.db, 'Grace', ['platform'])
const edsger = await addPerson(database.db, 'Edsger', [])
const auditor = await addPerson(database.db, 'Aud', ['auditors'], 'aud@example.com')
const run = await addRun(service, { startedBy: ada })

async function writeEvents(count: number): Promise<void> {
  const detail = {}
  const event = {
    type: 'system.started',
    actor: { type: 'system' },
    channel: 'system',
    detail,
  } as const
  const audit = Array.from({ length: count }, () => event)
  await database.db.transaction().execute((tx) => writeRecords(tx, { audit }, null))
}

const opened = async (): Promise<Checkpoint> =>
  openCheckpoint((await readCheckpoint(service.ctx)).note, logSigner.key)
const tile = (path: string, person = auditor) =>
  readTile(service.ctx, person.caller, { path, keyReadsAudit: false })

describe('before the first checkpoint', () => {
  it('there is no checkpoint to read, and no receipt', async () => {
    expect((await refusal(readCheckpoint(service.ctx))).code).toBe('not_found')
    request = await addRequest(service, run)
    const receipt = readReceipt(service.ctx, grace.caller, { request: request.id })
    expect((await refusal(receipt)).code).toBe('not_found')
  })
})

describe('a receipt', () => {
  it('proves every event of the request to whoever may see it, in a log that has grown since', async () => {
    await writeEvents(300)
    await coverAudit(database.db)
    await writeEvents(300)
    await coverAudit(database.db)
    const receipt = await readReceipt(service.ctx, grace.caller, { request: request.id })
    const { size, root } = openCheckpoint(receipt.note, logSigner.key)
    expect(size).toBe(601)
    expect(receipt).toMatchObject({ requestId: request.id, waiting: 0 })
    expect(receipt.events).toHaveLength(1)
    for (const { document, index, proof } of receipt.events) {
      expect(JSON.parse(document)).toMatchObject({ requestId: request.id })
      expect(verifyInclusion({ index, size, leaf: leafHash(document), root, proof })).toBe(true)
    }
  })

  it('says how many events its checkpoint does not cover yet', async () => {
    const later = await addRequest(service, run, { position: 2 })
    const receipt = await readReceipt(service.ctx, grace.caller, { request: later.id })
    expect(receipt).toMatchObject({ events: [], waiting: 1 })
    await coverAudit(database.db)
    const covered = await readReceipt(service.ctx, grace.caller, { request: later.id })
    expect(covered).toMatchObject({ waiting: 0 })
  })

  // Rules: security.md 22
  it('is refused to people who may not see the request', async () => {
    const unseen = readReceipt(service.ctx, edsger.caller, { request: request.id })
    expect((await refusal(unseen)).code).toBe('not_found')
  })
})

describe('the tiles', () => {
  it('rebuild the tree that the checkpoint signed, from hashes and from entries', async () => {
    const { size, root } = await opened()
    const tiles = tilesOfLevel(0, size)
    const read = await Promise.all(tiles.map((one) => tile(tilePath(one))))
    expect(treeRoot(read.flatMap(splitTile))).toEqual(root)
    const entries: Buffer[] = []
    for (const one of tiles) entries.push(await tile(entriesPath(one)))
    expect(treeRoot(entries.flatMap(decodeEntries).map(leafHash))).toEqual(root)
    const above = splitTile(await tile('tile/1/000.p/2'))
    expect(above).toEqual(tiles.slice(0, 2).map((_, at) => treeRoot(splitTile(read[at] ?? root))))
    expect(await tile('tile/0/000.p/7')).toEqual(read[0]?.subarray(0, 7 * 32))
  })

  it('are not found beyond the signed size, nor under another path', async () => {
    for (const path of [
      'tile/0/003',
      'tile/1/000',
      'tile/2/000.p/1',
      'tile/entries/003',
      'tile/x',
    ]) {
      expect((await refusal(tile(path))).code, path).toBe('not_found')
    }
  })

  // Rules: security.md 22
  it('are for those who may read the whole trail, and reading entries is recorded', async () => {
    for (const path of ['tile/0/000', 'tile/entries/000']) {
      expect((await refusal(tile(path, grace))).code).toBe('forbidden')
    }
    const recorded = await rowsOf(
      database.db,
      'audit_event',
      { type: 'audit.exported' },
      'document',
    )
    expect(recorded.map(({ document }) => JSON.parse(document) as unknown)).toMatchObject([
      { actor: { id: auditor.id }, detail: { format: 'entries' } },
    ])
  })
})

describe('the log', () => {
  it('proves that each checkpoint continues all earlier ones', async () => {
    const before = await opened()
    await writeEvents(200)
    await coverAudit(database.db)
    const after = await opened()
    const proof = await proveConsistency(database.db, before.size, after)
    const claim = { from: before.size, fromRoot: before.root, size: after.size, proof }
    expect(verifyConsistency({ ...claim, root: after.root })).toBe(true)
    expect(verifyConsistency({ ...claim, root: before.root })).toBe(false)
  })
})
