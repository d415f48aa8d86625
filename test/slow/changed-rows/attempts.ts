import { mkdir, readdir, readFile, rm } from 'node:fs/promises'
import { join } from 'node:path'
import type { Caller } from '#services/core/context.ts'
import { executeCall } from '#services/engine/executions/execute-call.ts'
import { takeTurn } from '#services/engine/turns/take-turn.ts'
import { consumePermit } from '#services/external/consume-permit.ts'
import { startRun } from '#services/runs/starting/start-run.ts'
import { newMemory } from '../../harness/fixtures/data-folder.ts'
import type { AgentDesk } from '../../harness/fixtures/agent-desk.ts'
import { rowOf } from '../../harness/fixtures/rows.ts'
import { decideAsShown, type AskedCall, type Scene } from './scene.ts'

/** The API and the Temporal worker over rows that somebody changed. */
export type Processes = Pick<AgentDesk, 'api' | 'worker'>

/** What became of an attempt: `done` is an effect that nobody approved. */
type Outcome = 'done' | 'nothing' | 'as shown'

export interface Attempt {
  readonly what: string
  /** what becomes of it, or the code by which it is refused, before a row was changed */
  readonly usually: string
  readonly make: (on: Processes) => Promise<Outcome>
}

/** What must not succeed in a scene, whatever somebody writes into a column. */
export function attemptsOf(scene: Scene): Attempt[] {
  const { desk, calls, requests, starts, keys, edsger } = scene
  const { ada, grace, linus, olga } = desk.people
  const signal = new AbortController().signal

  const approves = (
    who: string,
    caller: Caller,
    requestId: string,
    usually = 'not_eligible',
  ): Attempt => ({
    what: `${who} approves`,
    usually,
    make: async (on) => {
      await decideAsShown(on, caller, requestId, 'approve')
      const { state } = await rowOf(on.api.db, 'request', { id: requestId }, 'state')
      return state === 'approved' ? 'done' : 'nothing'
    },
  })
  const runs = (what: string, call: AskedCall): Attempt => ({
    what: `${what} runs`,
    usually: 'nothing',
    make: async ({ worker }) => {
      desk.executed.length = 0
      await executeCall(worker, { callId: call.callId, signal })
      return desk.executed.length > 0 ? 'done' : 'nothing'
    },
  })
  const asksModel = (what: string, runId: string): Attempt => ({
    what: `${what} asks the model`,
    usually: 'nothing',
    make: async ({ worker }) => {
      desk.modelRequests.length = 0
      await takeTurn(worker, { runId, turn: 1, signal })
      return desk.modelRequests.length > 0 ? 'done' : 'nothing'
    },
  })
  const takes = (what: string, requestId: string, usually: string): Attempt => ({
    what: `${what} gives a permit`,
    usually,
    make: async ({ api }) => {
      const { digest } = await rowOf(api.db, 'request', { id: requestId }, 'digest')
      await consumePermit(api, keys.grace, { request: requestId, digest })
      return 'done'
    },
  })
  const startsRun = (
    what: string,
    input: Partial<Parameters<typeof startRun>[2]>,
    usually: string,
  ): Attempt => ({
    what: `somebody starts ${what}`,
    usually,
    make: async ({ api }) => {
      await startRun(api, ada.caller, { worker: 'scribe', input: 'Go', ...input })
      return 'done'
    },
  })

  return [
    approves('who started the run', ada.caller, calls.waiting.requestId),
    approves('somebody of another team', olga.caller, calls.waiting.requestId),
    approves('somebody who is disabled', edsger.caller, calls.waiting.requestId),
    approves('who wrote to the run', linus.caller, calls.written.requestId),
    approves('who wrote to the run before it was forked', linus.caller, calls.forked.requestId),
    approves('who edited the call', grace.caller, calls.edited.requestId),
    approves('who voted already', grace.caller, calls.halfApproved.requestId, 'already_voted'),
    approves('the owner of the key that started the run', linus.caller, calls.ofKey.requestId),
    approves(
      'somebody without a signature',
      grace.caller,
      calls.signed.requestId,
      'signature_required',
    ),
    approves('somebody after a denial', linus.caller, calls.denied.requestId, 'already_decided'),
    approves('somebody after the end', grace.caller, calls.expired.requestId, 'expired'),
    approves('who started the run, its start,', ada.caller, starts.waiting.requestId),
    approves('the owner of the key that asks', grace.caller, requests.asked),
    approves('for whom the program asks', ada.caller, requests.asker),
    approves('a program', keys.linus, calls.waiting.requestId),
    runs('what waits', calls.waiting),
    runs('what has one of two votes', calls.halfApproved),
    runs('what was denied', calls.denied),
    runs('what has expired', calls.expired),
    runs('what was revoked', calls.revoked),
    runs('what has run', calls.done),
    runs('what a strict run asks', calls.strict),
    runs('what is blocked', calls.blocked),
    runs('what spent its grant', calls.spentGrant),
    runs('what a revoked grant allowed', calls.endedGrant),
    asksModel('a run whose start waits', starts.waiting.runId),
    asksModel('a run whose start was denied', starts.denied.runId),
    takes('what waits', requests.asked, 'conflict'),
    takes('what was denied', requests.refused, 'already_decided'),
    takes('what was taken', requests.taken, 'already_consumed'),
    startsRun('a run that approves all', { mode: 'approve_all' }, 'mode_not_permitted'),
    startsRun('a worker of another team', { worker: 'closed' }, 'forbidden'),
    otherThanShown(scene, calls.approved),
    otherThanShown(scene, calls.granted),
    otherPermit(scene),
  ]
}

/** An approved call does something else than its request showed. */
function otherThanShown({ desk }: Scene, call: AskedCall): Attempt {
  return {
    what: `${call.path} becomes something else than was shown`,
    usually: 'as shown',
    make: async ({ worker }) => {
      const folder = join(desk.root, 'notes')
      const before = await contentsOf(folder)
      // Each time for the first time: what this process remembers is not what protects here.
      await executeCall({ ...worker, ...newMemory() }, { callId: call.callId, signal: forever() })
      const after = await contentsOf(folder)
      const differs = [...after].filter(([name, text]) => before.get(name) !== text)
      const removed = [...before.keys()].filter((name) => !after.has(name))
      for (const [name] of differs) {
        const text = before.get(name)
        await (text === undefined ? rm(join(folder, name)) : desk.write(`notes/${name}`, text))
      }
      for (const name of removed) await desk.write(`notes/${name}`, before.get(name) ?? '')
      if (removed.length === 0 && differs.length === 0) return 'nothing'
      const [[name, text] = []] = differs
      const isShown = `notes/${name}` === call.path && text === `${call.path}\n`
      return removed.length === 0 && differs.length === 1 && isShown ? 'as shown' : 'done'
    },
  }
}

function forever(): AbortSignal {
  return new AbortController().signal
}

async function contentsOf(folder: string): Promise<Map<string, string>> {
  await mkdir(folder, { recursive: true })
  const names = await readdir(folder)
  const texts = names.map(
    async (name) => [name, await readFile(join(folder, name), 'utf8')] as const,
  )
  return new Map(await Promise.all(texts))
}

/** An approval makes a permit for something else than was shown. */
function otherPermit({ desk, calls }: Scene): Attempt {
  const { requestId, runId, callId } = calls.waiting
  return {
    what: 'an approval permits something else than was shown',
    usually: 'as shown',
    make: async (on) => {
      const { db } = desk.api
      const request = await rowOf(db, 'request', { id: requestId })
      const { digest, revision, policy_digest: policyDigest } = request
      await decideAsShown(on, desk.people.grace.caller, requestId, 'approve')
      const permit = await rowOf(on.api.db, 'permit', { request_id: requestId }, 'statement')
      const statement = JSON.parse(permit.statement) as Record<string, unknown>
      const deciders = [desk.people.grace.id]
      const expected = { requestId, runId, callId, digest, revision, policyDigest, deciders }
      const isAsShown = Object.entries(expected).every(
        ([name, value]) => JSON.stringify(statement[name]) === JSON.stringify(value),
      )
      return isAsShown ? 'as shown' : 'done'
    },
  }
}
