import type { JsonObject } from '../../domain/json.ts'
import type { AttachmentAsk } from '../../domain/judgement.ts'
import { limits } from '../../domain/limits.ts'
import type { Access } from '../../domain/tool.ts'

import type { Policy, WorkerDefinition } from '../policy.ts'
import { callWorkerName } from '../worker/built-in-tool-names.ts'
import type { CanonicalCall } from './calls/canonical-call.ts'
import { strictest } from './consent/opinion.ts'
import { protectedOpinions } from './consent/protected-consent.ts'
import type { JudgeQuestion } from './question.ts'
import { route } from './routing/route.ts'
import type { CallTraits } from './routing/when-matches.ts'
import { zoneOpinions } from './consent/zone-consent.ts'

/** What delegating a call touches of each attachment: it is read, and shared with another worker. */
export function attachmentAccesses(paths: readonly string[]): readonly Access[] {
  return paths.flatMap((path) => [
    { operation: 'read', path, target: 'file' } as const,
    { operation: 'share', path, target: 'file' } as const,
  ])
}

/**
 * Step 3 of a delegation: may this worker call that one here (product.md 23)? Allow-list, existence, depth and cycles,
 * then what the caller of `judge` knows of the target; a sentence for the model, or `null`. Other tools pass.
 */
export async function refusedDelegation(
  question: JudgeQuestion,
  worker: WorkerDefinition,
  call: CanonicalCall,
): Promise<string | null> {
  if (call.tool.name !== callWorkerName) return null
  const name = targetOf(call.input)
  const lineage = question.lineage ?? [worker.name]
  const refused = refusedTarget(question.policy, worker, lineage, name)
  if (refused !== null) return refused
  const target = question.policy.workers.get(name)
  return target === undefined ? null : ((await question.refuseTarget?.(target)) ?? null)
}

function refusedTarget(
  policy: Policy,
  worker: WorkerDefinition,
  lineage: readonly string[],
  name: string,
): string | null {
  const quoted = JSON.stringify(name)
  if (!worker.workers.includes(name)) {
    return `${worker.name} may not call the worker ${quoted}; it may call: ${worker.workers.join(', ')}`
  }
  if (!policy.workers.has(name)) return `There is no worker ${quoted}`
  if (lineage.includes(name)) {
    return `The worker ${quoted} is at work above this call (${lineage.join(' › ')}): a worker is not called in a circle`
  }
  const most = limits.delegationDepth
  if (lineage.length > most) return `Runs may be delegated at most ${most} deep`
  return null
}

/** The attachments of a delegation that need an approval of their own: their zone's `read` or `share` asks. */
export function askingAttachments(
  question: Pick<JudgeQuestion, 'policy' | 'projectDir'>,
  worker: WorkerDefinition,
  call: CanonicalCall,
  traits: CallTraits,
): readonly AttachmentAsk[] {
  if (call.tool.name !== callWorkerName) return []
  const { policy } = question
  return attachmentsOf(call.input).flatMap((path) => {
    const accesses = attachmentAccesses([path])
    const guarded = protectedOpinions(policy, worker, question.projectDir, accesses)
    const decisive = strictest([...guarded, ...zoneOpinions(worker, accesses)])
    if (decisive?.word !== 'ask') return []
    const risk = decisive.highRisk ? 'high' : traits.risk
    const to = route(policy.config, { ...call, accesses }, { ...traits, accesses, risk })
    const { routing } = to
    if (routing === null) return []
    const once = { ...routing, scopes: ['once' as const], edits: 'off' as const }
    return [{ path, rule: decisive.rule, risk: to.risk, routing: once }]
  })
}

/** The attachments of a delegation's canonical input. */
export function attachmentsOf(input: JsonObject): readonly string[] {
  const { attachments } = input
  return Array.isArray(attachments) ? attachments.filter((path) => typeof path === 'string') : []
}

/** The worker that a delegation's canonical input names. */
export function targetOf(input: JsonObject): string {
  const { worker } = input
  return typeof worker === 'string' ? worker : ''
}
