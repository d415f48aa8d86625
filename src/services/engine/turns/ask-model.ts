import { sql, type Selectable } from 'kysely'
import { readResultName } from '#domain/tools/built-in-tools.ts'
import { ModelProblem, type ModelAnswer, type ModelTool } from '#models/model.ts'
import type { Policy } from '#policy/policy.ts'
import { contextOf } from '#policy/worker/context-of.ts'
import { costOf, priceOf } from '#policy/worker/price-of.ts'
import { removeLiveText } from '#store/content/live-text.ts'
import { onOneConnection, together } from '#store/connection/side-by-side.ts'
import type { Tx } from '#store/database.ts'
import type { RunTable } from '#store/tables/runs.ts'
import { within } from '../../core/context.ts'
import { lockRun } from '../../core/locks.ts'
import { preambleOf, type PinnedWorker } from '../../core/runs/pinned-worker.ts'
import { inUnitOfWork } from '../../core/unit-of-work.ts'
import type { WorkerContext } from '../../core/worker-context.ts'
import type { TranscriptMessage } from '../../transcript/load-transcript.ts'
import { seenPictures } from '../../transcript/seen-pictures.ts'
import { loadGrowingTranscript } from '../../transcript/load-growing.ts'
import { restRun } from '../lifecycle/rest-run.ts'
import { compact } from '../window/compact.ts'
import { fitWindow } from '../window/fit-window.ts'
import { maxPromptBytes } from '../window/max-prompt-bytes.ts'
import { updateTurnAttempt } from '../window/turn-attempt.ts'
import { recordText } from './record-text.ts'
import type { AttemptOutcome } from './run-limits.ts'
import type { RunWindow } from './run-window.ts'
import { termsOf } from '../../core/run-terms.ts'
import { bySystem, workflow } from '../../core/authority.ts'

/** How many attempts of a turn may fail before the run waits for a message. */
const maxModelAttempts = 5

export interface ModelStepInput {
  readonly run: Selectable<RunTable>
  readonly turn: number
  readonly attempt: number
  readonly pinned: PinnedWorker
  readonly window: RunWindow
  readonly signal: AbortSignal
}

export interface ModelReply {
  readonly answer: ModelAnswer
  /** the ids that earlier calls of the run have */
  readonly usedIds: ReadonlySet<string>
  /** sequence of the last message that the model received */
  readonly readThrough: number
  /** by the prices in force; `null`: the model has no price */
  readonly costUsd: number | null
  /** size of the prompt */
  readonly promptBytes: number
}

/**
 * Asks the model for one step, with the pinned instructions and model and the tools of the policy
 * in force. Throws the `ModelProblem` when another try may succeed and attempts remain; otherwise
 * the run waits for a message, with the failure stored, and this returns `null`. `again`: the
 * attempt was used to shorten the prompt, and the turn begins again.
 */
export async function askModel(
  ctx: WorkerContext,
  question: ModelStepInput,
): Promise<ModelReply | 'again' | null> {
  const { run, turn, attempt, pinned, window, signal } = question
  const { worker } = pinned
  const [terms, transcript] = await onOneConnection(ctx.db, (on) =>
    together([
      termsOf(within(ctx, on), run),
      loadGrowingTranscript(on, ctx.transcripts, { runId: run.id, turn }),
    ]),
  )
  const { policy } = terms
  const pictures = await seenPictures(ctx.db, transcript)
  const tools = await toolsOfModel(ctx, policy, run.worker)
  const of = { runId: run.id, turn, attempt }
  const room = maxPromptBytes({
    contextTokens: contextOf(policy.config, worker.model),
    maxOutputTokens: worker.settings.maxOutputTokens,
    lastPrompt: window.lastPrompt,
  })
  const price = priceOf(policy.config, worker.model)
  const costUsd = ({ usage }: ModelAnswer): number | null =>
    price === null ? null : costOf(price, usage)
  const recorder = recordText(ctx, of)
  try {
    const system = systemText(preambleOf(pinned, run, terms), worker.instructions)
    const fitted = await fitWindow(ctx, {
      ...of,
      transcript,
      pictures,
      steps: window.steps,
      system,
      tools,
      maxPromptBytes: room,
      isTooLong: window.isRefused,
      mayCompact: worker.script === null,
    })
    const model = ctx.modelOf(worker, policy.config)
    if (fitted.kind === 'compaction') {
      const { throughTurn, steps } = fitted
      const compacting = { ...of, throughTurn, transcript, steps, maxPromptBytes: room, signal }
      await compact(ctx, model, { ...compacting, costOf: costUsd })
      return 'again'
    }
    const { messages, promptBytes } = fitted
    // The tool is offered from the first step on that leaves something out: providers cache tools
    // before messages, so a later change of the tools would void the cache.
    const toolsNow =
      fitted.steps.length > 0 ? tools : tools.filter(({ name }) => name !== readResultName)
    const request = { runId: run.id, turn, system, messages, tools: toolsNow }
    const step = { ...request, signal, onText: recorder.add }
    const answer = await model.step(step)
    return { answer, ...factsOf(transcript), costUsd: costUsd(answer), promptBytes }
  } catch (error) {
    recorder.end()
    if (!(error instanceof ModelProblem)) throw error
    const then = await afterProblem(ctx, question, error)
    if (then === 'throw') throw error
    return then === 'again' ? 'again' : null
  } finally {
    recorder.end()
  }
}

/** The tools of a worker in a policy that its model may call: those that are not for people. */
async function toolsOfModel(
  ctx: WorkerContext,
  policy: Policy,
  worker: string,
): Promise<readonly ModelTool[]> {
  const registry = await ctx.registryOf(policy, worker)
  const settings = policy.workers.get(worker)?.tools
  return registry
    .all()
    .filter(({ manual, name }) => !manual && settings?.get(name)?.manual !== true)
    .map(({ name, description, jsonSchema }) => ({ name, description, jsonSchema }))
}

/** What a reply says about the transcript that it continues. */
function factsOf(
  transcript: readonly TranscriptMessage[],
): Pick<ModelReply, 'readThrough' | 'usedIds'> {
  return {
    readThrough: Math.max(0, ...transcript.map(({ sequence }) => sequence)),
    usedIds: new Set(transcript.flatMap(({ calls }) => calls.map(({ toolCallId }) => toolCallId))),
  }
}

/** The preamble, then the worker's own instructions: the same bytes in every turn of a run. */
function systemText(preamble: string, instructions: string): string {
  if (preamble === '' || instructions === '') return preamble + instructions
  return `${preamble}\n\n---\n\n${instructions}`
}

/** Records the failed attempt; after the last one the run waits for a message. */
async function afterProblem(
  ctx: WorkerContext,
  question: ModelStepInput,
  problem: ModelProblem,
): Promise<'throw' | 'again' | 'rest'> {
  return inUnitOfWork(ctx, bySystem(ctx, workflow), async (unit) => {
    const run = await lockRun(unit.tx, question.run.id)
    const failed = await failuresInARow(unit.tx, question)
    const mayRetry = problem.isRetryable && failed.problems + 1 < maxModelAttempts
    const mayShorten = problem.isTooLong && failed.tooLong === 0
    const outcome = mayShorten ? 'too_long' : mayRetry ? 'model_problem' : 'gave_up'
    const of = { runId: run.id, turn: question.turn, attempt: question.attempt }
    await updateTurnAttempt(unit.tx, of, {
      outcome,
      finished_at: sql<Date>`clock_timestamp()`,
    }).execute()
    await removeLiveText(unit.tx, of)
    if (mayShorten) return 'again'
    if (mayRetry) return 'throw'
    if (run.turn >= question.turn) return 'rest'
    await restRun(unit, run, 'model_failed', {
      code: 'model_failed',
      message: `${problem.message} Send a message to let the run try again.`,
    })
    return 'rest'
  })
}

/** Counted since the run gave up for the last time in this turn. */
async function failuresInARow(
  tx: Tx,
  question: ModelStepInput,
): Promise<{ readonly problems: number; readonly tooLong: number }> {
  const attempts = await tx
    .selectFrom('turn_attempt')
    .select('outcome')
    .where('run_id', '=', question.run.id)
    .where('turn', '=', question.turn)
    .where('attempt', '<', question.attempt)
    .orderBy('attempt', 'desc')
    .execute()
  const end = attempts.findIndex((attempt) => attempt.outcome === 'gave_up')
  const since = attempts.slice(0, end === -1 ? attempts.length : end)
  const count = (outcome: AttemptOutcome): number =>
    since.filter((attempt) => attempt.outcome === outcome).length
  return { problems: count('model_problem'), tooLong: count('too_long') }
}
