import { sql } from 'kysely'
import { canonicalJson } from '#domain/json/digest.ts'
import type { StoredStatement } from '#evidence/bundle/statements.ts'
import type { Db } from '#store/database.ts'
import { statementOf } from '../../core/verify-run.ts'

/**
 * Everything that was signed of runs, permits, grants, activations, proposals and pins, as stored,
 * a page at a time.
 */
export async function* readAllStatements(
  db: Db,
  pageSize: number,
): AsyncGenerator<StoredStatement[], void, undefined> {
  const readers = [
    readRuns,
    readerOf('permit', 'permit'),
    readerOf('approval_grant', 'grant'),
    readActivations,
    readerOf('policy_proposal', 'proposal'),
    readPins,
  ]
  for (const read of readers) {
    let after: string | null = null
    for (;;) {
      const page: Page = await read(db, after, pageSize)
      if (page.statements.length > 0) yield page.statements
      if (page.last === null) break
      after = page.last
    }
  }
}

interface Page {
  readonly statements: StoredStatement[]
  /** `null`: this page is the last */
  readonly last: string | null
}

async function readRuns(db: Db, after: string | null, maxRows: number): Promise<Page> {
  const rows = await db
    .selectFrom('run')
    .selectAll()
    .where((where) => (after === null ? where.lit(true) : where('id', '>', after)))
    .orderBy('id')
    .limit(maxRows)
    .execute()
  // A run that waits for the approval of its start is not signed yet.
  const signedRows = rows.filter((row) => row.signature !== '')
  return pageOf(rows, maxRows, signedRows.map(statementOfRun))
}

export function statementOfRun(
  row: Parameters<typeof statementOf>[0] & { readonly signature: string; readonly key_id: string },
): StoredStatement {
  const statement = canonicalJson(statementOf(row))
  return { kind: 'run', statement, signature: row.signature, keyId: row.key_id }
}

/** Reads the statements of a table whose rows are found by their id. */
function readerOf(table: 'permit' | 'approval_grant' | 'policy_proposal', kind: RowKind) {
  return async (db: Db, after: string | null, maxRows: number): Promise<Page> => {
    const { rows } = await sql<SignedRow & { readonly id: string }>`
      select id, statement, signature, key_id from ${sql.table(table)}
      where ${after === null ? sql`true` : sql`id > ${after}`} order by id limit ${maxRows}
    `.execute(db)
    return pageOf(rows, maxRows, rows.map(statementOfRow(kind)))
  }
}

async function readActivations(db: Db, after: string | null, maxRows: number): Promise<Page> {
  const rows = await db
    .selectFrom('policy_activation')
    .select(['sequence', 'statement', 'signature', 'key_id'])
    .where('sequence', '>', Number(after ?? -1))
    .orderBy('sequence')
    .limit(maxRows)
    .execute()
  const named = rows.map((row) => ({ ...row, id: String(row.sequence) }))
  return pageOf(named, maxRows, named.map(statementOfRow('activation')))
}

/** A page ends with the end of an activation, so it may have more than `maxRows`. */
async function readPins(db: Db, after: string | null, maxRows: number): Promise<Page> {
  const rows = await db
    .selectFrom('mcp_pin')
    .select(['activation', 'statement', 'signature', 'key_id'])
    .where(
      'activation',
      'in',
      db
        .selectFrom('mcp_pin')
        .select('activation')
        .distinct()
        .where('activation', '>', Number(after ?? -1))
        .orderBy('activation')
        .limit(maxRows),
    )
    .orderBy('activation')
    .execute()
  const last = rows.at(-1)?.activation
  return {
    statements: rows.map(statementOfRow('pin')),
    last: last === undefined ? null : String(last),
  }
}

type RowKind = 'permit' | 'grant' | 'activation' | 'proposal' | 'pin'

interface SignedRow {
  readonly statement: string
  readonly signature: string
  readonly key_id: string
}

export function statementOfRow(kind: RowKind) {
  return (row: SignedRow): StoredStatement => {
    const { statement, signature, key_id: keyId } = row
    return { kind, statement, signature, keyId }
  }
}

function pageOf(
  rows: readonly { readonly id: string }[],
  maxRows: number,
  statements: StoredStatement[],
): Page {
  return { statements, last: rows.length < maxRows ? null : (rows.at(-1)?.id ?? null) }
}
