import { sql } from 'kysely'
import { expect, test } from 'vitest'
import { disposeAfterTests } from '#test/harness/dispose-after-tests.ts'
import { inclusionProof } from '#evidence/merkle/inclusion-proof.ts'
import { leafHash } from '#evidence/merkle/tree-hash.ts'
import { treeOfLeaves, treeRoot } from '#evidence/merkle/tree-of-leaves.ts'
import { openCheckpoint } from '#evidence/note/checkpoint.ts'
import { proveEvents } from '#services/audit/log/prove-events.ts'
import { readTileHashes } from '#services/audit/log/stored-tree.ts'
import { readNewestCheckpoint, readWholeTile } from '#store/audit/audit-log.ts'
import { coverAudit, logSigner } from '../harness/fixtures/cover-audit.ts'
import { createTestDatabase } from '../harness/postgres.ts'

/** A whole tile of the second level has 256 tiles of 256 leaves below it. */
const wholeTile = 65_536
const size = wholeTile + 1234

const database = disposeAfterTests(await createTestDatabase())

const idOf = (place: number) => `01a202ce-0000-7000-8000-${String(place).padStart(12, '0')}`

test('a log of three levels of tiles is the tree of its events, and proves them', async () => {
  const { db } = database
  await sql`
    insert into audit_event (id, at, type, actor_type, document)
    select ('01a202ce-0000-7000-8000-' || lpad(place::text, 12, '0'))::uuid, now(), 'system.started', 'system',
      '{"place":' || place || '}'
    from generate_series(0, ${size}::int - 1) as place order by place
  `.execute(db)
  const startedAt = performance.now()
  await coverAudit(db)
  const seconds = (performance.now() - startedAt) / 1000
  console.log(`${Math.round(size / seconds)} events a second become leaves`)

  const leaves = Array.from({ length: size }, (_, index) => leafHash(`{"place":${index}}`))
  const newest = await readNewestCheckpoint(db)
  if (newest === null) throw new Error('Nothing was covered')
  const { root } = openCheckpoint(newest.note, logSigner.key)
  expect(newest.size).toBe(size)
  expect(root).toEqual(treeRoot(leaves))

  const tree = treeOfLeaves(leaves)
  const second = await readTileHashes(db, { level: 1, index: 0, width: 256 })
  expect(second[255]).toEqual(tree({ level: 8, index: 255 }))
  expect(await readWholeTile(db, 1, 0)).toEqual(Buffer.concat(second))
  expect(await readTileHashes(db, { level: 2, index: 0, width: 1 })).toEqual([
    tree({ level: 16, index: 0 }),
  ])
  const some = [0, 255, 256, 65_535, 65_536, size - 1]
  const proven = await proveEvents(db, newest, some.map(idOf))
  for (const index of some) {
    expect(proven.get(idOf(index))).toEqual({ index, proof: inclusionProof(index, size, tree) })
  }
})
