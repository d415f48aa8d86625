import { callDigest } from '../../domain/digest.ts'
import type { Judgement } from '../../domain/judgement.ts'
import { Problem } from '../../domain/problem.ts'
import { judgeUnknownTool } from '../../policy/judge/calls/unknown-tool.ts'
import { callWorkerName, createWorkerName } from '../../policy/worker/built-in-tool-names.ts'
import type { Caller, RemoteJudgement, SigningContext } from '../context.ts'
import { inUnitOfWork } from '../unit-of-work.ts'
import type { ExternalInput } from './external-input.ts'
import { requireProgram } from './require-program.ts'

/** What these do is done by a run. */
const toolsOfRuns: readonly string[] = [callWorkerName, createWorkerName, 'ask_person']

/** A permit of a program's request is to be taken within an hour of the approval (architecture.md, states). */
const permitForMs = 60 * 60 * 1000

/**
 * What policy says of a program's call: that of the worker it names, on the host of the workspace, or without one that
 * its tool is unknown and asks. Such a call is decided as it is: once, and without edits. Rejects with `unknown_worker`,
 * `invalid_request` (it could not run), `policy_blocked` (in the trail), or `workspace_unreachable`.
 */
export async function judgeExternal(
  ctx: SigningContext,
  caller: Caller,
  asked: ExternalInput,
): Promise<RemoteJudgement> {
  const judged = asked.worker === undefined ? await alone(ctx, asked) : await byWorker(ctx, asked)
  const { judgement } = judged
  if (judgement.verdict === 'error') {
    throw new Problem('invalid_request', judgement.reason, { field: 'input' })
  }
  if (judgement.verdict === 'blocked') {
    await recordBlock(ctx, caller, judgement)
    throw new Problem('policy_blocked', judgement.reason, { rule: judgement.rule?.id ?? null })
  }
  const { routing } = judgement
  const frozen =
    routing === null
      ? null
      : { ...routing, permitForMs, scopes: ['once' as const], edits: 'off' as const }
  return { ...judged, judgement: { ...judgement, routing: frozen } }
}

async function alone(ctx: SigningContext, asked: ExternalInput): Promise<RemoteJudgement> {
  const policy = await ctx.policies.inForce()
  const queue = asked.queue ?? null
  if (queue !== null && !policy.config.queues.has(queue)) {
    throw invalid('queue', 'is not a queue of this project')
  }
  const { tool, input } = asked
  return {
    judgement: judgeUnknownTool({ policy, worker: null, queue, tool, input }),
    presented: null,
  }
}

async function byWorker(ctx: SigningContext, asked: ExternalInput): Promise<RemoteJudgement> {
  const { worker = '', tool, input } = asked
  if (asked.queue !== undefined) throw invalid('queue', 'is decided by the worker that is named')
  if (toolsOfRuns.includes(tool)) throw invalid('tool', 'is done by runs of ours only')
  const policy = await ctx.policies.inForce()
  if (!policy.workers.has(worker)) {
    throw new Problem('unknown_worker', `There is no worker ${worker}`)
  }
  const judged = await ctx.judgeRemotely({ worker, tool, input, present: true, byProgram: true })
  const { judgement } = judged
  // The answer came through Temporal: at least it must be about this call and say what it was shown for.
  const isOwn =
    judgement.tool === tool &&
    (judgement.toolHash === 'none' || callDigest(judgement) === judgement.digest)
  if (!isOwn) throw new Problem('unavailable', 'The answer of the workspace is about another call')
  return judged
}

function invalid(field: string, message: string): Problem {
  return new Problem('invalid_request', `${field} ${message}`, { field, message })
}

async function recordBlock(
  ctx: SigningContext,
  caller: Caller,
  judgement: Judgement,
): Promise<void> {
  const actor = requireProgram(caller)
  await inUnitOfWork(ctx, (unit) =>
    unit.audit({
      type: 'call.judged',
      actor,
      channel: caller.channel,
      digest: judgement.digest,
      policyDigest: judgement.policyDigest,
      detail: {
        verdict: 'blocked',
        rule: judgement.rule?.id ?? null,
        tool: judgement.tool.slice(0, 200),
        kind: 'external',
      },
    }),
  )
}
