import {
  principalsOfInvocation,
  type Invocation,
} from '../../requests/people/principals-of-call.ts'
import { principalsOfRun } from '../../requests/people/principals-of-run.ts'
import type { Selectable } from 'kysely'
import type { Judgement } from '#domain/deciding/judgement.ts'
import type { Json } from '#domain/json/json.ts'
import { ToolProblem } from '#domain/tools/tool-problem.ts'
import type { ToolRegistry } from '#domain/tools/tool.ts'
import { judge } from '#policy/judge/judge.ts'
import type { RunTable } from '#store/tables/runs.ts'
import { refusedToWorkspace } from '#policy/workspaces.ts'
import { isCreatedInRun } from '../delegation/created-in-run.ts'
import { refusedStart } from '../../runs/starting/refused-start.ts'
import { findGrant } from '../../grants/find-grant.ts'
import type { RunTerms } from '../../core/run-terms.ts'
import type { WorkerContext } from '../../core/worker-context.ts'
import { cueFactsIn, type TurnFacts } from './facts-of-turn.ts'
import type { AssumedWorkspace } from './turn-proposals.ts'

/** One call of a run, judged by the policy in force. */
export interface CallToJudge {
  readonly run: Pick<
    Selectable<RunTable>,
    'id' | 'root_run_id' | 'worker' | 'started_by' | 'workspace'
  >
  readonly terms: RunTerms
  readonly registry: ToolRegistry
  readonly tool: string
  readonly input: Json
  readonly hasDuplicateId: boolean
  /** `null`: the model makes the call */
  readonly invocation: Invocation | null
  /** id of a call that was approved: whoever edited it is behind the child run that it starts */
  readonly approvedCallId?: string
  /** whether live grants count; the renewal of an approval asks again in spite of grants */
  readonly canUseGrants: boolean
  readonly assumed: Pick<AssumedWorkspace, 'workspace' | 'earlierWrites'>
  /** of the turn; absent: the cues of the call were found before */
  readonly cueFacts?: TurnFacts['cueFacts']
}

/**
 * The verdict of policy on a call of a run, including live grants (workers-and-policy.md, from call
 * to verdict).
 */
export async function judgeOne(ctx: WorkerContext, call: CallToJudge): Promise<Judgement> {
  const { policy, lineage, mode } = call.terms
  return judge({
    policy,
    lineage,
    refuseTarget: async (target) =>
      refusedToWorkspace(policy.config, call.run.workspace, target) ??
      (await refusedStart(ctx, policy, target, call.run.started_by, async () => [
        ...(await principalsOfRun(ctx.db, call.run.id)),
        ...(await principalsOfInvocation(ctx.db, {
          runId: call.run.id,
          invocation:
            call.invocation ??
            (call.approvedCallId === undefined ? null : { callId: call.approvedCallId }),
        })),
      ])),
    isCreatedInRun: async (target) =>
      call.terms.statement !== null &&
      (await isCreatedInRun(ctx, call.terms.statement.rootRunId, target)),
    worker: call.run.worker,
    tool: call.tool,
    input: call.input,
    runMode: mode,
    registry: call.registry,
    workspace: call.assumed.workspace,
    earlierWrites: call.assumed.earlierWrites,
    projectDir: ctx.projectDir,
    commandHost: ctx.commandHost,
    hasDuplicateId: call.hasDuplicateId,
    runsHere: true,
    byPerson: call.invocation !== null,
    ...(call.cueFacts === undefined
      ? {}
      : { cueFacts: cueFactsIn(call.assumed.workspace.root, call.cueFacts) }),
    findGrant: async (lookup) => {
      if (!call.canUseGrants) return null
      const grant = await findGrant(ctx, {
        runId: call.run.id,
        rootRunId: call.run.root_run_id,
        call: lookup,
        invocation: call.invocation,
        restsOn: async () => {
          const tool = call.registry.get(lookup.tool)
          try {
            return (await tool?.restsOn?.(lookup.input, call.assumed.workspace)) ?? null
          } catch (error) {
            // The command names too much, as its presentation says: no grant covers it.
            if (error instanceof ToolProblem) return null
            throw error
          }
        },
      })
      return grant === null ? null : { id: grant.id, text: grant.ruleText }
    },
  })
}

/** Id of the rule by which the mode `strict` turns an ask into a denial (product.md 21). */
export const strictRuleId = 'mode:strict'
