import type { Selectable } from 'kysely'
import type { Judgement } from '#domain/deciding/judgement.ts'
import type { Json } from '#domain/json/json.ts'
import { limits } from '#domain/limits.ts'
import type { RequestKind } from '#domain/requests/request.ts'
import type { Access } from '#domain/tools/access.ts'
import type { CallPresentation, ToolRegistry } from '#domain/tools/tool.ts'
import { onOneConnection, together } from '#store/connection/side-by-side.ts'
import type { RunTable, ToolCallTable } from '#store/tables/runs.ts'
import type { PresentedAttachment } from '../delegation/attachments.ts'
import { within } from '../../core/context.ts'
import { placeOfRun } from '../../core/run-place.ts'
import type { WorkerContext } from '../../core/worker-context.ts'
import { factsOfTurn, type TurnFacts } from './facts-of-turn.ts'
import { judgeOne } from './judge-one.ts'
import { presentCall } from './present-call.ts'
import { TurnProposals } from './turn-proposals.ts'
import { termsOf, type RunTerms } from '../../core/run-terms.ts'
import { invocationOf } from '../../requests/people/principals-of-call.ts'

/** The result of judging a call: a result at once, an execution, or a request. */
export type JudgedCall =
  | { readonly kind: 'refused'; readonly callId: string; readonly text: string }
  | { readonly kind: 'judged'; readonly callId: string; readonly judgement: Judgement }
  | {
      readonly kind: 'asks'
      readonly callId: string
      readonly asks: Extract<RequestKind, 'tool_call' | 'question'>
      readonly judgement: Judgement
      readonly presented: CallPresentation
      readonly attachments: readonly PresentedAttachment[]
      readonly assumes: number | null
    }

/**
 * Judges the stored calls of a turn in order, by the policy in force, and presents those that ask,
 * each on top of what the earlier ones propose. Reads only; throws when judging itself fails.
 */
export async function judgeTurn(
  ctx: WorkerContext,
  turn: {
    readonly run: Selectable<RunTable>
    readonly calls: readonly Selectable<ToolCallTable>[]
    /** the stored inputs of the calls, by their hashes */
    readonly inputs: ReadonlyMap<string, string>
    readonly signal: AbortSignal
  },
): Promise<JudgedCall[]> {
  const { run, calls, inputs } = turn
  const maxCalls = limits.callsPerTurn
  if (calls.length > maxCalls) {
    const text = `A turn may have at most ${maxCalls} calls; this one had ${calls.length}, and none was carried out.`
    return calls.map((call) => ({ kind: 'refused', callId: call.id, text }))
  }
  const names = calls.map(({ tool }) => tool)
  const [terms, { hasGrants, cueFacts }] = await onOneConnection(ctx.db, (on) =>
    together([
      termsOf(within(ctx, on), run),
      factsOfTurn(on, run, calls[0]?.turn ?? run.turn, names),
    ]),
  )
  const { policy } = terms
  const place = placeOfRun(run)
  const registry = await ctx.registryOf(policy, run.worker, names, place)
  const workspace = await ctx.workspaceOf(place, policy)
  return workspace.look((base) => {
    const shared = { run, terms, registry, hasGrants, cueFacts, signal: turn.signal }
    const pending = { count: run.pending_requests }
    return judgeEach(ctx, calls, inputs, { ...shared, pending, proposals: new TurnProposals(base) })
  })
}

async function judgeEach(
  ctx: WorkerContext,
  calls: readonly Selectable<ToolCallTable>[],
  inputs: ReadonlyMap<string, string>,
  shared: Omit<PendingCall, 'call' | 'input' | 'hasDuplicateId'>,
): Promise<JudgedCall[]> {
  const ids = Map.groupBy(calls, (call) => call.tool_call_id)
  const results: JudgedCall[] = []
  for (const call of calls) {
    const input = JSON.parse(inputs.get(call.input_hash) ?? 'null') as Json
    if (isInvalidJson(input)) {
      const text = 'The arguments of this call are not valid JSON. Nothing was carried out.'
      results.push({ kind: 'refused', callId: call.id, text })
      continue
    }
    results.push(
      await judgeAndPresent(ctx, {
        ...shared,
        call,
        input,
        hasDuplicateId: (ids.get(call.tool_call_id)?.length ?? 0) > 1,
      }),
    )
  }
  return results
}

interface PendingCall {
  readonly run: Selectable<RunTable>
  readonly terms: RunTerms
  readonly registry: ToolRegistry
  readonly proposals: TurnProposals
  /** the number of pending requests of the run including earlier calls; this call adds its own */
  readonly pending: { count: number }
  readonly signal: AbortSignal
  readonly call: Selectable<ToolCallTable>
  /** the run has grants that may cover the call */
  readonly hasGrants: boolean
  readonly input: Json
  readonly hasDuplicateId: boolean
  readonly cueFacts: TurnFacts['cueFacts']
}

async function judgeAndPresent(ctx: WorkerContext, judging: PendingCall): Promise<JudgedCall> {
  const { call, proposals, registry, pending } = judging
  const assumed = await proposals.below(() => accessesOf(registry, call.tool, judging.input))
  const judgement = await judgeOne(ctx, {
    run: judging.run,
    terms: judging.terms,
    registry,
    tool: call.tool,
    input: judging.input,
    hasDuplicateId: judging.hasDuplicateId,
    invocation: invocationOf(call),
    canUseGrants: judging.hasGrants,
    assumed,
    cueFacts: judging.cueFacts,
  })
  const tool = registry.get(call.tool)
  if (tool === undefined || (judgement.verdict !== 'ask' && judgement.verdict !== 'preApproved')) {
    return { kind: 'judged', callId: call.id, judgement }
  }
  const context = { workspace: assumed.workspace, signal: judging.signal }
  if (judgement.verdict === 'preApproved') {
    proposals.add(call.position, tool.accesses(judgement.input), async () => {
      const presentation = await presentCall(tool, judgement, context)
      return presentation.ok ? presentation.presented.proposes : undefined
    })
    // A call that reads a path which an earlier call writes must run after it.
    const readsEarlierWrite = tool
      .accesses(judgement.input)
      .some(({ path }) => assumed.earlierWrites.has(path))
    const isReadOnly = judgement.readOnly && !readsEarlierWrite
    return { kind: 'judged', callId: call.id, judgement: { ...judgement, readOnly: isReadOnly } }
  }
  const presentation = await presentCall(tool, judgement, context)
  if (!presentation.ok) {
    const refusal = {
      ...judgement,
      verdict: 'error' as const,
      reason: presentation.text,
      rule: null,
    }
    return { kind: 'judged', callId: call.id, judgement: refusal }
  }
  const { presented, attachments } = presentation
  const requests = 1 + attachments.length
  const maxPending = limits.pendingRequestsPerRun
  if (pending.count + requests > maxPending) {
    const text = `At most ${maxPending} requests of a run can be pending at the same time. ${pending.count} are pending, and this call needs ${requests} more. Nothing was carried out: repeat the call when others have been decided.`
    return { kind: 'refused', callId: call.id, text }
  }
  pending.count += requests
  proposals.add(call.position, tool.accesses(judgement.input), async () => presented.proposes)
  const asks = tool.needsPerson === 'answer' ? 'question' : 'tool_call'
  const { assumes } = assumed
  return { kind: 'asks', callId: call.id, asks, judgement, presented, attachments, assumes }
}

/** The paths that a call touches, before it is judged; none when it cannot be parsed. */
export async function accessesOf(
  registry: ToolRegistry,
  toolName: string,
  input: Json,
): Promise<readonly Access[]> {
  const tool = registry.get(toolName)
  if (tool === undefined) return []
  const parsedInput = await tool.parse(input)
  return parsedInput.ok ? tool.accesses(parsedInput.input) : []
}

function isInvalidJson(input: Json): boolean {
  return (
    input !== null &&
    typeof input === 'object' &&
    !Array.isArray(input) &&
    Object.keys(input).length === 1 &&
    typeof input['invalidJson'] === 'string'
  )
}
