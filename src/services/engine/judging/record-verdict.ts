import { sql, type RawBuilder, type Selectable } from 'kysely'
import type { AuditEntry } from '#domain/audit-event.ts'
import type { Judgement } from '#domain/deciding/judgement.ts'
import type { Verdict } from '#domain/policy/verdict.ts'
import { isOneOf } from '#store/connection/is-one-of.ts'
import { toJsonb, type Tx } from '#store/database.ts'
import type { RunTable, ToolCallTable } from '#store/tables/runs.ts'
import type { Caller } from '../../core/context.ts'
import type { UnitOfWork } from '../../core/unit-of-work.ts'
import { strictRuleId } from './judge-one.ts'
import { wordlessHash } from '../../transcript/messages.ts'
import { strictText } from '../../transcript/result-texts.ts'
import { storeResult } from '../../transcript/store-result.ts'
import type { SystemCaller } from '../../core/authority.ts'

/** A verdict of a call, and its request, if one was opened. */
export interface CallVerdict {
  readonly caller: Caller
  readonly call: Pick<Selectable<ToolCallTable>, 'id' | 'turn' | 'position'>
  readonly judgement: Judgement
  /** `null`: the call keeps its request */
  readonly requestId: string | null
}

/** Stores a verdict with its policy, and records it in the trail. */
export async function recordVerdict(
  unit: UnitOfWork,
  caller: Caller,
  run: Pick<Selectable<RunTable>, 'id'>,
  call: Pick<Selectable<ToolCallTable>, 'id' | 'turn' | 'position'>,
  judgement: Judgement,
): Promise<void> {
  await recordVerdicts(unit, run, [{ caller, call, judgement, requestId: null }])
}

/** The same for several calls of a run, in one query. */
export async function recordVerdicts(
  unit: UnitOfWork,
  run: Pick<Selectable<RunTable>, 'id'>,
  verdicts: readonly CallVerdict[],
): Promise<void> {
  if (verdicts.length === 0) return
  await verdictsToStore(verdicts).execute(unit.tx)
  await auditVerdicts(unit, run, verdicts)
}

/** The query that stores verdicts, of which there is at least one. */
export function verdictsToStore(verdicts: readonly CallVerdict[]): RawBuilder<unknown> {
  const rows = verdicts.map(({ call, judgement, requestId }) => ({
    id: call.id,
    verdict: verdictOf(judgement),
    digest: judgement.digest,
    rule: judgement.rule,
    policy_digest: judgement.policyDigest,
    read_only: judgement.readOnly,
    grant_id: judgement.grantId,
    request_id: requestId,
  }))
  return sql`
    update tool_call set verdict = judged.verdict, digest = judged.digest, rule = judged.rule,
      policy_digest = judged.policy_digest, read_only = judged.read_only, grant_id = judged.grant_id,
      request_id = coalesce(judged.request_id, tool_call.request_id)
    from jsonb_to_recordset(${toJsonb(rows)}) as judged(id uuid, verdict text, digest text, rule jsonb,
      policy_digest text, read_only boolean, grant_id uuid, request_id uuid)
    where tool_call.id = judged.id and ${isOneOf(
      'tool_call.id',
      rows.map(({ id }) => id),
    )}
  `
}

/** Records verdicts in the trail. */
export async function auditVerdicts(
  unit: UnitOfWork,
  run: Pick<Selectable<RunTable>, 'id'>,
  verdicts: readonly CallVerdict[],
): Promise<void> {
  await unit.audit(...verdicts.map((verdict) => judgedEntry(run, verdict)))
}

function judgedEntry(
  run: Pick<Selectable<RunTable>, 'id'>,
  { caller, call, judgement }: CallVerdict,
): AuditEntry {
  return {
    type: 'call.judged',
    actor: caller.actor,
    channel: caller.channel,
    runId: run.id,
    callId: call.id,
    digest: judgement.digest,
    policyDigest: judgement.policyDigest,
    detail: {
      verdict: verdictOf(judgement),
      rule: judgement.rule?.id ?? null,
      grantId: judgement.grantId,
      tool: judgement.tool.slice(0, 200),
      turn: call.turn,
      position: call.position,
    },
  }
}

/** Stores the result of a call that policy refuses; does nothing for others. */
export async function storeRefusal(tx: Tx, callId: string, judgement: Judgement): Promise<void> {
  if (judgement.verdict === 'error') {
    await storeResult(tx, callId, { type: 'error', text: judgement.reason })
  } else if (judgement.rule?.id === strictRuleId) {
    await storeResult(tx, callId, {
      type: 'denied',
      text: strictText(judgement.tool, judgement.reason),
    })
  } else if (judgement.verdict === 'blocked') {
    await storeResult(tx, callId, { type: 'blocked', text: judgement.reason })
  }
}

/** When policy asks and the mode refuses, the verdict of the policy is stored. */
function verdictOf(judgement: Judgement): Verdict {
  return judgement.rule?.id === strictRuleId ? 'ask' : judgement.verdict
}

/**
 * Expression on `tool_call`: the content hash of what the model wrote in the turn of the call;
 * `null` when it wrote nothing.
 */
export const agentReason = sql<string | null>`(
  select nullif(content_hash, ${wordlessHash}) from message
  where message.run_id = tool_call.run_id and message.turn = tool_call.turn and role = 'assistant')`

/** The same for one call. */
export async function agentReasonOf(tx: Tx, callId: string): Promise<string | null> {
  const call = await tx
    .selectFrom('tool_call')
    .select(agentReason.as('agent_reason'))
    .where('id', '=', callId)
    .executeTakeFirst()
  return call?.agent_reason ?? null
}

/** The policy that judges a call opens its request, refuses it or lets it run. */
export function judgementCaller(judgement: Pick<Judgement, 'policyDigest'>): SystemCaller {
  return { actor: { type: 'policy', id: judgement.policyDigest }, channel: 'workflow' }
}
