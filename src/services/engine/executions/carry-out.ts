import { shareRunning } from '#domain/sharing/share-running.ts'
import { BrokenRule } from '#domain/tools/broken-rule.ts'
import type { CommitIdentity } from '#domain/tools/commit-identity.ts'
import type { ExecuteContext } from '#domain/tools/tool.ts'
import type { ToolResult } from '#domain/tools/tool-result.ts'
import { UncertainChange } from '#domain/tools/uncertain-change.ts'
import { WorkspaceProblem } from '#domain/tools/workspace-problem.ts'
import { unchangedRuleId } from '#policy/judge/consent/unchanged.ts'
import { runHasEnded } from '../lifecycle/run-has-ended.ts'
import type { StopReason, WorkerContext } from '../../core/worker-context.ts'
import { settlementPollMs } from '../attempts/end-earlier-attempt.ts'
import type { ExecutionPlan } from '../attempts/execution-plan.ts'
import { readEarlierResult } from '../../transcript/read-earlier-result.ts'
import { recordOutput } from './record-output.ts'

/**
 * How a started tool ended. `stale`: a base had changed, nothing ran. `lost`: unknown.
 */
export type Effect =
  | { readonly kind: 'returned'; readonly result: ToolResult }
  | { readonly kind: 'stale' }
  | {
      readonly kind: 'stopped'
      readonly why: StopOfCall
      /** a forbidden effect that was undone, as a sentence */
      readonly violation: string | null
      /** the last text of a tool that ended by itself after the stop */
      readonly lastText: string | null
    }
  | { readonly kind: 'lost'; readonly why: string }

/** Why a call is stopped. */
export type StopOfCall = Exclude<StopReason, 'timed_out'> | 'again'

/** A call whose attempt was started, and what ends it early. */
interface WorkOfCall {
  readonly runId: string
  readonly callId: string
  readonly attempt: number
  /** the attempt's number for the tool: that of the first, when it is repeated */
  readonly keyAttempt: number
  readonly plan: ExecutionPlan
  /** for a command */
  readonly commit: CommitIdentity | null
  /** aborts with a `StopOfCall` */
  readonly stop: AbortSignal
}

/** Executes a started call's tool, outside any transaction. */
export async function carryOut(ctx: WorkerContext, work: WorkOfCall): Promise<Effect> {
  const { plan, stop } = work
  const live = recordOutput(ctx, work)
  try {
    if (plan.authorisation.by === 'policy' && plan.judgement.rule?.id === unchangedRuleId) {
      return await unchangedResult(plan)
    }
    const act = (place: Pick<ExecuteContext, 'traceparent'>) =>
      plan.tool.execute(plan.input, {
        ...place,
        workspace: plan.workspace,
        signal: stop,
        idempotencyKey: `${work.callId}:${work.keyAttempt}`,
        facts: plan.facts,
        ...(work.commit === null ? {} : { commit: work.commit }),
        onOutput: live.add,
        earlierResult: (place) => readEarlierResult(ctx.db, work.runId, place),
        // A person's permit, and a grant that remembers one, are for the presentation
        // (Judgement.printed).
        printed: plan.authorisation.by === 'policy' ? plan.judgement.printed : null,
      })
    const call = { callId: work.callId, tool: plan.tool }
    const result = await (ctx.aroundTool?.(call, act) ?? act({}))
    const isStopped = stop.aborted && isPlainFailure(result)
    return isStopped ? stopEffect(stop, null, result.text) : { kind: 'returned', result }
  } catch (error) {
    if (error instanceof WorkspaceProblem && error.code === 'stale') return { kind: 'stale' }
    const violation = error instanceof BrokenRule ? error.message : null
    if (stop.aborted) return stopEffect(stop, violation, null)
    ctx.log.warn({ callId: work.callId, err: error }, 'A tool ended without a result')
    const why = error instanceof UncertainChange ? error.message : 'the tool ended without a result'
    return { kind: 'lost', why: violation === null ? why : `${why}; ${violation}` }
  } finally {
    await live.end()
  }
}

export interface CallStop {
  /** aborts with a `StopOfCall` */
  readonly signal: AbortSignal
  unwatch(): void
}

/**
 * Watches whether a call is to stop, until `unwatch` is called: when this process shuts down, once
 * the store confirms that the run is cancelled (a forged cancel stops nothing), or when a person
 * settled the attempt as `again`. A time-out does not stop it: nobody waits for the attempt, but
 * its end is still stored.
 */
export async function watchStop(
  ctx: WorkerContext,
  work: {
    readonly runId: string
    readonly callId: string
    readonly attempt: number
    readonly signal: AbortSignal
    /** aborts when the next attempt is about to begin in this process */
    readonly again: AbortSignal
  },
): Promise<CallStop> {
  const { signal, again } = work
  const stop = new AbortController()
  let watch: NodeJS.Timeout | null = null
  let isReported = false
  const lookUp = shareRunning(async () => {
    try {
      const isCancelled = signal.reason === 'cancelled' && (await runHasEnded(ctx.db, work.runId))
      if (isCancelled) stop.abort('cancelled')
      else if (await isToRunAgain(ctx, work)) stop.abort('again')
    } catch (error) {
      if (!isReported) {
        ctx.log.error({ callId: work.callId, err: error }, 'A stop could not be confirmed yet')
      }
      isReported = true
    }
  })
  const consider = async (): Promise<void> => {
    if (signal.reason === 'shutdown') return stop.abort('shutdown')
    // A forged cancel can come before the person's, or before a time-out: Temporal then reports
    // neither.
    watch = setInterval(() => void lookUp(), settlementPollMs)
    await lookUp()
  }
  const considerStop = (): void => void consider()
  again.addEventListener('abort', () => stop.abort('again'), { once: true })
  if (signal.aborted) await consider()
  else signal.addEventListener('abort', considerStop, { once: true })
  return {
    signal: stop.signal,
    unwatch() {
      signal.removeEventListener('abort', considerStop)
      if (watch !== null) clearInterval(watch)
    },
  }
}

/**
 * A call that is pre-approved because it would change nothing never acts: it is `stale` when it
 * would now change something.
 */
async function unchangedResult({ input, tool, workspace }: ExecutionPlan): Promise<Effect> {
  const text = (await tool.whyUnchanged?.(input, workspace)) ?? null
  if (text === null) return { kind: 'stale' }
  const output = { unchanged: true }
  return { kind: 'returned', result: { type: 'output', output, text: `already so: ${text}.` } }
}

/** Most tools throw when they are stopped: the stop is the cause, and not a failure. */
function isPlainFailure({ type, violation, exitCode }: ToolResult): boolean {
  return type === 'error' && violation === undefined && exitCode === undefined
}

function stopEffect(stop: AbortSignal, violation: string | null, lastText: string | null): Effect {
  const why = stop.reason as StopOfCall
  return { kind: 'stopped', why, violation, lastText }
}

/** Whether a person has settled that this attempt did nothing and the call shall run again. */
async function isToRunAgain(
  ctx: WorkerContext,
  work: { readonly callId: string; readonly attempt: number },
): Promise<boolean> {
  const row = await ctx.db
    .selectFrom('execution')
    .select('settled_then')
    .where('call_id', '=', work.callId)
    .where('attempt', '=', work.attempt)
    .executeTakeFirst()
  return row?.settled_then === 'again'
}
