import type { Selectable } from 'kysely'
import { createWorkerName, isBuiltInTool } from '#domain/tools/built-in-tools.ts'
import type { Judgement } from '#domain/deciding/judgement.ts'
import type { ToolRegistry } from '#domain/tools/tool.ts'
import type { Policy } from '#policy/policy.ts'
import type { RunTable } from '#store/tables/runs.ts'
import { judge } from '#policy/judge/judge.ts'
import type { RunCueFacts } from '#policy/judge/calls/policy-query.ts'
import { withGatewayWorkers } from '#policy/worker/gateway-workers.ts'
import { isServerTool, judgeUnknownTool } from '#policy/judge/unknown-tool.ts'
import type { OpenWorkspace } from '#sandbox/workspace.ts'
import { defaultWorkspace } from '#domain/tools/workspace-name.ts'
import { policyInWorkspace, workspacesOf } from '#policy/workspaces.ts'
import type { ProvenFolder, RemoteJudgement, JudgeQuery } from '../../core/host-queries.ts'
import type { WorkerContext } from '../../core/worker-context.ts'
import { addEarlier } from './earlier-proposals.ts'
import { cueFactsIn, factsOfTurn } from './facts-of-turn.ts'
import { invocationOf, type Invocation } from '../../requests/people/principals-of-call.ts'
import { judgeOne } from './judge-one.ts'
import { accessesOf } from './judge-turn.ts'
import { isProvenHere } from './proven-here.ts'
import { unreadWorkspace, withUnreadFiles } from './unread-files.ts'
import { storePresented } from '../../requests/opening/store-presented.ts'
import { presentCall } from './present-call.ts'
import { TurnProposals, type AssumedWorkspace } from './turn-proposals.ts'
import { termsOf, type RunTerms } from '../../core/run-terms.ts'
import { placeOfRun } from '../../core/run-place.ts'

/**
 * Judges a hypothetical or edited call on the host that has the workspace; it opens nothing. With
 * `runId` the run's signed mode and grants count, with `callId` also the proposals of earlier calls
 * of its turn. With `present` the presentation is stored, if the call asks and can be shown, or if
 * it is an edit, whose request exists already. For a program's call no file is read and nothing is
 * shown, unless the program proved that it works in this workspace (product.md 46). Without a run
 * the workspace is the worker's first one, on the host of `taskQueue`.
 */
export async function judgeCall(
  ctx: WorkerContext,
  question: JudgeQuery,
  taskQueue: string,
): Promise<RemoteJudgement> {
  const query = await openQuery(ctx, question, taskQueue)
  const answer = await answerQuery(ctx, question, query)
  return question.byProgram === true && !query.isUnread ? { ...answer, filesRead: true } : answer
}

/** A question with all that its judgement needs. */
interface OpenQuery {
  readonly run: Selectable<RunTable> | null
  readonly terms: RunTerms | null
  readonly policy: Policy
  readonly registry: ToolRegistry
  readonly assumed: AssumedWorkspace
  /** the program may be on any host: no file of this one is read, and nothing is shown */
  readonly isUnread: boolean
}

async function openQuery(
  ctx: WorkerContext,
  question: JudgeQuery,
  taskQueue: string,
): Promise<OpenQuery> {
  const run = await runOf(ctx, question.runId)
  const terms = run === null ? null : await termsOf(ctx, run)
  const byProgram = question.byProgram === true
  const policy = terms?.policy ?? (await policyWithoutRun(ctx, question))
  const place =
    run === null
      ? { taskQueue, workspace: policy.config.workspace ?? defaultWorkspace }
      : placeOfRun(run)
  const tools = await ctx.registryOf(policy, question.worker, [question.tool], place)
  const hasWorktrees = policy.config.workspaces.get(place.workspace)?.worktree !== undefined
  const isExplained = run === null && !byProgram && hasWorktrees
  const registry = isExplained ? withoutBranches(tools) : tools
  const openOwn = (): Promise<OpenWorkspace> => ctx.workspaceOf(place, policy)
  const provenOwn = byProgram ? await provenWorkspace(ctx, question.proven, openOwn) : null
  const proposals = new TurnProposals(provenOwn ?? (byProgram ? unreadWorkspace : await openOwn()))
  if (question.callId !== undefined) await addEarlier(ctx, question.callId, proposals, registry)
  const assumed = await proposals.below(() => accessesOf(registry, question.tool, question.input))
  return { run, terms, policy, registry, assumed, isUnread: byProgram && provenOwn === null }
}

async function answerQuery(
  ctx: WorkerContext,
  question: JudgeQuery,
  query: OpenQuery,
): Promise<RemoteJudgement> {
  const { run, policy, registry, assumed, isUnread } = query
  const unknown = run === null ? await unknownToProgram(policy, registry, question) : null
  if (unknown !== null && !isServerTool(question.tool)) {
    return { judgement: unknown, presented: null }
  }
  const judgement = await judgeQuery(ctx, question, query)
  // The worker does not know the servers of a program. Of its rules for a server with the same
  // name, only a block counts.
  if (unknown !== null && judgement.verdict !== 'blocked') {
    return { judgement: unknown, presented: null }
  }
  const tool = registry.get(question.tool)
  const presents = judgement.verdict === 'ask' || isEditedTo(judgement, question)
  // A tool would show files of this host, and a program without a proof may be on any host.
  if (isUnread || tool === undefined || !presents) return { judgement, presented: null }
  // A call about files that cannot be shown asks nobody (workers-and-policy.md, step 7), also in an
  // explanation: the text of an edit does not occur, or a new worker is not valid, for example.
  const isAboutFiles = tool.name === createWorkerName || tool.accesses(judgement.input).length > 0
  if (!question.present && !isAboutFiles) {
    return { judgement, presented: null }
  }
  const signal = new AbortController().signal
  const presentation = await presentCall(tool, judgement, { workspace: assumed.workspace, signal })
  if (!presentation.ok) {
    return { judgement: notPresentable(judgement, presentation.text), presented: null }
  }
  if (!question.present) return { judgement, presented: null }
  return {
    judgement,
    presented: await storePresented(ctx.db, judgement, presentation.presented, assumed.assumes),
  }
}

async function judgeQuery(
  ctx: WorkerContext,
  question: JudgeQuery,
  { run, terms, policy, registry, assumed, isUnread }: OpenQuery,
): Promise<Judgement> {
  const common = { registry, tool: question.tool, input: question.input, hasDuplicateId: false }
  if (run !== null && terms !== null) {
    return judgeOne(ctx, {
      ...common,
      run,
      terms,
      invocation: await readInvocation(ctx, question),
      canUseGrants: true,
      assumed,
      cueFacts: (await factsOfTurn(ctx.db, run, run.turn, [question.tool])).cueFacts,
    })
  }
  return judge({
    ...common,
    policy,
    worker: question.worker,
    runMode: 'prompt',
    workspace: assumed.workspace,
    projectDir: ctx.projectDir,
    commandHost: isUnread ? withUnreadFiles(ctx.commandHost) : ctx.commandHost,
    byPerson: question.invokedBy !== undefined,
    runsHere: question.byProgram !== true,
    ...(isUnread ? {} : { cueFacts: factsWithoutRun(assumed.workspace.root, question.tool) }),
    findGrant: async () => null,
  })
}

/** The judgement of a call that cannot run as it is. */
function notPresentable(judgement: Judgement, reason: string): Judgement {
  const steps = [...judgement.steps, { step: 'presentation', outcome: 'error', detail: reason }]
  return { ...judgement, verdict: 'error', rule: null, routing: null, reason, steps }
}

/**
 * Without a run there is no branch that could be looked at. A run of this worker has one, and its
 * difference is judged when the run makes the call.
 */
function withoutBranches(registry: ToolRegistry): ToolRegistry {
  return {
    all: () => registry.all(),
    get(name) {
      const tool = registry.get(name)
      if (tool?.touches === undefined) return tool
      const { touches: _, ...rest } = tool
      return rest
    },
  }
}

/** A program works in the default workspace, a worker in its first one. */
async function policyWithoutRun(ctx: WorkerContext, question: JudgeQuery): Promise<Policy> {
  const policy = withGatewayWorkers(await ctx.policies.inForce())
  const worker = policy.workers.get(question.worker)
  if (worker === undefined || question.byProgram === true) return policy
  return policyInWorkspace(policy, workspacesOf(worker)[0])
}

/** An edit may get a milder verdict than `ask` (product.md 11): the request stays open. */
function isEditedTo(judgement: Judgement, question: JudgeQuery): boolean {
  const isEdit = question.callId !== undefined || question.isEdit === true
  return judgement.verdict === 'preApproved' && isEdit
}

/** The workspace of this host for a program that proved that it works there; else `null`. */
async function provenWorkspace(
  ctx: WorkerContext,
  proven: ProvenFolder | undefined,
  openOwn: () => Promise<OpenWorkspace>,
): Promise<OpenWorkspace | null> {
  if (proven === undefined) return null
  const workspace = await openOwn()
  return (await isProvenHere(ctx, proven, workspace.root)) ? workspace : null
}

/**
 * The judgement of a tool that only the program has: it asks, or an overlay blocks it. `null`: the
 * tool is the worker's or built in. A tool of an MCP server is always the program's, since the
 * worker's server of that name may be another one.
 */
async function unknownToProgram(
  policy: Policy,
  registry: ToolRegistry,
  { byProgram, input, tool, worker: name }: JudgeQuery,
): Promise<Judgement | null> {
  const worker = policy.workers.get(name)
  const isKnown = registry.get(tool) !== undefined && !isServerTool(tool)
  if (byProgram !== true || worker === undefined || isKnown || isBuiltInTool(tool)) return null
  const isObject = typeof input === 'object' && input !== null && !Array.isArray(input)
  return isObject ? judgeUnknownTool({ policy, worker, queue: null, tool, input }) : null
}

/** For a call without a run: only the facts about files. */
function factsWithoutRun(root: string, tool: string): RunCueFacts {
  return cueFactsIn(root, { usedTools: new Set([tool]), outsider: null })
}

async function runOf(
  ctx: WorkerContext,
  runId: string | undefined,
): Promise<Selectable<RunTable> | null> {
  if (runId === undefined) return null
  const run = await ctx.db.selectFrom('run').selectAll().where('id', '=', runId).executeTakeFirst()
  return run ?? null
}

/** A person's call stays theirs when it is edited. */
async function readInvocation(
  ctx: WorkerContext,
  { invokedBy, callId }: JudgeQuery,
): Promise<Invocation | null> {
  if (invokedBy !== undefined) return { personId: invokedBy }
  if (callId === undefined) return null
  const call = await ctx.db
    .selectFrom('tool_call')
    .select(['id', 'manual'])
    .where('id', '=', callId)
    .executeTakeFirst()
  return call === undefined ? null : invocationOf(call)
}
