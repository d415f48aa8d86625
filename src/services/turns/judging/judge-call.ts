import type { Selectable } from 'kysely'
import type { Judgement } from '../../../domain/judgement.ts'
import type { ToolRegistry } from '../../../domain/tool.ts'
import type { Policy } from '../../../policy/policy.ts'
import type { RunTable } from '../../../store/tables/runs.ts'
import { judge } from '../../../policy/judge/judge.ts'
import { isToolOfOurs, judgeUnknownTool } from '../../../policy/judge/calls/unknown-tool.ts'
import type { RemoteJudgement, RemoteQuestion } from '../../context.ts'
import type { WorkerContext } from '../../worker-context.ts'
import { addEarlier } from '../earlier-proposals.ts'
import { judgeOne } from './judge-one.ts'
import { accessesOf } from './judge-turn.ts'
import { presentCall, storePresented } from '../present-call.ts'
import { TurnProposals } from '../turn-proposals.ts'
import { termsOf } from '../../runs/starting/run-terms.ts'

/**
 * Judges a hypothetical or edited call on the host that has the workspace; nothing is opened. With `runId` the run's
 * signed mode and grants count, with `callId` also what the earlier calls of its turn propose. With `present` what would
 * be shown is stored, if the call asks and can be shown; that of an edited call, which has its request already, also
 * where policy would not have asked. Without a run the workspace is that of `taskQueue`, on which the question came.
 */
export async function judgeCall(
  ctx: WorkerContext,
  question: RemoteQuestion,
  taskQueue: string,
): Promise<RemoteJudgement> {
  const run = await runOf(ctx, question.runId)
  const terms = run === null ? null : await termsOf(ctx, run)
  const policy = terms?.policy ?? (await ctx.policies.inForce())
  const registry = await ctx.registryOf(policy, question.worker)
  const workspace = await ctx.workspaceOf({ taskQueue: run?.task_queue ?? taskQueue }, policy)
  const proposals = new TurnProposals(workspace)
  if (question.callId !== undefined) await addEarlier(ctx, question.callId, proposals, registry)
  const accesses = await accessesOf(registry, question.tool, question.input)
  const assumed = await proposals.below(accesses)
  const common = { registry, tool: question.tool, input: question.input }
  const unknown = run === null ? unknownToProgram(policy, registry, question) : null
  if (unknown !== null) return { judgement: unknown, presented: null }
  const judgement =
    run === null || terms === null
      ? await judge({
          ...common,
          policy,
          worker: question.worker,
          runMode: 'prompt',
          workspace: assumed.workspace,
          projectDir: ctx.projectDir,
          commandHost: ctx.commandHost,
          duplicateId: false,
          byPerson: question.byPerson === true,
          findGrant: async () => null,
        })
      : await judgeOne(ctx, {
          ...common,
          run,
          terms,
          duplicateId: false,
          byPerson: question.byPerson === true || (await isManual(ctx, question.callId)),
          grants: true,
          assumed,
        })
  const tool = registry.get(question.tool)
  const shows = judgement.verdict === 'ask' || isEditedTo(judgement, question)
  if (!question.present || tool === undefined || !shows) return { judgement, presented: null }
  const signal = new AbortController().signal
  const shown = await presentCall(tool, judgement, { workspace: assumed.workspace, signal })
  if (!shown.ok) {
    return { judgement: { ...judgement, verdict: 'error', reason: shown.text }, presented: null }
  }
  return {
    judgement,
    presented: await storePresented(ctx.db, judgement, shown.presented, assumed.assumes),
  }
}

/** An edit may come out better than `ask` (product.md 11): the request that is open stays, and shows what it would be. */
function isEditedTo(judgement: Judgement, question: RemoteQuestion): boolean {
  return judgement.verdict === 'preApproved' && question.callId !== undefined
}

/** The judgement of a tool that only the program has which asks; `null`: the tool is the worker's, or one of ours. */
function unknownToProgram(
  policy: Policy,
  registry: ToolRegistry,
  { byProgram, input, tool, worker: name }: RemoteQuestion,
): Judgement | null {
  const worker = policy.workers.get(name)
  if (byProgram !== true || worker === undefined || registry.get(tool) !== undefined) return null
  const isObject = typeof input === 'object' && input !== null && !Array.isArray(input)
  if (isToolOfOurs(tool) || !isObject) return null
  return judgeUnknownTool({ policy, worker, queue: null, tool, input })
}

async function runOf(
  ctx: WorkerContext,
  runId: string | undefined,
): Promise<Selectable<RunTable> | null> {
  if (runId === undefined) return null
  const run = await ctx.db.selectFrom('run').selectAll().where('id', '=', runId).executeTakeFirst()
  return run ?? null
}

/** A call that a person made stays theirs when it is edited. */
async function isManual(ctx: WorkerContext, callId: string | undefined): Promise<boolean> {
  if (callId === undefined) return false
  const call = await ctx.db
    .selectFrom('tool_call')
    .select('manual')
    .where('id', '=', callId)
    .executeTakeFirst()
  return call?.manual === true
}
