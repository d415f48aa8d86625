import type { NoteSigner } from '#evidence/note/signed-note.ts'
import { closeRun } from '#services/engine/lifecycle/close-run.ts'
import { messageRun } from '#services/runs/message-run.ts'
import { getRun } from '#services/runs/reading/get-run.ts'
import { triggerSchedule } from '#services/runs/schedules/manage-schedule.ts'
import { startFromTrigger } from '#services/runs/starting/start-from-trigger.ts'
import { deskWorker, openAgentDesk, type AgentDesk } from '../fixtures/agent-desk.ts'
import type { TestPerson } from '../fixtures/people.ts'
import { coverAudit, logSigner } from '../fixtures/cover-audit.ts'
import { rowOf } from '../fixtures/rows.ts'

/** An installation with events of every type, and the key of its log. */
export interface AuditDesk {
  readonly desk: AgentDesk
  readonly signer: NoteSigner
  /** the run of the quorum of two */
  readonly runId: string
  /** the request that two people approved, and whose call was carried out */
  readonly requestId: string
}

const config = `version: 1
teams: { platform: { members: [ada@example.com, grace@example.com, linus@example.com] } }
queues: { platform: { team: platform } }
defaults: { queue: platform }
rights: { readAudit: [grace@example.com] }
`
const runScope = `${config}routing: [{ when: { tool: write_file }, scopes: [once, run] }]\n`
const quorumOfTwo = `${config}routing: [{ when: { tool: write_file }, quorum: { count: 2 } }]\n`

/** Makes approvals, denials, a grant and its use, a message, and runs that end. */
export async function openAuditDesk(): Promise<AuditDesk> {
  const desk = await openAgentDesk()
  await desk.activate({ 'countersign.yaml': runScope })
  const runId = await grantedRun(desk)
  await coverAudit(desk.database.db)
  await desk.activate({ 'countersign.yaml': quorumOfTwo })
  const requestId = await twoPeople(desk)
  await denyAndStop(desk)
  await startRuns(desk)
  await coverAudit(desk.database.db)
  return { desk, signer: logSigner, runId, requestId }
}

/** Starts: approved, denied, by a trigger, and by somebody for a schedule's person. */
async function startRuns(desk: AgentDesk): Promise<void> {
  const { ada, grace, linus } = desk.people
  const careful = deskWorker.replace('name: scribe', 'name: careful\nstartApproval: ask')
  await desk.activate({
    'countersign.yaml': `${config.replace('rights: {', 'rights: { manageRuns: [grace@example.com],')}schedules:
  yearly: { worker: careful, input: x, cron: "0 0 1 1 *", as: ada@example.com }
triggers:
  deploys: { worker: scribe, secret: "\${DEPLOYS_SECRET}" }
`,
    'workers/careful.md': careful,
  })
  const firstRequestOf = async (runId: string): Promise<string> => {
    const [first] = (await getRun(desk.api, ada.caller, runId)).waitsFor
    return first?.requestId ?? ''
  }
  const approved = await desk.start({ worker: 'careful' })
  await desk.decide(grace, await firstRequestOf(approved))
  await desk.turn(approved, 1)
  const second = await desk.start({ worker: 'careful' })
  await desk.decide(grace, await firstRequestOf(second), { decision: 'deny' })
  await desk.start({ worker: 'careful', mode: 'strict' })
  const scheduled = await triggerSchedule(desk.api, grace.caller, { name: 'yearly' })
  await desk.decide(linus, await firstRequestOf(scheduled.id))
  await desk.turn(scheduled.id, 1)
  const trigger = (await desk.api.policies.inForce()).config.triggers.get('deploys')
  if (trigger === undefined) throw new Error('The version in force has the trigger')
  const message = { trigger, key: null, input: 'x', messageId: undefined }
  const triggered = await startFromTrigger(desk.api, message)
  desk.say({ calls: [{ tool: 'write_file', input: { path: 'notes/t.md', content: 't\n' } }] })
  const turn = await desk.turn(triggered.id, 1)
  const [call] = await desk.calls(triggered.id, 1)
  await desk.decide(ada, call?.requestId ?? '')
  await desk.perform(turn)
  await desk.activate({ 'countersign.yaml': quorumOfTwo })
}

/** One write is approved for the run, and runs again on the grant. */
async function grantedRun(desk: AgentDesk): Promise<string> {
  const write = { tool: 'write_file', input: { path: 'notes/a.md', content: 'a\n' } }
  desk.say({
    text: 'First.',
    calls: [write, { tool: 'delete_file', input: { path: 'notes/a.md' } }],
  })
  desk.say({ text: 'Again.', calls: [write] })
  const { runId, turn: first } = await desk.startTurn()
  await desk.perform(first)
  const [call] = await desk.calls(runId, 1)
  await desk.decide(desk.people.grace, call?.requestId ?? '', { scope: 'run' })
  await desk.perform(first)
  await desk.perform(await desk.turn(runId, 2))
  await desk.turn(runId, 3)
  await closeRun(desk.api, { runId })
  return runId
}

/** A write that takes two people, neither of whom has spoken to the run. */
async function twoPeople(desk: AgentDesk): Promise<string> {
  desk.say({
    text: 'I write.',
    calls: [{ tool: 'write_file', input: { path: 'notes/b.md', content: 'b\n' } }],
  })
  const runId = await desk.start()
  await messageRun(desk.api, desk.people.ada.caller, { runId, text: 'Mind the spelling.' })
  const turn = await desk.turn(runId, 1)
  const [call] = await desk.calls(runId, 1)
  const requestId = call?.requestId ?? ''
  await desk.decide(desk.people.ada, requestId).catch(() => undefined)
  await desk.decide(desk.people.grace, requestId, { reason: 'Looks right.' })
  await desk.decide(await linusOf(desk), requestId)
  await desk.perform(turn)
  await desk.turn(runId, 2)
  await closeRun(desk.api, { runId })
  return requestId
}

async function denyAndStop(desk: AgentDesk): Promise<void> {
  desk.say({
    text: 'I would.',
    calls: [
      { tool: 'write_file', input: { path: 'notes/c.md', content: 'c\n' } },
      { tool: 'write_file', input: { path: 'notes/d.md', content: 'd\n' } },
    ],
  })
  const { runId } = await desk.startTurn()
  const [call] = await desk.calls(runId, 1)
  await desk.decide(desk.people.grace, call?.requestId ?? '', { decision: 'deny', then: 'stop' })
}

async function linusOf(desk: AgentDesk): Promise<TestPerson> {
  const { id, name } = await rowOf(desk.database.db, 'person', { email: 'linus@example.com' })
  return { id, name, caller: { actor: { type: 'person', id, name }, channel: 'dashboard' } }
}
