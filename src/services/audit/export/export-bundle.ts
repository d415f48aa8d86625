import type { JsonObject } from '#domain/json/json.ts'
import { isJsonObject } from '#domain/json/is-object.ts'
import { Problem } from '#domain/problem.ts'
import {
  bundleFormat,
  type BundledEvent,
  type EvidenceBundle,
  type RevealedText,
  type WitnessedCheckpoint,
} from '#evidence/bundle/evidence-bundle.ts'
import type { StoredStatement } from '#evidence/bundle/statements.ts'
import type { StoredCheckpoint } from '#store/audit/audit-log.ts'
import { parseEvent } from '#store/audit/event-document.ts'
import { getText } from '#store/content/content.ts'
import type { Db } from '#store/database.ts'
import { readHandovers } from '#store/installation-keys.ts'
import type { Caller, ServiceContext } from '../../core/context.ts'
import { exporterOf, recordExport, requestIdOf } from '../audit-filter.ts'
import { proveConsistency, proveEvents } from '../log/prove-events.ts'
import { readCheckpoint, readWitnessedCheckpoints } from '../log/read-checkpoint.ts'
import { readEventsAbout, type EventsAbout } from './events-about.ts'
import { statementOfRow, statementOfRun } from './read-statements.ts'
import { untilCovered } from './until-covered.ts'

/**
 * One document with everything that verifies one request without this service (audit.md,
 * Verifying). `since`: the size of an earlier checkpoint, for which the bundle proves consistency.
 * The export is an event. Rejects with `forbidden` for callers who may not read the whole trail,
 * and with `not_found`.
 */
export async function exportBundle(
  ctx: ServiceContext,
  caller: Caller,
  input: {
    /** id or number */
    readonly request: string
    readonly since?: number
    readonly keysNote: string
    readonly keyReadsAudit: boolean
  },
): Promise<EvidenceBundle> {
  const exporting = { keyReadsAudit: input.keyReadsAudit, subject: 'evidence' }
  const { reader, authority } = await exporterOf(ctx, caller, exporting)
  const requestId = await requestIdOf(ctx, reader, input.request)
  await recordExport(ctx, authority, { format: 'bundle', filter: { requestId } })
  await untilCovered(ctx.db)
  const checkpoint = await readCheckpoint(ctx)
  const subject = await readEventsAbout(ctx.db, requestId)
  const events = await provenEvents(ctx.db, checkpoint, subject)
  return {
    format: bundleFormat,
    requestId,
    requestIds: subject.requestIds,
    checkpoint: checkpoint.note,
    keys: input.keysNote,
    ...(await handoversOf(ctx.db)),
    events,
    statements: await statementsAbout(ctx.db, subject, events),
    revealed: await revealedBy(ctx.db, events),
    ...(await consistencyFrom(ctx.db, input.since, checkpoint)),
    ...(await witnessedBefore(ctx.db, checkpoint)),
  }
}

/** The newest checkpoint that each witness cosigned, unless it is the bundle's own. */
async function witnessedBefore(
  db: Db,
  checkpoint: StoredCheckpoint,
): Promise<Pick<EvidenceBundle, 'witnessed'>> {
  const witnessed: WitnessedCheckpoint[] = []
  for (const { size, note } of await readWitnessedCheckpoints(db, checkpoint.size - 1)) {
    const proof = await proveConsistency(db, size, checkpoint)
    const hashes = proof.map((hash) => hash.toString('base64'))
    witnessed.push({ from: size, checkpoint: note, proof: hashes })
  }
  return witnessed.length === 0 ? {} : { witnessed }
}

/**
 * The events with their proofs, in the log's order. Rejects with `unavailable` while the log does
 * not cover them all.
 */
async function provenEvents(
  db: Db,
  checkpoint: StoredCheckpoint,
  { events }: EventsAbout,
): Promise<BundledEvent[]> {
  const proven = await proveEvents(
    db,
    checkpoint,
    events.map(({ id }) => id),
  )
  const missing = events.length - proven.size
  if (missing > 0) {
    const sentence = `The log does not cover ${missing} of the request's events yet: try again`
    throw new Problem('unavailable', sentence)
  }
  return events
    .flatMap(({ id, document }) => {
      const leaf = proven.get(id)
      if (leaf === undefined) return []
      const proof = leaf.proof.map((hash) => hash.toString('base64'))
      return [{ index: leaf.index, event: document, proof }]
    })
    .toSorted((a, b) => a.index - b.index)
}

async function statementsAbout(
  db: Db,
  { requestIds, runIds }: EventsAbout,
  events: readonly BundledEvent[],
): Promise<StoredStatement[]> {
  const idsIn = (type: string, key: string): string[] =>
    detailsOf(events, type).flatMap((detail) => {
      const id = detail[key]
      return typeof id === 'string' || typeof id === 'number' ? [String(id)] : []
    })
  const grantIds = idsIn('grant.given', 'grantId')
  const sequences = idsIn('policy.activated', 'sequence').map(Number)
  const proposalIds = idsIn('policy.proposed', 'proposalId')
  const pinnedBy = idsIn('policy.pinned', 'activation').map(Number)
  const workers = new Set(idsIn('policy.pinned', 'worker'))
  const [runs, permits, grants, activations, proposals, pins] = await Promise.all([
    runIds.length === 0
      ? []
      : db.selectFrom('run').selectAll().where('id', 'in', runIds).orderBy('id').execute(),
    db
      .selectFrom('permit')
      .selectAll()
      .where('request_id', 'in', requestIds)
      .orderBy('id')
      .execute(),
    grantIds.length === 0
      ? []
      : db.selectFrom('approval_grant').selectAll().where('id', 'in', grantIds).execute(),
    sequences.length === 0
      ? []
      : db.selectFrom('policy_activation').selectAll().where('sequence', 'in', sequences).execute(),
    proposalIds.length === 0
      ? []
      : db.selectFrom('policy_proposal').selectAll().where('id', 'in', proposalIds).execute(),
    pinnedBy.length === 0
      ? []
      : db
          .selectFrom('mcp_pin')
          .selectAll()
          .where('activation', 'in', pinnedBy)
          .where('worker', 'in', [...workers])
          .execute(),
  ])
  return [
    ...runs.filter((run) => run.signature !== '').map(statementOfRun),
    ...permits.map(statementOfRow('permit')),
    ...grants.map(statementOfRow('grant')),
    ...activations.map(statementOfRow('activation')),
    ...proposals.map(statementOfRow('proposal')),
    ...pins.map(statementOfRow('pin')),
  ]
}

/** The texts that the events commit to; erased ones are left out. */
async function revealedBy(db: Db, events: readonly BundledEvent[]): Promise<RevealedText[]> {
  const hashes = new Set(
    [...detailsOf(events, 'decision.recorded'), ...detailsOf(events, 'request.revised')].flatMap(
      ({ reason }) => (typeof reason === 'string' ? [reason] : []),
    ),
  )
  const revealed: RevealedText[] = []
  for (const hash of hashes) {
    const storedContent = await db
      .selectFrom('content')
      .select('hash')
      .where('hash', '=', hash)
      .where('encoding', '<>', 'removed')
      .executeTakeFirst()
    if (storedContent !== undefined) revealed.push({ hash, document: await getText(db, hash) })
  }
  return revealed
}

function detailsOf(events: readonly BundledEvent[], type: string): JsonObject[] {
  return events.flatMap(({ event }) => {
    const auditEvent = parseEvent(event)
    const detail = auditEvent?.['detail']
    return auditEvent?.['type'] === type && isJsonObject(detail) ? [detail] : []
  })
}

async function handoversOf(db: Db): Promise<Pick<EvidenceBundle, 'handovers'>> {
  const handovers = await readHandovers(db)
  return handovers.length === 0 ? {} : { handovers }
}

async function consistencyFrom(
  db: Db,
  since: number | undefined,
  checkpoint: StoredCheckpoint,
): Promise<Pick<EvidenceBundle, 'consistency'>> {
  if (since === undefined || since > checkpoint.size) return {}
  const proof = await proveConsistency(db, since, checkpoint)
  return { consistency: { from: since, proof: proof.map((hash) => hash.toString('base64')) } }
}
