import { canonicalJson } from '../../../domain/digest.ts'
import type { KeptStatement } from '../../../evidence/verify/statements/statements.ts'
import type { Db } from '../../../store/database.ts'
import { statementOf } from '../../runs/starting/verify-run.ts'

/** Everything that was signed of runs, permits, grants, activations, proposals and pins, as it is stored, a page at a time. */
export async function* readAllStatements(
  db: Db,
  pageSize: number,
): AsyncGenerator<KeptStatement[], void, undefined> {
  const kinds = [readRuns, readPermits, readGrants, readActivations, readProposals, readPins]
  for (const read of kinds) {
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
  readonly statements: KeptStatement[]
  /** `null`: there are no more */
  readonly last: string | null
}

async function readRuns(db: Db, after: string | null, most: number): Promise<Page> {
  const rows = await db
    .selectFrom('run')
    .selectAll()
    .where((where) => (after === null ? where.lit(true) : where('id', '>', after)))
    .orderBy('id')
    .limit(most)
    .execute()
  // One that waits to be let in is not signed yet.
  const signed = rows.filter((row) => row.signature !== '')
  return pageOf(rows, most, signed.map(statementOfRun))
}

/** The signed statement of a run's row. */
export function statementOfRun(
  row: Parameters<typeof statementOf>[0] & { readonly signature: string; readonly key_id: string },
): KeptStatement {
  const statement = canonicalJson(statementOf(row))
  return { kind: 'run', statement, signature: row.signature, keyId: row.key_id }
}

async function readPermits(db: Db, after: string | null, most: number): Promise<Page> {
  const rows = await db
    .selectFrom('permit')
    .select(['id', 'statement', 'signature', 'key_id'])
    .where((where) => (after === null ? where.lit(true) : where('id', '>', after)))
    .orderBy('id')
    .limit(most)
    .execute()
  return pageOf(rows, most, rows.map(statementOfRow('permit')))
}

async function readGrants(db: Db, after: string | null, most: number): Promise<Page> {
  const rows = await db
    .selectFrom('approval_grant')
    .select(['id', 'statement', 'signature', 'key_id'])
    .where((where) => (after === null ? where.lit(true) : where('id', '>', after)))
    .orderBy('id')
    .limit(most)
    .execute()
  return pageOf(rows, most, rows.map(statementOfRow('grant')))
}

async function readActivations(db: Db, after: string | null, most: number): Promise<Page> {
  const rows = await db
    .selectFrom('policy_activation')
    .select(['sequence', 'statement', 'signature', 'key_id'])
    .where('sequence', '>', Number(after ?? -1))
    .orderBy('sequence')
    .limit(most)
    .execute()
  const named = rows.map((row) => ({ ...row, id: String(row.sequence) }))
  return pageOf(named, most, named.map(statementOfRow('activation')))
}

async function readProposals(db: Db, after: string | null, most: number): Promise<Page> {
  const rows = await db
    .selectFrom('policy_proposal')
    .select(['id', 'statement', 'signature', 'key_id'])
    .where((where) => (after === null ? where.lit(true) : where('id', '>', after)))
    .orderBy('id')
    .limit(most)
    .execute()
  return pageOf(rows, most, rows.map(statementOfRow('proposal')))
}

/** All of one activation after the other: a page may have more than `most`. */
async function readPins(db: Db, after: string | null, most: number): Promise<Page> {
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
        .limit(most),
    )
    .orderBy('activation')
    .execute()
  const last = rows.at(-1)?.activation
  return {
    statements: rows.map(statementOfRow('pin')),
    last: last === undefined ? null : String(last),
  }
}

/** The signed statement of a row that keeps one. */
export function statementOfRow(kind: 'permit' | 'grant' | 'activation' | 'proposal' | 'pin') {
  return (row: {
    readonly statement: string
    readonly signature: string
    readonly key_id: string
  }): KeptStatement => {
    const { statement, signature, key_id: keyId } = row
    return { kind, statement, signature, keyId }
  }
}

function pageOf(
  rows: readonly { readonly id: string }[],
  most: number,
  statements: KeptStatement[],
): Page {
  return { statements, last: rows.length < most ? null : (rows.at(-1)?.id ?? null) }
}
