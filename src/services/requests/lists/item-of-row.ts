import { readStoredCue } from '#domain/policy/cues.ts'
import { routingWhy } from '#domain/deciding/judgement.ts'
import { cannotText, judgeEligibility } from '#domain/deciding/eligibility.ts'
import { quorumTeams } from '#domain/deciding/quorum.ts'
import { needOfRequests } from '#domain/runs/need-of-run.ts'
import type { Scope } from '#domain/policy/verdict.ts'
import { defaultWorkspace } from '#domain/tools/workspace-name.ts'
import { tallyVotes, type Voter } from '../facts/tally-votes.ts'
import { externalExecution, externalItem } from './external-item.ts'
import { executionRecord } from '../facts/newest-execution.ts'
import type { QuorumRecord, RequestItemRecord, StepRecord } from '../facts/request-record.ts'
import type { ExecutionJson, ItemRow } from './item-row.ts'

/** An item of a list as the API returns it, without the text of its task. */
export function itemOf(row: ItemRow, agentReason: string | null): Omit<RequestItemRecord, 'task'> {
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

/** The state of the quorum. Votes that ended a request stay counted, even if their people left. */
function quorumOf({ state, routing, votes, permit }: ItemRow): QuorumRecord {
  if (state === 'pending') return tallyVotes(routing, votes).record
  const deciders = permit?.deciders
  const countedVotes = Array.isArray(deciders)
    ? votes.filter((vote) => deciders.includes(vote.personId))
    : votes
  const now = tallyVotes(routing, countedVotes)
  if (now.met) return now.record
  // Somebody who has left or changed teams since still fills a place; it is no longer known which
  // team's.
  const teams = quorumTeams(routing.quorum)
  return tallyVotes(
    routing,
    countedVotes.map((vote) => ({
      ...vote,
      teams: state === 'approved' ? teams : teamsThen(vote, teams),
    })),
  ).record
}

function teamsThen(vote: Voter, teams: readonly string[]): readonly string[] {
  return vote.teams.some((team) => teams.includes(team)) ? vote.teams : teams
}

/** How a decision of the viewer would be answered now. */
function eligibilityOf(row: ItemRow): RequestItemRecord['eligibility'] {
  const need = needOfRequests([row])
  const no = (why: string): RequestItemRecord['eligibility'] => ({
    canDecide: false,
    reason: cannotText(need, why),
  })
  if (row.state !== 'pending') return no(`it is already ${row.state}`)
  if (row.over) return no('it has expired')
  if (mayAnswer(row)) return { canDecide: true, reason: null }
  const eligibility = judgeEligibility({
    need,
    person: row.viewer,
    quorum: row.routing.quorum,
    principals: row.behind,
    selfApproval: row.routing.selfApproval,
  })
  if (!eligibility.canDecide) return { canDecide: false, reason: eligibility.reason }
  if (row.voted) return no('you decided this revision before; it waits for others')
  return { canDecide: true, reason: null }
}

/** The starter of a run, or of one above it, may answer its questions too (product.md 30). */
function mayAnswer({ kind, viewer, lineage }: ItemRow): boolean {
  if (kind !== 'question' || viewer?.enabled !== true) return false
  return lineage.some(({ startedBy }) => startedBy?.id === viewer.id)
}

function scopesOf(row: ItemRow): readonly Scope[] {
  return ['once', ...row.routing.scopes.filter((scope) => scope !== 'once')]
}

/**
 * A call whose approval was revoked before it started is refused, also if its run has ended. An
 * approved attachment that a new request replaced is stale.
 */
function executionOfRow(row: ItemRow): RequestItemRecord['execution'] {
  const { digest, execution, external } = row
  const permit = row.permit?.state ?? null
  if (external !== null) return externalExecution(external, { digest, permit })
  if (execution !== null) {
    return executionOf(execution, row.kind === 'attachment' && permit === 'consumed')
  }
  if (permit !== 'revoked') return { state: 'not_started' }
  return { state: 'refused', reason: row.superseded_by === null ? permit : 'stale' }
}

function executionOf(row: ExecutionJson, isHandedOver: boolean): RequestItemRecord['execution'] {
  return executionRecord(
    { ...row, started_at: date(row.started_at), finished_at: date(row.finished_at) },
    isHandedOver,
  )
}

function date(text: string | null): Date | null {
  return text === null ? null : new Date(text)
}
