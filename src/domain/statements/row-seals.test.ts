import { createHmac, generateKeyPairSync } from 'node:crypto'
import { expect, test } from 'vitest'
import { canonicalJson } from '../json/digest.ts'
import { createSeals, sealKeyOf } from './row-seals.ts'
import { sealedTables, omittableColumns, type SealedTable } from './sealed-tables.ts'
import { signStatement } from './statement-bytes.ts'

const { privateKey, publicKey } = generateKeyPairSync('ed25519')
const signer = { keyId: 'test', privateKey }
const sealKey = sealKeyOf(Buffer.alloc(32, 1))
const seals = createSeals({
  sharedKeys: () => [sealKey],
  verifier: { publicKeys: new Map([[signer.keyId, publicKey]]) },
  signer,
  revocations: { has: () => false, add: async () => undefined },
})

const tables = Object.keys(sealedTables) as SealedTable[]
const rowOf = (table: SealedTable): Record<string, unknown> =>
  Object.fromEntries(sealedTables[table].columns.map((name) => [name, `the ${name}`]))

/** A seal as a version made it that did not know of some columns. */
function earlierSeal(table: SealedTable, unknown: readonly string[]): string {
  const known = Object.entries(rowOf(table)).filter(([name]) => !unknown.includes(name))
  const statement = { table, row: Object.fromEntries(known) }
  if (sealedTables[table].by === 'api') {
    return `${signer.keyId}.${signStatement(signer, 'row', statement).signature}`
  }
  const bytes = `countersign/row/v1\0${canonicalJson(statement)}`
  return `${sealKey.id}.${createHmac('sha256', sealKey.key).update(bytes).digest('base64url')}`
}

// Rules: security.md 29
test.each(tables)(
  'the seal of a row of %s does not hold once any of its columns was changed',
  (table) => {
    const row = rowOf(table)
    const seal = seals.of(table, row)
    expect(seals.holds(table, { ...row, seal })).toBe(true)
    for (const name of sealedTables[table].columns) {
      for (const other of ['another', null]) {
        expect(seals.holds(table, { ...row, [name]: other, seal }), name).toBe(false)
      }
    }
  },
)

test.each(tables)('the seal of a row of another table does not hold for one of %s', (table) => {
  const row = rowOf(table)
  for (const other of tables.filter((name) => name !== table)) {
    expect(seals.holds(table, { ...row, seal: seals.of(other, { ...rowOf(other), ...row }) })).toBe(
      false,
    )
  }
})

test('seals of each earlier version hold, and protect all columns that they cover', () => {
  for (const table of tables) {
    for (const unknown of omittableColumns(table)) {
      const row = { ...rowOf(table), seal: earlierSeal(table, unknown) }
      expect(seals.holds(table, row), `${table} without ${unknown.join()}`).toBe(true)
      for (const name of sealedTables[table].columns) {
        const changed = { ...row, [name]: 'another' }
        expect(seals.holds(table, changed), `${table}.${name}`).toBe(unknown.includes(name))
      }
    }
  }
})
