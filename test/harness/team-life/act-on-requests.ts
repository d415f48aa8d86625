import { randomUUID } from 'node:crypto'
import { decideMany } from '#services/decisions/decide-many.ts'
import { decideRequest } from '#services/decisions/decide-request.ts'
import { extendRequest } from '#services/requests/extend-request.ts'
import { reviseRequest } from '#services/revising/revise-request.ts'
import { settleOutcome } from '#services/decisions/settle-outcome.ts'
import { claimRequest } from '#services/requests/claim-request.ts'
import { commentRequest } from '#services/requests/comment-request.ts'
import type { TestPerson } from '../fixtures/people.ts'
import type { Step } from './step.ts'
import { queueNames, teamNames } from './team.ts'
import { hours, type TeamLife } from './team-life.ts'

interface WaitingRequest {
  readonly id: string
  readonly kind: string
  readonly queue: string
  readonly digest: string
  readonly revision: number
  readonly expires_at: Date
}

export function pick<T>(from: readonly T[], index: number): T {
  const choice = from[index % from.length]
  if (choice === undefined) throw new Error('there is nothing to choose from')
  return choice
}

/** A pending request, old ones more often than others; `null` if there is none. */
export async function pickWaiting(life: TeamLife, step: Step): Promise<WaitingRequest | null> {
  const rows = await life.db
    .selectFrom('request')
    .select(['id', 'kind', 'queue', 'digest', 'revision', 'expires_at'])
    .where('state', '=', 'pending')
    .where('kind', 'in', step.do === 'settle' ? ['outcome_check'] : ['tool_call'])
    .orderBy('created_at')
    .execute()
  return rows.length === 0
    ? null
    : pick(
        rows,
        Math.floor(step.which / 7) %
          (step.which % 7 === 0 ? rows.length : Math.ceil(rows.length / 3)),
      )
}

/** Mostly a person who may decide the request, sometimes anybody. */
export function voterOf(
  life: TeamLife,
  request: { readonly queue: string },
  who: number,
): TestPerson {
  if (who % 5 === 0) return pick(life.people, who)
  const teams = {
    docs: ['platform'],
    ops: ['platform', 'platform', 'security'],
    law: ['legal', 'legal', 'security'],
  }
  const team = pick(teams[request.queue as keyof typeof teams] ?? teamNames, who)
  const name = pick([...life.team.membersOf(team)], Math.floor(who / 5))
  return pick(life.people, life.team.people.indexOf(name))
}

export async function vote(
  life: TeamLife,
  request: WaitingRequest,
  { voter, step }: { readonly voter: TestPerson; readonly step: Step },
): Promise<void> {
  const { digest, revision } = request
  const how = step.amount % 12
  const verdict =
    how === 0
      ? { decision: 'deny', then: 'stop' }
      : how === 1
        ? { decision: 'deny' }
        : { decision: 'approve', ...(how === 2 ? { scope: 'run' } : {}) }
  const body = { ...verdict, digest, revision }
  const idempotencyKey = randomUUID()
  const input = { request: request.id, body, idempotencyKey }
  const answer = await life.call(step.which, (ctx) => decideRequest(ctx, voter.caller, input))
  if (answer !== null) life.acknowledged.add(answer.decisionId)
}

/** Six people decide, edit and extend the same request at once, during a fault. */
export async function race(life: TeamLife, step: Step, fault: () => Promise<void>): Promise<void> {
  const request = await pickWaiting(life, step)
  if (request === null) return fault()
  const acts = Array.from({ length: 6 }, (_, index) => {
    const amount = step.amount + index * 5
    const mine = { ...step, who: step.who + index * 13, which: step.which + index, amount }
    if (amount % 7 === 3) return handle(life, request, { ...mine, do: 'edit' })
    if (amount % 7 === 4) return handle(life, request, { ...mine, do: 'extend' })
    return act(life, request, mine)
  })
  await Promise.all([...acts, fault()])
}

async function act(life: TeamLife, request: WaitingRequest, step: Step): Promise<void> {
  const { digest, revision } = request
  const decision = step.amount % 9 === 0 ? 'deny' : 'approve'
  const { caller } = voterOf(life, request, step.who)
  const input = {
    request: request.id,
    body: { decision, digest, revision },
    idempotencyKey: randomUUID(),
  }
  const answer = await life.call(step.which, (ctx) => decideRequest(ctx, caller, input))
  if (answer !== null) life.acknowledged.add(answer.decisionId)
}

export async function many(life: TeamLife, step: Step): Promise<void> {
  const queue = pick(queueNames, step.which)
  const rows = await life.db
    .selectFrom('request')
    .innerJoin('request_revision as shown', (join) =>
      join
        .onRef('shown.request_id', '=', 'request.id')
        .onRef('shown.revision', '=', 'request.revision'),
    )
    .select(['request.id', 'request.digest', 'request.revision', 'presentation_digest as seen'])
    .where('state', '=', 'pending')
    .where('kind', '=', 'tool_call')
    .where('queue', '=', queue)
    .orderBy('request.created_at')
    .limit(2 + (step.amount % 5))
    .execute()
  if (rows.length === 0) return
  const decision = step.amount % 4 === 0 ? 'deny' : 'approve'
  const decisions = rows.map(({ id, digest, revision, seen }) => ({
    requestId: id,
    digest,
    revision,
    decision,
    seen,
  }))
  const { caller } = voterOf(life, { queue }, step.who)
  const idempotencyKey = randomUUID()
  const answer = await life.call(step.which, (ctx) =>
    decideMany(ctx, caller, { decisions, idempotencyKey }),
  )
  for (const item of answer?.items ?? []) {
    if (item.decisionId !== undefined) life.acknowledged.add(item.decisionId)
    if (item.code !== undefined) life.refusals.add(item.code)
  }
}

export async function handle(life: TeamLife, request: WaitingRequest, step: Step): Promise<void> {
  const { caller } = voterOf(life, request, step.who)
  const { id, digest, revision } = request
  await life.call(step.which, async (ctx) => {
    switch (step.do) {
      case 'claim':
        return claimRequest(ctx, caller, { request: id })
      case 'comment':
        return commentRequest(ctx, caller, { request: id, text: `seen ${step.amount}` })
      case 'extend': {
        const later = new Date(request.expires_at.getTime() + hours(1 + (step.amount % 30)))
        return extendRequest(ctx, caller, { request: id, expiresAt: later.toISOString() })
      }
      case 'settle': {
        const finding = { ran: step.amount % 3 !== 0, then: 'continue', reason: 'looked' }
        return settleOutcome(ctx, caller, { request: id, ...finding })
      }
      default: {
        const path = `notes/${request.queue}/${step.amount % 12}.md`
        const input = { path, content: `edited ${step.amount}\n` }
        return reviseRequest(ctx, caller, { request: id, input, digest, revision })
      }
    }
  })
}
