import { sql, type Selectable } from 'kysely'
import { readStoredCue, type StoredCue } from '#domain/policy/cues.ts'
import { routingWhy } from '#domain/deciding/judgement.ts'
import { judgeEligibility } from '#domain/deciding/eligibility.ts'
import { quorumTeams } from '#domain/deciding/quorum.ts'
import type { PermitState } from '#domain/requests/request.ts'
import type { RunMode, Scope } from '#domain/policy/verdict.ts'
import { getRemainingTexts } from '#store/content/content.ts'
import type { Db, Tx } from '#store/database.ts'
import type { ExecutionTable } from '#store/tables/runs.ts'
import type { RequestTable } from '#store/tables/requests.ts'
import { defaultWorkspace } from '#domain/tools/workspace-name.ts'
import { tallyVotes, type Voter } from '../facts/tally-votes.ts'
import type { Caller } from '../../core/context.ts'
import { readMessageText } from '../../transcript/messages.ts'
import { laterMessages, personOfTask } from '../facts/read-tasks.ts'
import { taskLimits, taskWords } from '../words/task-words.ts'
import { externalExecution, externalItem, type ExternalItemJson } from './external-item.ts'
import { executionRecord } from '../facts/newest-execution.ts'
import { askedBeforeRestore } from '../facts/asked-before-restore.ts'
import { carriedOut, sameCalls, maxAlike, similarCalls } from '../facts/alike-queries.ts'
import type {
  AlikeCounts,
  LineageRecord,
  PersonRef,
  QuorumRecord,
  RequestItemRecord,
  StepRecord,
  TaskRecord,
} from '../facts/request-record.ts'

type ExecutionJson = Omit<Selectable<ExecutionTable>, 'started_at' | 'finished_at'> & {
  readonly started_at: string | null
  readonly finished_at: string | null
}

/** What the one query answers for each request; instants inside JSON are text. */
interface ItemRow extends Omit<Selectable<RequestTable>, 'number'> {
  readonly number: string
  readonly worker: string | null
  readonly mode: RunMode | null
  readonly workspace: string | null
  readonly tool_call_id: string | null
  readonly manual: { invokedBy: PersonRef; afterTurn: number } | null
  readonly batch_size: number
  readonly claim: { person: PersonRef; at: string; leaseUntil: string } | null
  readonly handed_to: { person: PersonRef; by: PersonRef; at: string } | null
  readonly snoozed_until: Date | null
  readonly lineage: readonly LineageRecord[]
  readonly votes: readonly Voter[]
  readonly permit: { state: PermitState; deciders: readonly string[] | null } | null
  readonly voted: boolean
  readonly behind: readonly { personId: string; why: string }[]
  readonly execution: ExecutionJson | null
  readonly decided_by: PersonRef | null
  readonly viewer: { id: string; enabled: boolean; teams: string[] } | null
  readonly over: boolean
  readonly before_restore: boolean
  readonly alike: AlikeCounts
  readonly external: ExternalItemJson | null
  readonly effect: string | null
  readonly cues: readonly StoredCue[] | null
  readonly task: TaskJson | null
  readonly claimed_task: string | null
}

interface TaskJson {
  readonly hash: string
  /** an input of the run, else a message's text */
  readonly isInput: boolean
  readonly bytes: number | null
  readonly title: string
  readonly by: PersonRef | null
  readonly at: string
  readonly later: number
}

/**
 * The items of lists, in the order of `ids`, in two queries whatever their number, or in one
 * without the words of task and model. `eligibility` is the caller's own; visibility was judged by
 * whoever chose the ids.
 */
export async function readItems(
  db: Db | Tx,
  caller: Caller,
  ids: readonly string[],
  read: { readonly words: boolean } = { words: true },
): Promise<RequestItemRecord[]> {
  if (ids.length === 0) return []
  const personId = caller.actor.type === 'person' ? caller.actor.id : null
  const { rows } = await sql<ItemRow>`
    select request.*, run.worker, run.mode, run.workspace, tool_call.tool_call_id,
      request.expires_at <= clock_timestamp() as over,
      ${askedBeforeRestore} as before_restore,
      jsonb_build_object('same', (select count(*)::int from (${sameCalls(maxAlike.same)}) as twins),
        'similar', (select count(*)::int from (${similarCalls(maxAlike.similar)}) as others),
        'again', ${carriedOut}) as alike,
      (select json_build_object('invokedBy', json_build_object('id', p.id, 'name', p.name), 'afterTurn', m.after_turn)
        from manual_call m join person p on p.id = m.invoked_by
        where m.call_id = request.call_id and request.turn < 0) as manual,
      (select count(*)::int from tool_call c where c.run_id = request.run_id and c.turn = request.turn) as batch_size,
      (select json_build_object('person', json_build_object('id', p.id, 'name', p.name),
          'at', claim.claimed_at, 'leaseUntil', claim.lease_until)
        from claim join person p on p.id = claim.person_id
        where claim.request_id = request.id and claim.lease_until > clock_timestamp()
          and request.state = 'pending') as claim,
      (select json_build_object('person', json_build_object('id', handed.id, 'name', handed.name),
          'by', json_build_object('id', giver.id, 'name', giver.name), 'at', h.at)
        from request_handover h join person handed on handed.id = h.to_id
        join person giver on giver.id = h.by_id where h.request_id = request.id) as handed_to,
      (select until from request_snooze s where s.request_id = request.id and s.person_id = ${personId}
        and s.until > clock_timestamp() and request.state = 'pending') as snoozed_until,
      (select coalesce(json_agg(json_build_object('runId', above.id, 'worker', above.worker,
          'startedBy', case when p.id is not null then json_build_object('id', p.id, 'name', p.name) end) order by l.depth), '[]')
        from run_lineage l join run above on above.id = l.ancestor_id left join person p on p.id = above.started_by
        where l.run_id = request.run_id) as lineage,
      (select coalesce(json_agg(json_build_object('personId', d.person_id, 'name', p.name,
          'enabled', p.disabled_at is null or request.state <> 'pending',
          'teams', array(select team from team_member where person_id = d.person_id)) order by d.at, d.id), '[]')
        from decision d join person p on p.id = d.person_id
        where d.request_id = request.id and d.revision = request.revision and d.decision = 'approve') as votes,
      (select json_build_object('state', permit.state, 'deciders',
          case when pg_input_is_valid(statement, 'jsonb') then statement::jsonb->'deciders' end) from permit
        where permit.request_id = request.id and permit.revision = request.revision limit 1) as permit,
      exists (select 1 from decision d where d.request_id = request.id and d.revision = request.revision
        and d.person_id = ${personId}) as voted,
      (select coalesce(json_agg(json_build_object('personId', q.person_id, 'why', q.why)), '[]')
        from request_principal q where q.request_id = request.id and q.person_id = ${personId}) as behind,
      (select row_to_json(e) from execution e where e.call_id = request.call_id
          and (e.request_id = request.id or request.kind = 'outcome_check')
        order by e.attempt desc limit 1) as execution,
      (select json_build_object('id', p.id, 'name', p.name)
        from decision d join person p on p.id = d.person_id
        where d.request_id = request.id and d.revision = request.revision
          and request.state in ('approved', 'denied')
        order by d.at desc, d.id desc limit 1) as decided_by,
      (select json_build_object('id', p.id, 'enabled', p.disabled_at is null,
          'teams', array(select team from team_member where person_id = p.id))
        from person p where p.id = ${personId}) as viewer,
      (select json_build_object('externalId', e.external_id, 'verdict', e.verdict, 'worker', e.worker,
          'key', json_build_object('id', k.id, 'name', k.name),
          'owner', json_build_object('id', o.id, 'name', o.name),
          'onBehalfOf', (select json_build_object('id', p.id, 'name', p.name) from person p where p.id = e.on_behalf_of),
          'consumedAt', e.consumed_at, 'outcome', e.outcome, 'outcomeAt', e.outcome_at)
        from external_request e join api_key k on k.id = e.api_key_id join person o on o.id = e.owner_id
        where request.kind = 'external' and e.request_id = request.id) as external,
      (select case when jsonb_typeof(e.metadata->'task') = 'string' then left(e.metadata->>'task', ${sql.lit(taskLimits.characters)}) end
        from external_request e where request.kind = 'external' and e.request_id = request.id) as claimed_task,
      (select json_build_object('hash', words.hash, 'isInput', words.is_input, 'title', root.title, 'at', root.created_at,
          'bytes', (select size from content where content.hash = words.hash),
          'by', ${personOfTask('root')},
          'later', ${laterMessages('root')})
        from run root cross join lateral (
          select coalesce(root.forked_after_turn, 0) = 0 as is_input, case when coalesce(root.forked_after_turn, 0) = 0 then root.input_digest
            else (select m.content_hash from message m where m.run_id = root.id and m.role = 'user' order by m.sequence limit 1) end as hash) words
        where root.id = request.root_run_id) as task,
      shown.effect, shown.cues
    from request
    left join request_revision shown on shown.request_id = request.id and shown.revision = request.revision
    left join run on run.id = request.run_id
    left join tool_call on tool_call.id = request.call_id
    where request.id = any(${[...ids]}::uuid[])
  `.execute(db)
  // One that is erased at this moment is left out.
  const reasons = await getRemainingTexts(
    db,
    read.words ? rows.flatMap((row) => [...hashesOf(row)]) : [],
  )
  const items = new Map(
    rows.map((row) => {
      const reason = reasons.get(row.agent_reason_hash ?? '')
      const agentReason = reason === undefined ? null : readMessageText(reason)
      return [row.id, { ...itemOf(row, agentReason), task: taskOf(row.task, reasons) }]
    }),
  )
  return ids.flatMap((id) => items.get(id) ?? [])
}

/** The texts of a row that are kept by their hashes. */
function* hashesOf({ agent_reason_hash: reason, task }: ItemRow): Generator<string> {
  if (reason !== null) yield reason
  if (task !== null && (task.bytes ?? 0) <= taskLimits.storedBytes) yield task.hash
}

function taskOf(task: TaskJson | null, texts: ReadonlyMap<string, string>): TaskRecord | null {
  if (task === null) return null
  const { hash, isInput, title, by, at, later, bytes } = task
  const stored = texts.get(hash)
  const isErased = stored === undefined && (bytes ?? 0) <= taskLimits.storedBytes
  if (isErased) return null
  return {
    text: stored === undefined ? title : taskWords(stored, isInput),
    by,
    at: new Date(at),
    later,
  }
}

function itemOf(row: ItemRow, agentReason: string | null): Omit<RequestItemRecord, 'task'> {
  const decidable = row.kind !== 'question' && row.kind !== 'outcome_check'
  return {
    id: row.id,
    number: Number(row.number),
    revision: row.revision,
    state: row.state,
    kind: row.kind,
    queue: row.queue,
    risk: row.risk,
    tool: row.tool,
    title: row.title,
    effect: row.effect ?? row.title,
    cues: (row.cues ?? []).map(readStoredCue),
    claimedTask: row.claimed_task,
    routing: routingOf(row),
    digest: row.digest,
    policyDigest: row.policy_digest,
    rule: row.rule,
    claim:
      row.claim === null
        ? null
        : {
            person: row.claim.person,
            at: new Date(row.claim.at),
            leaseUntil: new Date(row.claim.leaseUntil),
          },
    handedTo: row.handed_to === null ? null : { ...row.handed_to, at: new Date(row.handed_to.at) },
    snoozedUntil: row.snoozed_until,
    agentReason,
    worker: row.worker,
    mode: row.mode,
    workspace: row.workspace ?? defaultWorkspace,
    runId: row.run_id,
    callId: row.call_id,
    toolCallId: row.tool_call_id,
    turn: row.manual?.afterTurn ?? row.turn,
    invokedBy: row.manual?.invokedBy ?? null,
    batch: row.position === null ? null : { position: row.position, size: row.batch_size },
    lineage: row.lineage,
    quorum: quorumOf(row),
    eligibility: eligibilityOf(row),
    allowedDecisions: row.state === 'pending' && decidable ? ['approve', 'deny'] : [],
    allowedScopes: row.state === 'pending' && decidable ? scopesOf(row) : [],
    external: externalItem(row.external),
    execution: executionOfRow(row),
    permit: row.permit?.state ?? null,
    createdAt: row.created_at,
    expiresAt: row.expires_at,
    steps: stepsOf(row),
    decidedAt: row.decided_at,
    supersededBy: row.superseded_by,
    cancelReason: row.cancel_reason,
    decidedBy: row.decided_by,
    askedBeforeRestore: row.before_restore,
    alike: row.alike,
  }
}

function routingOf({ queue, risk, routing }: ItemRow): RequestItemRecord['routing'] {
  const { why } = routing
  return {
    queue: { value: queue, ...routingWhy(why?.queue) },
    risk: { value: risk, ...routingWhy(why?.risk) },
    quorum: { value: routing.quorumText, ...routingWhy(why?.quorum) },
  }
}

function stepsOf({ routing, created_at: createdAt, steps_taken: taken }: ItemRow): StepRecord[] {
  return (routing.steps ?? []).map((step, index) => ({
    kind: step.kind,
    addTeams: step.kind === 'escalate' ? step.addTeams : [],
    dueAt: new Date(createdAt.getTime() + step.afterMs),
    takenAt: taken?.[index] ?? null,
  }))
}

/**
 * Where the votes stand. Those that ended a request stay counted, whatever became of the people
 * since.
 */
function quorumOf({ state, routing, votes, permit }: ItemRow): QuorumRecord {
  if (state === 'pending') return tallyVotes(routing, votes).record
  const deciders = permit?.deciders
  const counted = Array.isArray(deciders)
    ? votes.filter((vote) => deciders.includes(vote.personId))
    : votes
  const now = tallyVotes(routing, counted)
  if (now.met) return now.record
  // Who has left or changed teams since filled a place of a team that is not told any more.
  const teams = quorumTeams(routing.quorum)
  return tallyVotes(
    routing,
    counted.map((vote) => ({
      ...vote,
      teams: state === 'approved' ? teams : teamsThen(vote, teams),
    })),
  ).record
}

function teamsThen(vote: Voter, teams: readonly string[]): readonly string[] {
  return vote.teams.some((team) => teams.includes(team)) ? vote.teams : teams
}

/** What deciding it would be answered with, said beforehand. */
function eligibilityOf(row: ItemRow): RequestItemRecord['eligibility'] {
  if (row.state !== 'pending') return no(`it is already ${row.state}`)
  if (row.over) return no('it has expired')
  if (mayAnswer(row)) return { canDecide: true, reason: null }
  const eligibility = judgeEligibility({
    person: row.viewer,
    quorum: row.routing.quorum,
    principals: row.behind,
    selfApproval: row.routing.selfApproval,
  })
  if (!eligibility.canDecide) return { canDecide: false, reason: eligibility.reason }
  if (row.voted) return no('you decided this revision before; it waits for others')
  return { canDecide: true, reason: null }
}

/** A question of a run is answered by who started it, or a run above it, too (product.md 30). */
function mayAnswer({ kind, viewer, lineage }: ItemRow): boolean {
  if (kind !== 'question' || viewer?.enabled !== true) return false
  return lineage.some(({ startedBy }) => startedBy?.id === viewer.id)
}

function no(why: string): RequestItemRecord['eligibility'] {
  return { canDecide: false, reason: `you can't decide: ${why}` }
}

function scopesOf(row: ItemRow): readonly Scope[] {
  return ['once', ...row.routing.scopes.filter((scope) => scope !== 'once')]
}

function executionOfRow({ digest, execution, external }: ItemRow): RequestItemRecord['execution'] {
  if (external !== null) return externalExecution(external, digest)
  return execution === null ? { state: 'not_started' } : executionOf(execution)
}

function executionOf(row: ExecutionJson): RequestItemRecord['execution'] {
  return executionRecord({
    ...row,
    started_at: date(row.started_at),
    finished_at: date(row.finished_at),
  })
}

function date(text: string | null): Date | null {
  return text === null ? null : new Date(text)
}
