import { setImmediate } from 'node:timers/promises'
import { decideMany } from '../../../src/services/decisions/decide-many.ts'
import { decideRequest } from '../../../src/services/decisions/decide-request.ts'
import { extendRequest } from '../../../src/services/decisions/ending/extend-request.ts'
import { revokePermit } from '../../../src/services/decisions/permits/revoke-permit.ts'
import { reviseRequest } from '../../../src/services/decisions/revising/revise-request.ts'
import { settleOutcome } from '../../../src/services/decisions/settle-outcome.ts'
import { disablePerson } from '../../../src/services/access/disable-person.ts'
import { claimRequest } from '../../../src/services/requests/claim-request.ts'
import { commentRequest } from '../../../src/services/requests/comment-request.ts'
import { cancelRun } from '../../../src/services/runs/ending/cancel-run.ts'
import { messageRun } from '../../../src/services/runs/message-run.ts'
import { startRun } from '../../../src/services/runs/start-run.ts'
import type { TestPerson } from '../fixtures/people.ts'
import type { Step } from './step.ts'
import { queueNames, mailOf, teamNames } from './team.ts'
import { hours, type TeamLife } from './team-life.ts'

interface Waiting {
  readonly id: string
  readonly kind: string
  readonly queue: string
  readonly digest: string
  readonly revision: number
  readonly expires_at: Date
}

/** At most so many are disabled, or nobody is left who decides. */
const disabledMost = 4
let key = 0

/**
 * Takes a step at the real verbs, and lets everybody go on behind it. A refusal is an answer; anything else that goes
 * wrong rejects.
 */
export async function takeStep(life: TeamLife, step: Step): Promise<void> {
  await happen(life, step)
  await life.settle()
}

async function happen(life: TeamLife, step: Step): Promise<void> {
  const { who, which, amount } = step
  const person = pick(life.people, who)
  switch (step.do) {
    case 'time passes':
      return life.pass((amount % 170) * 60_000)
    case 'a run starts':
      return start(life, person, step)
    case 'vote': {
      const request = await waiting(life, step)
      if (request !== null) await vote(life, request, { voter: voterOf(life, request, who), step })
      return
    }
    case 'votes race':
      return race(life, step, async () => undefined)
    case 'connections are cut':
      await race(life, step, () => life.cut())
      // And once more while workflows go on: an activity dies in the middle of its call.
      await Promise.all([life.settle(), laterBy(amount % 40).then(() => life.cut())])
      return
    case 'a process is killed':
      return race(life, step, () => life.kill(1 + (amount % 2)))
    case 'a host dies':
      life.host.dieInNextCall(amount % 2 === 0 ? 'for good' : 'for a while')
      return
    case 'many at once':
      return many(life, step)
    case 'claim':
    case 'comment':
    case 'edit':
    case 'extend':
    case 'settle': {
      const request = await waiting(life, step)
      if (request !== null) await handle(life, request, step)
      return
    }
    case 'take back':
      return takeBack(life, step)
    case 'message':
    case 'cancel':
      return steer(life, step)
    case 'teams change': {
      for (let one = 0; one <= amount % 3; one += 1) {
        const mover = pick(life.team.people, who + one * 7)
        life.team.change(mover, pick(teamNames, which + one))
      }
      return life.activate()
    }
    case 'somebody is disabled': {
      const email = mailOf(pick(life.team.people.slice(2), who))
      const disabled = await disabledCount(life)
      if (disabled >= disabledMost) return
      await life.call(which, (ctx) => disablePerson(ctx, pick(life.people, 0).caller, { email }))
      return
    }
    case 'Temporal goes down':
      life.temporal.isDown = true
      return
    case 'Temporal comes back':
      life.temporal.isDown = false
      return
    case 'everything is down for days': {
      life.temporal.isDown = true
      await life.kill(2)
      await life.clock.pass(hours(24 + (amount % 96)))
      life.temporal.isDown = false
      return
    }
  }
}

function pick<T>(from: readonly T[], index: number): T {
  const found = from[index % from.length]
  if (found === undefined) throw new Error('there is nothing to choose from')
  return found
}

/** So many turns of the event loop later: somewhere in the middle of what goes on. */
async function laterBy(turns: number): Promise<void> {
  for (let turn = 0; turn < turns; turn += 1) await setImmediate()
}

async function start(life: TeamLife, person: TestPerson, step: Step): Promise<void> {
  const calls = 1 + (step.amount % 3)
  const paths = Array.from({ length: calls }, (_, index) => {
    const queue = pick(queueNames, step.which + index)
    // Few files, so that calls meet each other's proposals and find what they replace changed.
    return `notes/${queue}/${(step.amount + index) % 12}.md`
  })
  const idempotencyKey = `start-${(key += 1)}`
  const input = { worker: 'scribe', input: JSON.stringify([...new Set(paths)]), idempotencyKey }
  await life.call(step.which, (ctx) => startRun(ctx, person.caller, input))
}

/** One of the requests that wait, the oldest more often than others; `null` when none does. */
async function waiting(life: TeamLife, step: Step): Promise<Waiting | null> {
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

/** Mostly somebody who may be asked, sometimes anybody. */
function voterOf(life: TeamLife, request: { readonly queue: string }, who: number): TestPerson {
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

async function vote(
  life: TeamLife,
  request: Waiting,
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
  const idempotencyKey = `vote-${(key += 1)}`
  const given = { request: request.id, body, idempotencyKey }
  const answer = await life.call(step.which, (ctx) => decideRequest(ctx, voter.caller, given))
  if (answer !== null) life.acknowledged.add(answer.decisionId)
}

/** Six people decide, edit, extend and cancel the same at once, while a fault comes between them. */
async function race(life: TeamLife, step: Step, fault: () => Promise<void>): Promise<void> {
  const request = await waiting(life, step)
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

async function act(life: TeamLife, request: Waiting, step: Step): Promise<void> {
  const { digest, revision } = request
  const decision = step.amount % 9 === 0 ? 'deny' : 'approve'
  const { caller } = voterOf(life, request, step.who)
  const given = {
    request: request.id,
    body: { decision, digest, revision },
    idempotencyKey: `race-${(key += 1)}`,
  }
  const answer = await life.call(step.which, (ctx) => decideRequest(ctx, caller, given))
  if (answer !== null) life.acknowledged.add(answer.decisionId)
}

async function many(life: TeamLife, step: Step): Promise<void> {
  const queue = pick(queueNames, step.which)
  const rows = await life.db
    .selectFrom('request')
    .select(['id', 'digest', 'revision'])
    .where('state', '=', 'pending')
    .where('kind', '=', 'tool_call')
    .where('queue', '=', queue)
    .orderBy('created_at')
    .limit(2 + (step.amount % 5))
    .execute()
  if (rows.length === 0) return
  const decision = step.amount % 4 === 0 ? 'deny' : 'approve'
  const decisions = rows.map(({ id, digest, revision }) => ({
    requestId: id,
    digest,
    revision,
    decision,
  }))
  const { caller } = voterOf(life, { queue }, step.who)
  const idempotencyKey = `many-${(key += 1)}`
  const answer = await life.call(step.which, (ctx) =>
    decideMany(ctx, caller, { decisions, idempotencyKey }),
  )
  for (const item of answer?.items ?? []) {
    if (item.decisionId !== undefined) life.acknowledged.add(item.decisionId)
    if (item.code !== undefined) life.refused.add(item.code)
  }
}

async function handle(life: TeamLife, request: Waiting, step: Step): Promise<void> {
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

async function takeBack(life: TeamLife, step: Step): Promise<void> {
  const rows = await life.db
    .selectFrom('permit')
    .innerJoin('request', 'request.id', 'permit.request_id')
    .select(['request.id', 'request.queue'])
    .where('permit.state', '=', 'live')
    .orderBy('permit.issued_at')
    .execute()
  if (rows.length === 0) return
  const request = pick(rows, step.which)
  const { caller } = voterOf(life, request, step.who)
  const given = { request: request.id, reason: 'not now' }
  await life.call(step.which, (ctx) => revokePermit(ctx, caller, given))
}

/** Whoever started it says something to a run, those first that wait for it, or cancels it. */
async function steer(life: TeamLife, step: Step): Promise<void> {
  const rows = await life.db
    .selectFrom('run')
    .select(['id', 'state', 'started_by'])
    .where('ended_at', 'is', null)
    .orderBy('created_at')
    .execute()
  const still = rows.filter(({ state }) => state === 'waiting_for_input')
  const [from] = [still.length > 0 && step.do === 'message' ? still : rows]
  if (from.length === 0) return
  const run = pick(from, step.which)
  const starter = life.people.find(({ id }) => id === run.started_by) ?? pick(life.people, 0)
  await life.call<unknown>(step.which, (ctx) =>
    step.do === 'message'
      ? messageRun(ctx, starter.caller, { runId: run.id, text: 'Go on.' })
      : cancelRun(ctx, starter.caller, { runId: run.id }),
  )
}

async function disabledCount(life: TeamLife): Promise<number> {
  const rows = await life.db
    .selectFrom('person')
    .select('id')
    .where('disabled_at', 'is not', null)
    .execute()
  return rows.length
}
