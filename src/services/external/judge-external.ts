import { builtInTool } from '#domain/tools/built-in-tools.ts'
import { callsWithin, maxCallsWithin } from '#domain/hooks/calls-within.ts'
import { callDigest } from '#domain/json/digest.ts'
import type { Judgement } from '#domain/deciding/judgement.ts'
import { Problem } from '#domain/problem.ts'
import { judgeUnknownTool } from '#policy/judge/unknown-tool.ts'
import type { Caller, SigningContext } from '../core/context.ts'
import type { ProvenFolder, RemoteJudgement } from '../core/host-queries.ts'
import { inUnitOfWork } from '../core/unit-of-work.ts'
import type { ExternalInput } from '../requests/facts/external-input.ts'
import { byProgram } from '../core/authority.ts'
import { resolve } from 'node:path'
import { hostProofId, isHostProof } from '#domain/requests/host-proof.ts'
import { isRealFolderIn } from '../engine/judging/proven-here.ts'
import type { Origin } from '../requests/facts/origin.ts'

/** A program touches files and runs commands itself; what our other tools do is done by a run. */
function isDoneByRun(tool: string): boolean {
  const declared = builtInTool(tool)
  return declared !== undefined && declared.givenBy !== 'zones' && declared.givenBy !== 'shell'
}

/**
 * A permit of a program's request is to be taken within an hour of the approval (architecture.md,
 * states).
 */
const permitForMs = 60 * 60 * 1000

/** A program's call as policy sees it, and as it would be shown. */
export interface ExternalJudgement extends Pick<RemoteJudgement, 'judgement' | 'presented'> {
  /**
   * the program works in the workspace, on its host: with a worker, the workspace's own files were
   * read and shown
   */
  readonly proved: boolean
}

/** Where the program has proved to work, and whether a person changed its call. */
export interface JudgementBasis {
  readonly proven: ProvenFolder | null
  readonly isEdit: boolean
}

/**
 * What policy says of a program's call: that of the worker it names, on the host of the workspace,
 * or without one that its tool is unknown and asks. Rejects with `unknown_worker`,
 * `invalid_request` (it could not run), `policy_blocked` (in the trail), or
 * `workspace_unreachable`.
 */
export async function judgeExternal(
  ctx: SigningContext,
  caller: Caller,
  call: ExternalInput,
): Promise<ExternalJudgement> {
  const judged = await judgeProven(ctx, call, {
    proven: await provenFolder(ctx, call.origin),
    isEdit: false,
  })
  const { judgement } = judged
  if (judgement.verdict === 'error') {
    throw new Problem('invalid_request', judgement.reason, { field: 'input' })
  }
  if (judgement.verdict === 'blocked') {
    await recordBlock(ctx, caller, judgement)
    throw new Problem('policy_blocked', judgement.reason, { rule: judgement.rule?.id ?? null })
  }
  return judged
}

/**
 * The same of a program that has proved to work in a folder, or in none, without any refusal. Such
 * a call is approved once; it may be changed unless the program cannot make another one.
 */
export async function judgeProven(
  ctx: SigningContext,
  call: ExternalInput,
  at: JudgementBasis,
): Promise<ExternalJudgement> {
  const judged =
    call.worker === undefined
      ? { ...(await alone(ctx, call)), proved: at.proven !== null }
      : await byWorker(ctx, call, at)
  const { routing } = judged.judgement
  if (routing === null) return judged
  const edits = call.edits ?? routing.edits
  const frozen = { ...routing, permitForMs, scopes: ['once' as const], edits }
  return { ...judged, judgement: { ...judged.judgement, routing: frozen } }
}

async function alone(
  ctx: SigningContext,
  call: ExternalInput,
): Promise<Omit<ExternalJudgement, 'proved'>> {
  const policy = await ctx.policies.inForce()
  const queue = call.queue ?? null
  if (queue !== null && !policy.config.queues.has(queue)) {
    throw invalid('queue', 'is not a queue of this project')
  }
  const { tool, input } = call
  return {
    judgement: await judgeUnknownTool({ policy, worker: null, queue, tool, input }),
    presented: null,
  }
}

async function byWorker(
  ctx: SigningContext,
  call: ExternalInput,
  { proven, isEdit }: JudgementBasis,
): Promise<ExternalJudgement> {
  const { worker = '', tool, input } = call
  if (call.queue !== undefined) throw invalid('queue', 'is decided by the worker that is named')
  if (isDoneByRun(tool)) throw invalid('tool', 'is done by runs of ours only')
  const policy = await ctx.policies.inForce()
  if (!policy.workers.has(worker)) {
    throw new Problem('unknown_worker', `There is no worker ${worker}`)
  }
  const within = callsWithin(
    { tool, input },
    call.hasNoRoot === true ? undefined : call.origin?.folder,
  )
  if (within.length > maxCallsWithin) {
    throw invalid('input', `changes more than ${maxCallsWithin} files: split the call`)
  }
  for (const inner of within) {
    const judged = await byWorker(ctx, { ...call, ...inner }, { proven, isEdit })
    const { verdict } = judged.judgement
    if (verdict === 'blocked' || verdict === 'error') return judged
  }
  const question = { worker, tool, input, present: true, byProgram: true, isEdit }
  const judged = await ctx.judgeRemotely({ ...question, ...(proven === null ? {} : { proven }) })
  const { judgement } = judged
  // The answer came through Temporal: at least it must be about this call and say what it was shown
  // for.
  const isOwn =
    judgement.tool === tool &&
    (judgement.toolHash === 'none' || callDigest(judgement) === judgement.digest)
  if (!isOwn) throw new Problem('unavailable', 'The answer of the workspace is about another call')
  // Whatever an answer holds: of a program that has proved nothing, no file of the workspace is
  // shown.
  const proved = proven !== null && judged.filesRead === true
  return { judgement, presented: proved ? judged.presented : null, proved }
}

function invalid(field: string, message: string): Problem {
  return new Problem('invalid_request', `${field} ${message}`, { field, message })
}

/** Records in the trail that policy blocked a program's call. */
export async function recordBlock(
  ctx: SigningContext,
  caller: Caller,
  judgement: Judgement,
): Promise<void> {
  await inUnitOfWork(ctx, byProgram(caller), (unit) =>
    unit.audit({
      type: 'call.judged',
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

/**
 * The folder in which a program has proved to work: its proof is right for that very path, the path
 * is a real one of this host, and it is the workspace or lies in it (product.md 46). `null`
 * otherwise; no file is looked at before the proof is right.
 */
export async function provenFolder(
  ctx: Pick<SigningContext, 'hostProof' | 'policies' | 'projectDir' | 'taskQueue'>,
  origin: Origin | undefined,
): Promise<ProvenFolder | null> {
  if (origin?.proof === undefined) return null
  const { folder, proof } = origin
  const key = await ctx.hostProof()
  return key === null || !isHostProof(key, folder, proof) ? null : folderHere(ctx, folder)
}

/**
 * A folder for which the program proved once that it works there: it must still be a real one of
 * the workspace on this host.
 */
export async function folderHere(
  ctx: Pick<SigningContext, 'hostProof' | 'policies' | 'projectDir' | 'taskQueue'>,
  folder: string,
): Promise<ProvenFolder | null> {
  const key = await ctx.hostProof()
  if (key === null) return null
  const { config } = await ctx.policies.inForce()
  const workspace = config.workspaces.get('default')
  if (workspace === undefined) return null
  // With a task queue of its own it is on another host.
  if (workspace.taskQueue !== null && workspace.taskQueue !== ctx.taskQueue) return null
  const root = resolve(ctx.projectDir, workspace.root)
  return (await isRealFolderIn(folder, root)) ? { folder, keyId: hostProofId(key) } : null
}
