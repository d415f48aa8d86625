import { sql, type Selectable } from 'kysely'
import { ModelProblem, type ModelAnswer } from '#models/model.ts'
import type { WorkerDefinition } from '#policy/policy.ts'
import { costOf, priceOf } from '#policy/worker/price-of.ts'
import { removeLiveText } from '#store/content/live-text.ts'
import type { Tx } from '#store/database.ts'
import type { RunTable } from '#store/tables/runs.ts'
import { lockRun } from '../../core/locks.ts'
import { inUnitOfWork } from '../../core/unit-of-work.ts'
import type { WorkerContext } from '../../core/worker-context.ts'
import { callPictures } from '../../transcript/call-pictures.ts'
import { loadTranscript } from '../../transcript/load-transcript.ts'
import { modelMessages } from '../../transcript/model-messages.ts'
import { restRun } from '../lifecycle/rest-run.ts'
import { recordText } from './record-text.ts'
import { termsOf } from '../../core/run-terms.ts'
import { bySystem, workflow } from '../../core/authority.ts'

/** How often a turn asks a model that fails before the run waits for a message. */
export const maxModelAttempts = 5

export interface ModelQuestion {
  readonly run: Selectable<RunTable>
  readonly turn: number
  readonly attempt: number
  readonly worker: WorkerDefinition
  readonly signal: AbortSignal
}

export interface ModelReply {
  readonly answer: ModelAnswer
  /** sequence of the last message that the model received */
  readonly readThrough: number
  /** by the prices in force; `null`: the model has none */
  readonly costUsd: number | null
}

/**
 * Asks the model for one step, with the pinned instructions and model and the tools of the policy
 * in force. Throws the `ModelProblem` when trying again may help and attempts remain; otherwise the
 * run is left waiting for a message, with the failure stored, and the answer is `null`.
 */
export async function askModel(
  ctx: WorkerContext,
  question: ModelQuestion,
): Promise<ModelReply | null> {
  const { run, worker } = question
  const [{ policy }, transcript] = await Promise.all([
    termsOf(ctx, run),
    loadTranscript(ctx.db, run.id),
  ])
  const pictures = await callPictures(ctx.db, transcript)
  const registry = await ctx.registryOf(policy, run.worker)
  const of = { runId: run.id, turn: question.turn, attempt: question.attempt }
  const recorder = recordText(ctx, of)
  try {
    const answer = await ctx.modelOf(worker.model, worker.script).step({
      runId: run.id,
      turn: question.turn,
      system: worker.instructions,
      messages: modelMessages(transcript, pictures),
      tools: registry
        .all()
        .filter(
          (tool) =>
            !tool.manual && policy.workers.get(run.worker)?.tools.get(tool.name)?.manual !== true,
        )
        .map(({ name, description, jsonSchema }) => ({ name, description, jsonSchema })),
      signal: question.signal,
      onText: recorder.add,
    })
    const readThrough = Math.max(0, ...transcript.map((message) => message.sequence))
    const price = priceOf(policy.config, worker.model)
    const costUsd = price === null ? null : costOf(price, answer.usage)
    return { answer, readThrough, costUsd }
  } catch (error) {
    recorder.end()
    if (!(error instanceof ModelProblem)) throw error
    if (await mayTryAgain(ctx, question, error)) throw error
    return null
  } finally {
    recorder.end()
  }
}

/** Records the failed attempt; leaves the run waiting for a message when it was the last one. */
async function mayTryAgain(
  ctx: WorkerContext,
  question: ModelQuestion,
  problem: ModelProblem,
): Promise<boolean> {
  return inUnitOfWork(ctx, bySystem(ctx, workflow), async (unit) => {
    const run = await lockRun(unit.tx, question.run.id)
    const failed = await failuresInARow(unit.tx, question)
    const mayRetry = problem.retryable && failed + 1 < maxModelAttempts
    await unit.tx
      .updateTable('turn_attempt')
      .set({
        outcome: mayRetry ? 'model_problem' : 'gave_up',
        finished_at: sql<Date>`clock_timestamp()`,
      })
      .where('run_id', '=', run.id)
      .where('turn', '=', question.turn)
      .where('attempt', '=', question.attempt)
      .execute()
    await removeLiveText(unit.tx, { ...question, runId: run.id })
    if (mayRetry || run.turn >= question.turn) return mayRetry
    await restRun(unit, run, 'model_failed', {
      code: 'model_failed',
      message: `${problem.message} Post a message to let the run try again.`,
    })
    return false
  })
}

async function failuresInARow(tx: Tx, question: ModelQuestion): Promise<number> {
  const attempts = await tx
    .selectFrom('turn_attempt')
    .select('outcome')
    .where('run_id', '=', question.run.id)
    .where('turn', '=', question.turn)
    .where('attempt', '<', question.attempt)
    .orderBy('attempt', 'desc')
    .execute()
  const end = attempts.findIndex((attempt) => attempt.outcome === 'gave_up')
  return attempts
    .slice(0, end === -1 ? attempts.length : end)
    .filter((attempt) => attempt.outcome === 'model_problem').length
}
