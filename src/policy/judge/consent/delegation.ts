import { callWorkerName, type AccessOf } from '#domain/tools/built-in-tools.ts'
import type { JsonObject } from '#domain/json/json.ts'
import type { AttachmentAsk } from '#domain/deciding/judgement.ts'
import { limits } from '#domain/limits.ts'

import type { Policy } from '../../policy.ts'
import type { WorkerDefinition } from '../../worker-definition.ts'
import { inputProblem } from '../../worker/input-schema.ts'
import type { CanonicalCall } from '../calls/canonical-call.ts'
import { strictest, type Opinion } from './opinion.ts'
import { protectedOpinions } from './protected-consent.ts'
import type { PolicyQuery } from '../calls/policy-query.ts'
import { route } from '../routing/route.ts'
import type { CallTraits } from '../routing/when-matches.ts'
import { startOpinion } from './start-consent.ts'
import { zoneOpinions } from './zone-consent.ts'

/** The accesses of a delegation for each attachment: it is read, and shared with another worker. */
export function attachmentAccesses(
  paths: readonly string[],
): readonly AccessOf<typeof callWorkerName>[] {
  return paths.flatMap((path) => [
    { operation: 'read', path, target: 'file' } as const,
    { operation: 'share', path, target: 'file' } as const,
  ])
}

/**
 * Step 3 of a delegation: whether this worker may call that one here (product.md 23). It checks the
 * allow-list, existence, depth and cycles, then `refuseTarget`; a sentence for the model, or
 * `null`. Other tools pass.
 */
export async function refusedDelegation(
  query: PolicyQuery,
  worker: WorkerDefinition,
  call: CanonicalCall,
): Promise<string | null> {
  if (call.tool.name !== callWorkerName) return null
  const name = targetOf(call.input)
  const lineage = query.lineage ?? [worker.name]
  const target = query.policy.workers.get(name)
  const canBeCreatedInRun =
    isUnlisted(worker, name) && target !== undefined && query.isCreatedInRun !== undefined
  const isCreatedInRun = canBeCreatedInRun && (await query.isCreatedInRun(target))
  const targetProblem = refusedTarget(query.policy, worker, lineage, name, isCreatedInRun)
  if (targetProblem !== null) return targetProblem
  const wrong =
    target?.input == null ? null : inputProblem(target.input, call.input['input'] ?? null)
  if (wrong !== null) {
    const schema = JSON.stringify(target?.input)
    return `${wrong.sentence}; runs of ${name} are started with: ${schema}`
  }
  return target === undefined ? null : ((await query.refuseTarget?.(target)) ?? null)
}

function refusedTarget(
  policy: Policy,
  worker: WorkerDefinition,
  lineage: readonly string[],
  name: string,
  isCreatedInRun: boolean,
): string | null {
  const quoted = JSON.stringify(name)
  if (isUnlisted(worker, name) && !isCreatedInRun) {
    const names = worker.workers.length === 0 ? 'no worker' : worker.workers.join(', ')
    return `${worker.name} may not call the worker ${quoted}; it may call: ${names}`
  }
  if (!policy.workers.has(name)) return `There is no worker ${quoted}`
  if (lineage.includes(name)) {
    return `The worker ${quoted} is at work above this call (${lineage.join(' › ')}): a worker is not called in a circle`
  }
  const maxDepth = limits.delegationDepth
  if (lineage.length > maxDepth) return `Runs may be delegated at most ${maxDepth} deep`
  return null
}

function isUnlisted(worker: WorkerDefinition, name: string): boolean {
  return !worker.workers.includes(name)
}

/** The opinions about a delegation besides `tools`; `null` for every other call. */
export function delegationOpinion(
  policy: Policy,
  worker: WorkerDefinition,
  call: CanonicalCall,
): Opinion | null {
  if (call.tool.name !== callWorkerName) return null
  const opinions = [unlistedOpinion(worker, call), askingStartOpinion(policy, call)]
  return strictest(opinions.filter((opinion) => opinion !== null))
}

/**
 * A call of a worker that the run itself wrote and no list names asks, whatever the worker's
 * `tools` say (product.md 43); `null` for every other call.
 */
function unlistedOpinion(worker: WorkerDefinition, call: CanonicalCall): Opinion | null {
  const name = targetOf(call.input)
  if (!isUnlisted(worker, name)) return null
  const text = `the worker ${JSON.stringify(name)} was written by this run: calling it asks`
  const rule = { id: 'tool:call_worker:made', text, source: null }
  return { approval: 'ask', rule, reason: null, isHighRisk: false }
}

/**
 * A delegation to a worker whose runs ask before they begin asks, whatever `tools` say: the request
 * shows the input of that run (product.md 45).
 */
function askingStartOpinion({ config, workers }: Policy, call: CanonicalCall): Opinion | null {
  const target = workers.get(targetOf(call.input))
  const opinion = target === undefined ? null : startOpinion(config, target)
  return opinion === null || opinion.approval === 'preApproved' ? null : opinion
}

/** Attachments that need an approval: their zone's `read` or `share` asks. */
export function askingAttachments(
  query: Pick<PolicyQuery, 'policy' | 'projectDir'>,
  worker: WorkerDefinition,
  call: CanonicalCall,
  traits: CallTraits,
): readonly AttachmentAsk[] {
  if (call.tool.name !== callWorkerName) return []
  const { policy } = query
  return attachmentsOf(call.input).flatMap((path) => {
    const accesses = attachmentAccesses([path])
    const guarded = protectedOpinions(policy, worker, query.projectDir, accesses)
    const decisive = strictest([...guarded, ...zoneOpinions(worker, accesses)])
    if (decisive?.approval !== 'ask') return []
    const risk = decisive.isHighRisk ? 'high' : traits.risk
    const to = route(policy.config, { ...call, accesses }, { ...traits, accesses, risk })
    const { routing } = to
    if (routing === null) return []
    const once = { ...routing, scopes: ['once' as const], edits: 'off' as const }
    return [{ path, rule: decisive.rule, risk: to.risk, routing: once }]
  })
}

/** The attachments of a delegation's canonical input. */
function attachmentsOf(input: JsonObject): readonly string[] {
  const { attachments } = input
  return Array.isArray(attachments) ? attachments.filter((path) => typeof path === 'string') : []
}

/** The worker that a delegation's canonical input names. */
export function targetOf(input: JsonObject): string {
  const { worker } = input
  return typeof worker === 'string' ? worker : ''
}
