import { errorCode } from '#domain/error-code.ts'
import { AsyncLocalStorage } from 'node:async_hooks'
import { CompiledQuery } from 'kysely'
import type { AuditEntry } from '#domain/audit-event.ts'
import type { PlannedRevocation, Revocation, Seals } from '#domain/statements/row-seals.ts'
import type { Verifier } from '#domain/statements/statement-bytes.ts'
import type { JsonObject } from '#domain/json/json.ts'
import type { Tx } from '#store/database.ts'
import type { StreamEventType } from '#domain/channels/stream-event.ts'
import type { ChainEnd } from '#store/audit/audit.ts'
import type { DecidedRows } from '#store/records/decided-rows.ts'
import { hasRecords, type StreamEvent, writeRecords } from '#store/records/records.ts'
import type { AnnouncedDecision, OutboxRow, WrittenOutboxRow } from '#store/records/outbox.ts'
import { lastComment } from '#store/connection/last-statement.ts'
import { isPlanOutdated } from '#store/connection/preparing-pool.ts'
import { sideBySide, together } from '#store/connection/side-by-side.ts'
import type { ServiceContext, Caller } from './context.ts'
import type { Authority } from './authority.ts'
import { endOfBasis } from './rights-of.ts'
import { currentRequest } from './current-request.ts'

/**
 * One transaction with its trail, outbox and live stream. Its last statement writes these together,
 * in the order of the calls; an event that is added twice is written once.
 */
export interface UnitOfWork {
  readonly tx: Tx
  readonly seals: Seals
  readonly verifier: Verifier
  /** The same unit with an authority that was judged from rows that it has locked. */
  under(authority: Authority): UnitOfWork
  /**
   * After the commit, records outside the database that these rows have ended for good, at `from`;
   * `null`: now.
   */
  revoke(what: Revocation['what'], ids: readonly string[], from?: Date | null): void
  /** Records events with the authority's actor and channel, unless an entry names its own. */
  audit(...entries: readonly UnitEntry[]): Promise<void>
  enqueue(row: OutboxRow): Promise<void>
  /**
   * Signals a decision during the commit, so that Temporal's work and the commit overlap. A signal
   * only wakes the workflow: one that comes early waits for the run's lock, which the caller must
   * hold, and finds nothing after a rollback.
   */
  announce(decision: AnnouncedDecision): void
  event(type: StreamEventType, subject: JsonObject): Promise<void>
  /**
   * Writes decisions, approved requests and permits together with the trail, since nothing in the
   * unit reads them.
   */
  addDecided(rows: Partial<DecidedRows>): void
  /**
   * Sends a statement together with the last one and with the commit, after those that came here
   * before it: nothing else in the unit needs its result, and it fails by itself where anything is
   * wrong.
   */
  sendLast<Row>(statement: LastStatement<Row>): SentLast<Row>
  /** Passes on a locked request's newest event and the time of the read, to save a read. */
  setChainEnd(requestId: string, end: ChainEnd, at: Date): void
  /** The same without a request: gives only the time at which the rows were read. */
  setReadAt(at: Date): void
}

/** A statement that the unit sends at its end. */
interface LastStatement<Row> {
  compile(tx: Tx): CompiledQuery<Row>
}

/** The rows that such a statement returned. Reading them throws before the unit has ended. */
export interface SentLast<Row> {
  readonly rows: readonly Row[]
}

/** An event of a unit, by the actor of its authority unless it names another. */
export type UnitEntry = Omit<AuditEntry, keyof Caller> & Partial<Caller>

/** What `judge` may use before there is an authority. */
export type JudgingContext = Pick<UnitOfWork, 'tx' | 'seals' | 'verifier'>

/** How often a unit is tried when Postgres aborts it because of a conflict. */
const maxTries = 5

/**
 * Runs `work` in one transaction: all or nothing. It needs an authority: one that exists, or one
 * that `judge` makes from rows that it locks in the same transaction; `work` gets what `judge`
 * returns besides. The basis of the authority is judged here again: rejects with `forbidden` where
 * a right has ended, with `unauthenticated` where the person was disabled, the project no longer
 * admits them, or the key has ended.
 * After the commit, the outbox rows go to this process's relay, without making the caller wait.
 * After a deadlock or conflict the unit starts again, so neither function may keep anything outside
 * of its transaction.
 */
export async function inUnitOfWork<T>(
  ctx: ServiceContext,
  authority: Authority,
  work: (unit: UnitOfWork) => Promise<T>,
): Promise<T>
export async function inUnitOfWork<T, Judged extends { readonly authority: Authority }>(
  ctx: ServiceContext,
  judge: (at: JudgingContext) => Promise<Judged>,
  work: (unit: UnitOfWork, judgement: Judged) => Promise<T>,
): Promise<T>
export async function inUnitOfWork<T, Judged extends { readonly authority: Authority }>(
  ctx: ServiceContext,
  judge: Authority | ((at: JudgingContext) => Promise<Judged>),
  work: (unit: UnitOfWork, judgement: Judged) => Promise<T>,
): Promise<T> {
  const judgeAndWork = async (at: JudgingContext, unitBy: UnitBy): Promise<T> => {
    // With an authority, `work` takes the unit only; with `judge`, it also takes the judgement.
    const judgement =
      typeof judge === 'function' ? await judge(at) : ({ authority: judge } as Judged)
    const { basis } = judgement.authority
    const end = basis === null ? null : await endOfBasis(ctx, at, basis)
    if (end !== null) throw end
    return work(unitBy(judgement.authority), judgement)
  }
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await onceInUnitOfWork(ctx, judgeAndWork)
    } catch (error) {
      if (attempt >= maxTries || !isConflict(error)) throw error
      ctx.log.warn(
        { tried: attempt, err: error },
        'A transaction conflicted with another one and is retried',
      )
    }
  }
}

type UnitBy = (authority: Authority) => UnitOfWork

async function onceInUnitOfWork<T>(
  ctx: ServiceContext,
  work: (at: JudgingContext, unitBy: UnitBy) => Promise<T>,
): Promise<T> {
  const audit: AuditEntry[] = []
  const events = new Map<string, StreamEvent>()
  const outbox: OutboxRow[] = []
  const revoked: PlannedRevocation[] = []
  const decided: DecidedRows = { decisions: [], approved: [], permits: [] }
  const last: ((count: number) => Promise<void>)[] = []
  const ends = new Map<string, ChainEnd>()
  let readAt: Date | undefined
  let announced: Promise<boolean> | undefined
  let committed: readonly WrittenOutboxRow[] = []
  // Nothing in the unit waits for this announcement, which may take a connection of its own.
  const outside = AsyncLocalStorage.snapshot()
  const result = await ctx.db.transaction().execute(async (alone) => {
    const tx = await sideBySide(alone)
    const at = { tx, seals: ctx.seals, verifier: ctx.verifier }
    const unitBy: UnitBy = (authority) => ({
      ...at,
      under: unitBy,
      revoke: (what, ids, from = null) =>
        void revoked.push(...ids.map((id) => ({ what, id, from }))),
      audit: async (...entries) =>
        void audit.push(...entries.map((entry) => stampEntry(entry, authority))),
      enqueue: async (row) => void outbox.push(row),
      announce: (decision) => {
        announced = outside(() => ctx.outboxAnnounced?.(decision))
      },
      event: async (type, subject) =>
        void events.set(JSON.stringify([type, subject]), { type, subject }),
      addDecided: ({ decisions = [], approved = [], permits = [] }) => {
        decided.decisions.push(...decisions)
        decided.approved.push(...approved)
        decided.permits.push(...permits)
      },
      sendLast<Row>(statement: LastStatement<Row>) {
        const { send, sent } = lastStatement(tx, statement)
        last.push(send)
        return sent
      },
      setChainEnd: (requestId, end, at) => {
        ends.set(requestId, end)
        readAt = at
      },
      setReadAt: (at) => {
        readAt = at
      },
    })
    const result = await work(at, unitBy)
    const owner = ctx.outboxCommitted === null ? null : ctx.processId
    const records = { audit, events: [...events.values()], outbox }
    const isDecided = decided.decisions.length + decided.permits.length > 0
    const decisions = isDecided ? { decided } : {}
    const chains = readAt === undefined ? {} : { chains: { at: readAt, ends } }
    const lastStatements = last.length + (hasRecords(records) ? 1 : 0)
    const writing = writeRecords(tx, { ...records, ...decisions, ...chains, lastStatements }, owner)
    const [written] = await together([writing, ...last.map((send) => send(lastStatements))])
    committed = written
    return result
  })
  const current = currentRequest.getStore()
  if (current !== undefined) current.hasCommitted = true
  await ctx.seals.revocations.add(revoked).catch((error: unknown) => {
    ctx.log.error({ err: error, revoked }, 'a revocation could not be written to the ledger')
  })
  if (audit.length > 0) ctx.onRecorded?.(audit)
  const [row] = committed
  if (announced !== undefined && row?.kind === 'signal_decided' && committed.length === 1) {
    committed = [{ ...row, announced }]
  }
  if (committed.length > 0) ctx.outboxCommitted?.(committed)
  return result
}

/** What sends a statement as one of the last `count` of its unit, and its rows from then on. */
function lastStatement<Row>(
  tx: Tx,
  statement: LastStatement<Row>,
): { readonly send: (count: number) => Promise<void>; readonly sent: SentLast<Row> } {
  let rows: readonly Row[] | null = null
  return {
    send: async (count) => {
      const { sql, parameters } = statement.compile(tx)
      const marked = CompiledQuery.raw(`${lastComment(count)}${sql}`, [...parameters])
      rows = (await tx.executeQuery<Row>(marked)).rows
    },
    sent: {
      get rows() {
        if (rows === null) throw new Error('The unit of work has not ended')
        return rows
      },
    },
  }
}

function stampEntry(entry: UnitEntry, authority: Authority): AuditEntry {
  authority.assertRecords(entry.type)
  const { actor, channel } = authority
  return { actor, channel, ...entry }
}

/**
 * `deadlock_detected`, `serialization_failure`, a changed schema: nothing was committed, and
 * another try can succeed.
 */
function isConflict(error: unknown): boolean {
  return isPlanOutdated(error) || ['40P01', '40001'].includes(errorCode(error) ?? '')
}
