import { randomUUID } from 'node:crypto'
import { setImmediate } from 'node:timers/promises'
import { revokePermit } from '#services/permits/revoke-permit.ts'
import { disablePerson } from '#services/access/disable-person.ts'
import { closeConversation } from '#services/engine/lifecycle/close-conversation.ts'
import { cancelRun } from '#services/engine/lifecycle/cancel-run.ts'
import { messageRun } from '#services/runs/message-run.ts'
import { forkRun } from '#services/runs/forking/fork-run.ts'
import { recordScheduledTime } from '#services/runs/schedules/record-scheduled-time.ts'
import { startDueTimes } from '#services/runs/schedules/start-scheduled.ts'
import { startRun } from '#services/runs/starting/start-run.ts'
import type { TestPerson } from '../fixtures/people.ts'
import type { Step } from './step.ts'
import { queueNames, mailOf, scheduleNames, teamNames } from './team.ts'
import { hours, type TeamLife } from './team-life.ts'
import { handle, many, pick, race, vote, voterOf, pickWaiting } from './act-on-requests.ts'

/** At most so many are disabled, or nobody is left who decides. */
const maxDisabled = 4

/**
 * Takes a step with the real verbs, and then settles. A refusal is a valid answer; any other error
 * rejects.
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
      return start(life, person, step, false)
    case 'a conversation starts':
      return start(life, person, step, true)
    case 'a conversation is closed':
    case 'a run is forked':
      return goOnWith(life, step)
    case 'a schedule is due':
      return scheduleIsDue(life, step)
    case 'vote': {
      const request = await pickWaiting(life, step)
      if (request !== null) await vote(life, request, { voter: voterOf(life, request, who), step })
      return
    }
    case 'votes race':
      return race(life, step, async () => undefined)
    case 'connections are cut':
      await race(life, step, () => life.cut())
      // And once more while workflows run: an activity dies in the middle of its call.
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
      const request = await pickWaiting(life, step)
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
      if (disabled >= maxDisabled) return
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

/** Waits for this many turns of the event loop, to act in the middle of other work. */
async function laterBy(turns: number): Promise<void> {
  for (let turn = 0; turn < turns; turn += 1) await setImmediate()
}

/** Calls of a turn, as a message asks for them. */
function filesOf(step: Step): string {
  const calls = 1 + (step.amount % 3)
  const paths = Array.from({ length: calls }, (_, index) => {
    const queue = pick(queueNames, step.which + index)
    // Few files, so that calls meet each other's proposals and find what they replace changed.
    return `notes/${queue}/${(step.amount + index) % 12}.md`
  })
  return JSON.stringify([...new Set(paths)])
}

async function start(
  life: TeamLife,
  person: TestPerson,
  step: Step,
  conversation: boolean,
): Promise<void> {
  const idempotencyKey = randomUUID()
  const input = { worker: 'scribe', input: filesOf(step), conversation, idempotencyKey }
  await life.call(step.which, (ctx) => startRun(ctx, person.caller, input))
}

/** The starter closes a resting run, or forks any run, with more to do. */
async function goOnWith(life: TeamLife, step: Step): Promise<void> {
  const rows = await life.db
    .selectFrom('run')
    .select(['id', 'rest', 'started_by'])
    .orderBy('created_at')
    .execute()
  const isFork = step.do === 'a run is forked'
  const from = rows.filter(({ rest }) => isFork || rest === 'answered')
  if (from.length === 0) return
  const { id: runId, started_by: starter } = pick(from, step.which)
  const { caller } = life.people.find(({ id }) => id === starter) ?? pick(life.people, 0)
  const idempotencyKey = randomUUID()
  await life.call<unknown>(step.which, (ctx) =>
    isFork
      ? forkRun(ctx, caller, { runId, text: filesOf(step), idempotencyKey })
      : closeConversation(ctx, caller, { runId, idempotencyKey }),
  )
}

/** Temporal says twice that a time has come, and every process starts what is due. */
async function scheduleIsDue(life: TeamLife, { which }: Step): Promise<void> {
  const schedule = pick(scheduleNames, which)
  const at = (await life.clock.now()).toISOString()
  const due = async (by: number): Promise<unknown> =>
    life.call(by, async (ctx) => {
      await recordScheduledTime(ctx, { schedule, at })
      await startDueTimes(ctx)
    })
  await Promise.all([due(which), due(which + 1)])
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
  const input = { request: request.id, reason: 'not now' }
  await life.call(step.which, (ctx) => revokePermit(ctx, caller, input))
}

/** The starter posts a message to a run, first to those that wait for input, or cancels it. */
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
      ? messageRun(ctx, starter.caller, { runId: run.id, text: wordsOf(step) })
      : cancelRun(ctx, starter.caller, { runId: run.id }),
  )
}

/** A message that lets the run continue or do more. */
function wordsOf(step: Step): string {
  return step.amount % 2 === 0 ? filesOf(step) : 'Go on.'
}

async function disabledCount(life: TeamLife): Promise<number> {
  const rows = await life.db
    .selectFrom('person')
    .select('id')
    .where('disabled_at', 'is not', null)
    .execute()
  return rows.length
}
