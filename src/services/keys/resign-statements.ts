import { sql } from 'kysely'
import { isJsonObject } from '#domain/json/is-object.ts'
import type { Json, JsonObject } from '#domain/json/json.ts'
import { eventDocument, parseEvent } from '#store/audit/event-document.ts'
import type { Tx } from '#store/database.ts'
import {
  signStatement,
  signedStatementOf,
  verifyStatement,
  withRetired,
  type Signer,
  type Verifier,
} from '#domain/statements/statement-bytes.ts'
import type {
  DiscardStatement,
  SignedStatement,
  StatementKind,
} from '#domain/statements/statement.ts'
import { verifyPin } from '../policy/pins/verify-pin.ts'
import { verifyActivation } from '../policy/activations/verify-activation.ts'
import { statementOf } from '../core/verify-run.ts'
import { canonicalJson } from '#domain/json/digest.ts'

/** How many statements of each kind were signed again. */
export interface ResignedCounts {
  readonly runs: number
  readonly activations: number
  readonly pins: number
  readonly discards: number
}

/**
 * Signs statements of keys that are about to be retired again, with the present key, if they must
 * stay valid: live runs, versions of the policy, pins and discards of worktrees. Each is signed
 * only if its signature is valid and the trail has an event for it. Permits, grants and proposals
 * are left out.
 */
export async function resignStatements(
  tx: Tx,
  keys: {
    readonly signer: Signer
    readonly verifier: Verifier
    readonly retiring: readonly string[]
  },
): Promise<ResignedCounts> {
  const { signer, retiring } = keys
  const verifier = withRetired(keys.verifier)
  return {
    runs: await signRuns(tx, { signer, verifier, retiring }),
    activations: await signActivations(tx, { signer, verifier, retiring }),
    pins: await signPins(tx, { signer, verifier, retiring }),
    discards: await signDiscards(tx, { signer, verifier, retiring }),
  }
}

type Keys = Parameters<typeof resignStatements>[1]

async function signRuns(tx: Tx, { signer, verifier, retiring }: Keys): Promise<number> {
  const runs = await tx
    .selectFrom('run')
    .innerJoin('run_lineage as own', (join) =>
      join.onRef('own.run_id', '=', 'run.id').onRef('own.ancestor_id', '=', 'run.id'),
    )
    .selectAll('run')
    .where('run.key_id', 'in', retiring)
    .where('run.ended_at', 'is', null)
    .orderBy('own.depth')
    .orderBy('run.id')
    .execute()
  const resign = async (run: (typeof runs)[number]): Promise<SignedStatement | null> => {
    const events = await sql`
      select from audit_event where run_id = ${run.id} and type = 'run.started'
        and ${eventDocument} -> 'detail' @> ${canonicalJson({
          worker: run.worker,
          workerDigest: run.worker_digest,
          inputDigest: run.input_digest,
          mode: run.mode,
          startedBy: run.started_by,
        })}::jsonb
    `.execute(tx)
    if (events.rows.length === 0) return null
    const statement = canonicalJson(statementOf(run))
    return resignRow({ signer, verifier }, 'run', signedStatementOf({ ...run, statement }))
  }
  return signEach(runs, resign, (run, signedStatement) =>
    tx.updateTable('run').set(signedStatement).where('id', '=', run.id).execute(),
  )
}

async function signActivations(tx: Tx, { signer, verifier, retiring }: Keys): Promise<number> {
  const rows = await tx
    .selectFrom('policy_activation')
    .select(['sequence', 'digest', 'statement', 'signature', 'key_id'])
    .where('key_id', 'in', retiring)
    .execute()
  const events = await eventsOf(tx, 'policy.activated')
  const resign = (row: (typeof rows)[number]): SignedStatement | null => {
    const event = events.find(({ detail }) => detail['sequence'] === row.sequence)
    if (event?.policyDigest !== row.digest || verifyActivation(verifier, row) === null) return null
    return resignRow({ signer, verifier }, 'activation', signedStatementOf(row))
  }
  return signEach(rows, resign, ({ sequence }, signedStatement) =>
    tx
      .updateTable('policy_activation')
      .set(signedStatement)
      .where('sequence', '=', sequence)
      .execute(),
  )
}

async function signPins(tx: Tx, { signer, verifier, retiring }: Keys): Promise<number> {
  const rows = await tx.selectFrom('mcp_pin').selectAll().where('key_id', 'in', retiring).execute()
  const events = rows.length === 0 ? [] : await eventsOf(tx, 'policy.pinned')
  const resign = (row: (typeof rows)[number]): SignedStatement | null => {
    const isRecorded = events.some(
      ({ detail }) =>
        detail['activation'] === row.activation &&
        detail['worker'] === row.worker &&
        detail['server'] === row.server &&
        detail['definitionsHash'] === row.definitions_hash,
    )
    if (!isRecorded || verifyPin(verifier, row) === null) return null
    return resignRow({ signer, verifier }, 'pin', signedStatementOf(row))
  }
  return signEach(rows, resign, ({ activation, worker, server }, signedStatement) =>
    tx
      .updateTable('mcp_pin')
      .set(signedStatement)
      .where('activation', '=', activation)
      .where('worker', '=', worker)
      .where('server', '=', server)
      .execute(),
  )
}

/** A host that was offline carries them out when it is back. */
async function signDiscards(tx: Tx, { signer, verifier, retiring }: Keys): Promise<number> {
  const { rows } = await sql<{ readonly id: string; readonly discard: SignedStatement }>`
    select id, worktree -> 'discard' as discard from run
    where worktree -> 'discard' ->> 'keyId' = any(${[...retiring]}::text[])
      and exists (select from audit_event where run_id = run.id and type = 'run.discarded')
    order by id
  `.execute(tx)
  const resign = ({ id, discard }: (typeof rows)[number]): SignedStatement | null =>
    verifyStatement<DiscardStatement>(verifier, 'discard', discard)?.rootRunId === id
      ? resignRow({ signer, verifier }, 'discard', discard)
      : null
  return signEach(rows, resign, ({ id, discard: { statement } }, { signature, key_id: keyId }) =>
    sql`update run set worktree = jsonb_set(worktree, '{discard}',
      ${JSON.stringify({ statement, signature, keyId })}::jsonb) where id = ${id}`.execute(tx),
  )
}

/**
 * Stores the new signature of each row, one after the other, and returns how many; `null` leaves a
 * row unchanged.
 */
async function signEach<Row>(
  rows: readonly Row[],
  resign: (row: Row) => SignedStatement | null | Promise<SignedStatement | null>,
  store: (row: Row, signedStatement: { signature: string; key_id: string }) => Promise<unknown>,
): Promise<number> {
  let count = 0
  for (const row of rows) {
    const newSignature = await resign(row)
    if (newSignature === null) continue
    await store(row, { signature: newSignature.signature, key_id: newSignature.keyId })
    count += 1
  }
  return count
}

interface RecordedEvent {
  readonly policyDigest: Json | undefined
  readonly detail: JsonObject
}

async function eventsOf(
  tx: Tx,
  type: 'policy.activated' | 'policy.pinned',
): Promise<RecordedEvent[]> {
  const rows = await tx
    .selectFrom('audit_event')
    .select('document')
    .where('type', '=', type)
    .execute()
  return rows.flatMap(({ document }) => {
    const { policyDigest, detail } = parseEvent(document) ?? {}
    return isJsonObject(detail) ? [{ policyDigest, detail }] : []
  })
}

/** The same statement under the present key; `null` when the old signature does not hold. */
function resignRow(
  { signer, verifier }: { readonly signer: Signer; readonly verifier: Verifier },
  kind: StatementKind,
  signedStatement: SignedStatement,
): SignedStatement | null {
  const statement = verifyStatement<object>(verifier, kind, signedStatement)
  return statement === null ? null : signStatement(signer, kind, statement)
}
