import { sql, type RawBuilder, type Selectable } from 'kysely'
import { principalsDigest, type Seals } from '#domain/statements/row-seals.ts'
import type { CallFacts } from '#domain/requests/request.ts'
import type { Scope } from '#domain/policy/verdict.ts'
import type { DecisionTable } from '#store/tables/decisions.ts'
import type { RequestRevisionTable, RequestTable } from '#store/tables/requests.ts'
import { chainEndOf, type ChainEnd } from '#store/audit/audit.ts'
import { isOneOf } from '#store/connection/is-one-of.ts'
import type { Db, Tx } from '#store/database.ts'
import { fromJsonRow, type JsonRow } from '#store/json-row.ts'
import type { Voter } from './tally-votes.ts'
import { carriedOut } from './alike-queries.ts'
import { askedBeforeRestore } from './asked-before-restore.ts'
import {
  personRows,
  verifyPerson,
  type PersonRows,
  type VerifiedPerson,
} from '../../core/verified-person.ts'
import { tamperedProblem } from '../../core/problems/tampered.ts'
import type { GrantBounds } from './decision-input.ts'

/** The person who decides. */
export interface Decider {
  /** `null`: a machine, or nobody yet */
  readonly personId: string | null
  /** hash of the token of their session; `null`: no session */
  readonly sessionHash: string | null
  /**
   * the decision is made in this transaction, which has locked activations, and locks the rows of
   * everybody whose vote counts: they cannot be disabled before it ends
   */
  readonly decides?: true
}

/** An approval of the current revision, with the present facts about its giver. */
export interface CountedVote extends Voter {
  readonly scope: Scope
  readonly bounds: GrantBounds | null
}

/** The facts that a decision is judged by, read in its transaction with the row locked. */
export interface DecisionFacts {
  readonly now: Date
  readonly epoch: number
  /** of the run's workflow; `null` for a request without a run */
  readonly workflowId: string | null
  readonly revision: {
    readonly digest: string
    readonly inputHash: string
    readonly facts: CallFacts
    readonly presentationDigest: string
  }
  /** ids of everybody with an edit in the history of the revision */
  readonly editors: readonly string[]
  readonly person: VerifiedPerson | null
  /** the session that the person decides in has not ended */
  readonly isSignedIn: boolean
  readonly principals: readonly { readonly personId: string; readonly why: string }[]
  readonly votes: readonly CountedVote[]
  /** the person decided this revision before */
  readonly voted: boolean
  readonly askedBeforeRestore: boolean
  /** the newest event of the request */
  readonly chainEnd: ChainEnd
  /** how its program is notified, for a program's request */
  readonly program: {
    readonly hasCallback: boolean
    /** where an approved gateway task is carried out; `null`: it is not one */
    readonly taskQueue: string | null
  }
  /** how often the same call was carried out (details.md, alike) */
  readonly again: number
  /** the first part without a valid seal (security.md 29); `null`: there is none */
  readonly tampered:
    | 'request'
    | 'revision'
    | 'principals'
    | 'decision'
    | 'person'
    | 'external_request'
    | null
}

type RevisionRow = Selectable<RequestRevisionTable>

/** The rows of all these facts, as one query returns them. */
interface FactRows extends Pick<
  DecisionFacts,
  | 'now'
  | 'epoch'
  | 'workflowId'
  | 'isSignedIn'
  | 'principals'
  | 'voted'
  | 'askedBeforeRestore'
  | 'again'
  | 'chainEnd'
> {
  readonly id: string
  readonly taskQueue: string | null
  /** `null` where the caller has the row itself */
  readonly request: JsonRow | null
  /** of a request of a program */
  readonly external: JsonRow | null
  /** every revision of the request, and of those that it replaced */
  readonly history: readonly JsonRow[]
  /** who decides; of several requests, in the row of the first one alone */
  readonly person: PersonRows | null
  readonly votes: readonly { readonly decision: JsonRow; readonly person: PersonRows | null }[]
}

/**
 * Reads everything in one query: the clock, the epoch, the current revision, the person who decides
 * and their session, the people behind the request, and the approvals so far with their givers'
 * present membership (product.md 18). Rows whose seals do not hold are named in `tampered`.
 */
export async function readDecisionFacts(
  at: { readonly tx: Db | Tx; readonly seals: Seals },
  requestId: string,
  decider: Decider,
): Promise<DecisionFacts> {
  const [rows] = await readFactRows(at.tx, [requestId], decider, 'with the requests')
  if (rows?.request == null) throw new Error(`Request ${requestId} no longer exists`)
  return factsOf(at.seals, rows, fromJsonRow(rows.request), vouchedIn(at.seals, [rows]))
}

/**
 * The same of several requests, in one query, with their rows as they were locked. A row without a
 * valid seal makes the facts of its own request `tampered`, and of no other.
 */
export async function readManyFacts(
  at: { readonly tx: Tx; readonly seals: Seals },
  requestIds: readonly string[],
  decider: Decider,
): Promise<ReadonlyMap<string, (locked: Selectable<RequestTable>) => DecisionFacts>> {
  const rows = await readFactRows(at.tx, requestIds, decider, 'without the requests')
  const person = vouchedIn(at.seals, rows)
  return new Map(rows.map((row) => [row.id, (locked) => factsOf(at.seals, row, locked, person)]))
}

/**
 * The decider's rows are in one row of the result only, since one person decides all the requests.
 * Their seals are checked once.
 */
function vouchedIn(seals: Seals, rows: readonly FactRows[]): VerifiedPerson | null {
  const person = rows.find((row) => row.person !== null)?.person ?? null
  return person === null ? null : verifyPerson(seals, person)
}

async function readFactRows(
  tx: Db | Tx,
  requestIds: readonly string[],
  { personId, sessionHash, decides }: Decider,
  requests: 'with the requests' | 'without the requests',
): Promise<FactRows[]> {
  const [first] = requestIds
  const lock = decides === true ? lockPeople(requestIds, personId) : sql``
  const result = await sql<FactRows>`
    ${lock} select
      request.id,
      clock_timestamp() as now,
      (select epoch from installation) as epoch,
      (select workflow_id from run where run.id = request.run_id) as "workflowId",
      ${requests === 'with the requests' ? sql`to_jsonb(request)` : sql`null`} as request,
      (select to_jsonb(e) from external_request e where e.request_id = request.id) as external,
      case when request.id = ${first}::uuid
        then (select ${personRows} from person where person.id = ${personId}) end as person,
      (${sessionHash}::text is null or exists (select 1 from session
        where token_hash = ${sessionHash} and expires_at > clock_timestamp())) as "isSignedIn",
      -- Each request alone (offset 0), so that no plan reads the revisions of all requests.
      (select coalesce(jsonb_agg(to_jsonb(made)), '[]')
        from unnest(array_append(request.previous, request.id)) as of(id)
        cross join lateral (select * from request_revision where request_id = of.id offset 0) as made
      ) as history,
      (select coalesce(json_agg(json_build_object('personId', p.person_id, 'why', p.why)), '[]')
        from request_principal p where p.request_id = request.id) as principals,
      (select coalesce(jsonb_agg(jsonb_build_object('decision', to_jsonb(d), 'person', case when person.id is not null then ${personRows} end)
          order by d.at, d.id), '[]')
        from decision d left join person on person.id = d.person_id
        where d.request_id = request.id and d.revision = request.revision and d.decision = 'approve') as votes,
      -- An array, so that no plan reads all decisions of the person instead of those of the request.
      coalesce(${personId}::uuid = any(array(select d.person_id from decision d
        where d.request_id = request.id and d.revision = request.revision)), false) as voted,
      ${askedBeforeRestore} as "askedBeforeRestore",
      ${carriedOut} as again,
      (select task_queue from gateway_call call
        where call.request_id = request.id and call.by_task) as "taskQueue",
      ${chainEndOf(sql`request.id`)} as "chainEnd"
    from request where ${isOneOf('request.id', requestIds)}
  `.execute(tx)
  return result.rows
}

/**
 * Locks the rows of the decider and of everybody who approved, in a `with` that has the name of
 * their table. A transaction that disables one of them commits either before this query, which then
 * reads it, or after the decision; the trail has the same order. Their memberships stay because the
 * decision has locked activations (`lockActivationShared`).
 */
function lockPeople(requestIds: readonly string[], personId: string | null): RawBuilder<unknown> {
  return sql`with person as materialized (
    select * from person where id = any(array_append(array(
      select d.person_id from decision d
      where ${isOneOf('d.request_id', requestIds)} and d.decision = 'approve'), ${personId}::uuid))
    order by id for share)`
}

function factsOf(
  seals: Seals,
  rows: FactRows,
  request: Selectable<RequestTable>,
  person: VerifiedPerson | null,
): DecisionFacts {
  const history = rows.history.map((entry) => fromJsonRow<RevisionRow>(entry))
  const revision = history.find(
    ({ request_id: of, revision: number }) => of === request.id && number === request.revision,
  )
  if (revision === undefined) throw tamperedProblem('revision')
  return {
    now: rows.now,
    epoch: rows.epoch,
    workflowId: rows.workflowId,
    revision: {
      digest: revision.digest,
      inputHash: revision.input_hash,
      facts: revision.facts,
      presentationDigest: revision.presentation_digest,
    },
    editors: [...new Set(history.flatMap(({ editor_id: id }) => id ?? []))],
    person,
    isSignedIn: rows.isSignedIn,
    principals: rows.principals,
    votes: rows.votes.flatMap((vote) => countedVote(seals, vote)),
    voted: rows.voted,
    askedBeforeRestore: rows.askedBeforeRestore,
    again: rows.again,
    chainEnd: rows.chainEnd,
    program: {
      hasCallback:
        rows.external !== null &&
        (rows.external['callback_url'] !== null || rows.external['deployment'] !== null),
      taskQueue: rows.taskQueue,
    },
    tampered: person?.forged === 'person' ? 'person' : tamperedPart(seals, rows, request, history),
  }
}

/** A giver with a broken seal no longer counts, like one who left. */
function countedVote(seals: Seals, vote: FactRows['votes'][number]): CountedVote[] {
  if (vote.person === null) return []
  const decision = fromJsonRow<Selectable<DecisionTable>>(vote.decision)
  const { id, name, enabled, otherIds, teams } = verifyPerson(seals, vote.person)
  const bounds = decision.grant_bounds as GrantBounds | null
  return [{ personId: id, name, enabled, otherIds, teams, scope: decision.scope ?? 'once', bounds }]
}

function tamperedPart(
  seals: Seals,
  rows: FactRows,
  request: Selectable<RequestTable>,
  history: readonly RevisionRow[],
): DecisionFacts['tampered'] {
  if (!seals.holds('request', { ...request })) return 'request'
  if (!isComplete(seals, request, history)) return 'revision'
  // The page showed which program asks and from where, so the row with that must be sealed too.
  const isProgram = request.kind === 'external'
  if (isProgram && !seals.holds('external_request', rows.external)) return 'external_request'
  if (principalsDigest(rows.principals) !== request.principals_digest) return 'principals'
  const isForged = rows.votes.some(
    ({ decision }) => !seals.holds('decision', fromJsonRow(decision)),
  )
  return isForged ? 'decision' : null
}

/**
 * Whether every revision exists with a valid seal: a missing one would hide who edited the call
 * (product.md 11).
 */
function isComplete(
  seals: Seals,
  request: Selectable<RequestTable>,
  history: readonly RevisionRow[],
): boolean {
  if (!history.every((entry) => seals.holds('request_revision', { ...entry }))) return false
  const revisions = Map.groupBy(history, (entry) => entry.request_id)
  const own = revisions.get(request.id)?.length
  return (
    own === request.revision &&
    [...revisions.values()].every((entry) =>
      entry.every(({ revision }) => revision <= entry.length),
    )
  )
}
