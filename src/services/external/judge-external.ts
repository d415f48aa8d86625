import { builtInTool } from '#domain/tools/built-in-tools.ts'
import { callsWithin, isReading, maxCallsWithin } from '#domain/hooks/calls-within.ts'
import { callDigest } from '#domain/json/digest.ts'
import type { Judgement } from '#domain/deciding/judgement.ts'
import { Problem } from '#domain/problem.ts'
import { judgeUnknownTool } from '#policy/judge/unknown-tool.ts'
import type { Caller, SigningContext } from '../core/context.ts'
import type { ProvenFolder, RemoteJudgement } from '../core/host-queries.ts'
import { inUnitOfWork } from '../core/unit-of-work.ts'
import { invalid } from '../core/problems/invalid.ts'
import type { ExternalInput } from '../requests/facts/external-input.ts'
import { byProgram } from '../core/authority.ts'
import { resolve } from 'node:path'
import { hostProofId, isHostProof } from '#domain/requests/host-proof.ts'
import { isRealFolderIn } from '../engine/judging/proven-here.ts'
import type { Origin } from '#api/schemas/requests/external.ts'
import { requireWorker } from '../core/require-worker.ts'

/** Programs touch files and run commands themselves; other built-in tools are for runs. */
function isDoneByRun(tool: string): boolean {
  const declared = builtInTool(tool)
  return declared !== undefined && declared.givenBy !== 'zones' && declared.givenBy !== 'shell'
}

/**
 * The permit of a program's request must be consumed within an hour of the approval
 * (architecture.md, states).
 */
const permitForMs = 60 * 60 * 1000

/** The judgement of a program's call, and its presentation. */
export interface ExternalJudgement extends Pick<RemoteJudgement, 'judgement' | 'presented'> {
  /**
   * the program works in the workspace, on its host: with a worker, the workspace's own files were
   * read and shown
   */
  readonly proved: boolean
}

/** The folder in which the program proved that it works, and whether a person changed its call. */
export interface JudgementBasis {
  readonly proven: ProvenFolder | null
  readonly isEdit: boolean
  /** somebody will be asked, and has to see it */
  readonly presents: boolean
}

/**
 * Judges a program's call: by the policy of the worker it names, on the host of the workspace, or
 * without one as an unknown tool, which asks. Rejects with `unknown_worker`, `invalid_request` (it
 * could not run), `policy_blocked` (in the trail), or `workspace_unreachable`.
 */
export async function judgeExternal(
  ctx: SigningContext,
  caller: Caller,
  call: ExternalInput,
): Promise<ExternalJudgement> {
  const result = await judgeProven(ctx, call, {
    proven: await provenFolder(ctx, call.origin),
    isEdit: false,
    presents: true,
  })
  const { judgement } = result
  if (judgement.verdict === 'error') {
    throw new Problem('invalid_request', judgement.reason, { field: 'input' })
  }
  if (judgement.verdict === 'blocked') {
    await recordBlock(ctx, caller, judgement)
    throw new Problem('policy_blocked', judgement.reason, { rule: judgement.rule?.id ?? null })
  }
  return result
}

/**
 * The same, with or without a proven folder, and without any refusal. Such a call is approved once;
 * it may be changed unless the program cannot make another one.
 */
export async function judgeProven(
  ctx: SigningContext,
  call: ExternalInput,
  at: JudgementBasis,
): Promise<ExternalJudgement> {
  const result =
    call.worker === undefined
      ? { ...(await alone(ctx, call)), proved: at.proven !== null }
      : await byWorker(ctx, call, at)
  const { routing } = result.judgement
  if (routing === null) return result
  const edits = call.edits ?? routing.edits
  const frozen = { ...routing, permitForMs, scopes: ['once' as const], edits }
  return { ...result, judgement: { ...result.judgement, routing: frozen } }
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
  { proven, isEdit, presents }: JudgementBasis,
): Promise<ExternalJudgement> {
  const { worker = '', tool, input } = call
  if (call.queue !== undefined) throw invalid('queue', 'is decided by the worker that is named')
  if (isDoneByRun(tool)) throw invalid('tool', 'is done by runs of ours only')
  const policy = await ctx.policies.inForce()
  requireWorker(policy, worker)
  const within = callsWithin(
    { tool, input },
    call.hasNoRoot === true ? undefined : call.origin?.folder,
  )
  if (within.length > maxCallsWithin) {
    throw invalid('input', `names more than ${maxCallsWithin} files: split the call`)
  }
  for (const inner of within) {
    const answerWithin = await byWorker(
      ctx,
      { ...call, ...inner },
      { proven, isEdit, presents: false },
    )
    const { verdict } = answerWithin.judgement
    // An error only means that the worker's tool cannot make this reading; people decide.
    if (verdict === 'blocked' || (verdict === 'error' && !isReading(inner))) return answerWithin
  }
  const question = { worker, tool, input, present: presents, byProgram: true, isEdit }
  const answer = await ctx.judgeRemotely({ ...question, ...(proven === null ? {} : { proven }) })
  const { judgement } = answer
  requireAnswerAbout(tool, judgement)
  // For a program without a proof, no file of the workspace is shown, whatever the answer contains.
  const proved = proven !== null && answer.filesRead === true
  return { judgement, presented: proved ? answer.presented : null, proved }
}

/** Refuses an answer about another call: it came through Temporal. */
export function requireAnswerAbout(tool: string, judgement: Judgement): void {
  const isOwn =
    judgement.tool === tool &&
    (judgement.toolHash === 'none' || callDigest(judgement) === judgement.digest)
  if (!isOwn) throw new Problem('unavailable', 'The answer of the workspace is about another call')
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
 * The folder in which a program has proved that it works; `null` without such a proof (product.md
 * 46). The proof must be valid for exactly that path, and the path must be a real path of this host
 * that is the workspace or lies in it. No file is read before the proof is verified.
 */
async function provenFolder(
  ctx: Pick<SigningContext, 'hostProof' | 'policies' | 'projectDir' | 'taskQueue'>,
  origin: Origin | undefined,
): Promise<ProvenFolder | null> {
  if (origin?.proof === undefined) return null
  const { folder, proof } = origin
  const key = await ctx.hostProof()
  return key === null || !isHostProof(key, folder, proof) ? null : folderHere(ctx, folder)
}

/** A folder with an earlier proof: it must still be a real one of the workspace on this host. */
export async function folderHere(
  ctx: Pick<SigningContext, 'hostProof' | 'policies' | 'projectDir' | 'taskQueue'>,
  folder: string,
): Promise<ProvenFolder | null> {
  const key = await ctx.hostProof()
  if (key === null) return null
  const { config } = await ctx.policies.inForce()
  const workspace = config.workspaces.get('default')
  if (workspace === undefined) return null
  // A workspace with a task queue of its own is on another host.
  if (workspace.taskQueue !== null && workspace.taskQueue !== ctx.taskQueue) return null
  const root = resolve(ctx.projectDir, workspace.root)
  return (await isRealFolderIn(folder, root)) ? { folder, keyId: hostProofId(key) } : null
}
