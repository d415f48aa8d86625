import { createPolicyReader } from '#services/policy/activations/policy-reader.ts'
import { takeTurn } from '#services/engine/turns/take-turn.ts'
import type { WorkerContext } from '#services/core/worker-context.ts'
import { connectDatabase } from '#store/database.ts'
import {
  agentDeskOn,
  type AgentDesk,
  type ModelStepCall,
} from '#test/harness/fixtures/agent-desk.ts'
import { filesForLongRuns, turnCosts, type TurnCost } from '#test/harness/fixtures/turn-costs.ts'
import { monotonicMs, percentiles, round } from '../figures.ts'
import { storedConversation } from './stored-conversation.ts'
import { onOwnPostgres } from '../own-postgres.ts'

const turns = 60
const warmUps = 15
const callsOfTurn = 10
const conversationTurns = 500
const longRunTurns = [2, 50, 200]
const longRuns = 15
const longRunWarmUps = 4

/**
 * `takeTurn` of ten calls with a model that answers at once, on a Postgres of its own that waits
 * for its disk.
 */
export async function benchTurn(): Promise<object> {
  return onOwnPostgres(async (database) => {
    await using desk = await agentDeskOn(database)
    return await measure(desk)
  })
}

async function measure(desk: AgentDesk): Promise<object> {
  const { url } = desk.database
  await using db = connectDatabase({ url, poolSize: 5, applicationName: 'countersign bench' })
  const policies = createPolicyReader({ ...desk.worker, db })
  const worker = { ...desk.worker, db, policies }
  const reads = await turnsOf(desk, worker, () => ({
    tool: 'read_file',
    input: { path: 'notes/read.md' },
  }))
  const writes = await turnsOf(desk, worker, (index) => ({
    tool: 'write_file',
    input: { path: `notes/written-${index}.md`, content: `Note ${index}\n` },
  }))
  return {
    calls: callsOfTurn,
    targetMs: 15,
    preApprovedMs: reads,
    askingMs: writes,
    turnsOfOneRun: await turnsOfLongRuns(desk),
    conversation: await storedConversation(desk, conversationTurns),
  }
}

/** The counts of turns of one run, and their processor time as the median of several runs. */
async function turnsOfLongRuns(desk: AgentDesk): Promise<object> {
  await desk.activate(filesForLongRuns)
  const runs: ReadonlyMap<number, TurnCost>[] = []
  for (let run = 0; run < longRunWarmUps + longRuns; run += 1) {
    runs.push(await turnCosts(desk, longRunTurns))
  }
  const measured = runs.slice(longRunWarmUps)
  return Object.fromEntries(
    longRunTurns.map((turn) => {
      const { p50 } = percentiles(measured.map((costs) => costs.get(turn)?.processorMs ?? 0))
      return [turn, { ...measured[0]?.get(turn), processorMs: p50 }]
    }),
  )
}

/**
 * Milliseconds on the clock, and of this process' own processor time, of a turn in which the model
 * makes ten of these calls.
 */
async function turnsOf(
  desk: AgentDesk,
  worker: WorkerContext,
  callAt: (index: number) => ModelStepCall,
): Promise<{ p50: number; p95: number; processorMs: number }> {
  await desk.write('notes/read.md', 'A note\n')
  const calls = Array.from({ length: callsOfTurn }, (_, index) => callAt(index))
  const samples: number[] = []
  let processorMs = 0
  for (let turn = 0; turn < warmUps + turns; turn += 1) {
    const runId = await desk.start()
    desk.say({ text: 'I act.', calls })
    const { signal } = new AbortController()
    const usage = process.cpuUsage()
    const began = monotonicMs()
    const outcome = await takeTurn(worker, { runId, turn: 1, signal })
    if (turn >= warmUps) {
      samples.push(monotonicMs() - began)
      const { user, system } = process.cpuUsage(usage)
      processorMs += (user + system) / 1000
    }
    if (outcome.kind !== 'calls') throw new Error(`a turn was ${outcome.kind}`)
  }
  return { ...percentiles(samples), processorMs: round(processorMs / samples.length) }
}
