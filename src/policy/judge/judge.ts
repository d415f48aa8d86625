import type { ExplainStep, Judgement, WaitingStep } from '#domain/deciding/judgement.ts'
import type { CueSource } from '#domain/policy/cues.ts'
import type { Rule } from '#domain/policy/verdict.ts'
import type { WorkerDefinition } from '../worker-definition.ts'
import { cuesOfCall } from '../cues/cues-of-call.ts'
import { durationText } from '../reading/duration.ts'
import { canonicalCall, refusedDigest, type CanonicalCall } from './calls/canonical-call.ts'
import { judgeCapability, missingTarget } from './consent/capability.ts'
import { askingAttachments, delegationOpinion, refusedDelegation } from './consent/delegation.ts'
import {
  commandVerdict,
  impossibleCommand,
  refusedCommand,
  unreadCommand,
} from './consent/command-consent.ts'
import { commandTraits } from './routing/command-traits.ts'
import { guardedNames, judgeConsent } from './consent/consent.ts'
import { unchangedRule } from './consent/unchanged.ts'
import { cueFactsOf } from './calls/cue-facts.ts'
import { resolveTool } from './calls/resolve-tool.ts'
import { blockedText, type Opinion } from './consent/opinion.ts'
import type { PolicyQuery } from './calls/policy-query.ts'
import { ownQueue, ownQueueWhy, route, writtenFile } from './routing/route.ts'
import { raisedByCues } from './routing/raised-by-cues.ts'
import type { Route } from './routing/stricter-route.ts'

/**
 * The judgement of one call by policy (workers-and-policy.md, from call to verdict): seven steps,
 * each of which is listed in `steps`. Never throws for a model's input; rejects when the workspace
 * or the grants cannot be read.
 */
export async function judge(query: PolicyQuery): Promise<Judgement> {
  const steps: ExplainStep[] = []
  const note = (step: string, outcome: string, detail: string): void => {
    steps.push({ step, outcome, detail })
  }
  const worker = query.policy.workers.get(query.worker)
  if (worker === undefined) {
    const text = `worker ${query.worker} does not exist in the policy in force`
    note('known', 'blocked', text)
    const rule = { id: 'worker:missing', text, source: null }
    return withoutCall(query, steps, 'blocked', rule, `blocked by policy: ${text}`)
  }

  const toolCall = resolveTool(query, worker)
  if ('error' in toolCall) {
    note('known', 'error', toolCall.error)
    return withoutCall(query, steps, 'error', toolCall.rule, toolCall.error)
  }
  note('known', 'yes', `${query.tool} is a tool of ${worker.name}`)

  const canonical = await canonicalCall(toolCall.tool, query.input, query.workspace)
  if ('error' in canonical) {
    note('canonical', 'error', canonical.error)
    return withoutCall(query, steps, 'error', null, canonical.error)
  }
  const { call } = canonical
  note('canonical', 'yes', call.digest)

  const guarded = guardedNames(query, worker, call)
  const cues = await cuesOfCall({ ...call, tool: call.tool.name, facts: cueFactsOf(query, worker) })
  if (cues.length > 0) note('cues', 'yes', cues.map(({ id, text }) => `${id}: ${text}`).join('; '))
  const place = routeOf(query, worker, call, guarded, cues)
  const answer = answerAt(query, call, place, steps)

  const capability = await judgeCapability(worker, query.workspace, call.accesses)
  if ('error' in capability) {
    note('capability', 'error', capability.error)
    return answer('error', null, capability.error)
  }
  const commandProblem = await refusedCommand(query, worker, call)
  if (commandProblem !== null) {
    note('capability', 'error', commandProblem)
    return answer('error', null, commandProblem)
  }
  const delegation = await refusedDelegation(query, worker, call)
  if (delegation !== null) {
    note('capability', 'error', delegation)
    return answer('error', null, delegation)
  }
  note('capability', 'yes', call.accesses.map(accessText).join(', ') || 'touches no path')

  const command = await commandVerdict(query, worker, call)
  for (const line of command?.lines ?? []) note('command', line.outcome, line.detail)
  const commanded =
    command === null
      ? delegationOpinion(query.policy, worker, call)
      : { ...command, highRisk: false }
  const opinion = await judgeConsent(query, worker, call, guarded, place.traits, commanded)
  note('consent', opinion.approval, opinion.rule.text)
  if (opinion.approval === 'blocked') return answer('blocked', opinion.rule, blockedText(opinion))
  const unchanged = await unchangedRule(query, worker, call)
  if (unchanged !== null) {
    note('unchanged', 'yes', unchanged.text)
    return answer('preApproved', unchanged, unchanged.text)
  }
  if (opinion.approval === 'preApproved') {
    const printed = command?.printed ?? null
    return { ...answer('preApproved', opinion.rule, opinion.rule.text), printed }
  }

  const { touches } = call.tool
  const impossible =
    (touches === undefined ? missingTarget(capability.touched, query.earlierWrites) : null) ??
    impossibleCommand(query, worker, call)
  if (impossible !== null) {
    note('capability', 'error', impossible)
    return answer('error', null, impossible)
  }
  const unread = unreadByMode(query, worker, call)
  const reasoned =
    unread === null ? opinion : { ...opinion, rule: { ...opinion.rule, text: unread } }
  const judgement = await judgeAsk(query, call, reasoned, place.route, {
    note,
    answer,
    unread,
  })
  const attachments = askingAttachments(query, worker, call, place.traits)
  return judgement.verdict === 'ask' && attachments.length > 0
    ? { ...judgement, attachments }
    : judgement
}

/** Steps 5 to 7, for calls that ask. */
async function judgeAsk(
  query: PolicyQuery,
  call: CanonicalCall,
  opinion: Opinion,
  place: Route,
  { note, answer, unread }: { note: Note; answer: Answer; unread: string | null },
): Promise<Judgement> {
  const { runMode } = query
  const byMode =
    runMode === 'strict' ||
    (runMode === 'approve_all' && call.tool.needsPerson === undefined && unread === null)
  if (byMode) {
    const strict = runMode === 'strict'
    const text = strict
      ? `the run's mode "strict" denies what would ask: ${opinion.rule.text}`
      : `the run's mode "approve_all" approves: ${opinion.rule.text}`
    note('mode', runMode, text)
    const rule = { id: `mode:${runMode}`, text, source: opinion.rule.source }
    return answer(strict ? 'blocked' : 'preApproved', rule, text)
  }
  note(
    'mode',
    runMode,
    runMode === 'prompt'
      ? 'calls that ask open a request'
      : (unread ?? 'no mode applies to calls of a person'),
  )

  const grant = await query.findGrant({
    tool: call.tool.name,
    digest: call.digest,
    toolHash: call.tool.definitionHash,
    path: place.routing?.scopes.includes('path') === true ? writtenFile(call) : null,
    input: call.input,
  })
  if (grant !== null) {
    note('grant', grant.id, grant.text)
    const rule = { id: `grant:${grant.id}`, text: grant.text, source: null }
    return answer('preApproved', rule, grant.text, grant.id)
  }
  note('grant', 'none', 'no live grant covers this call')

  if (place.routing === null) {
    const text = 'nobody can be asked: no queue is configured for this call'
    note('routing', 'blocked', text)
    const rule = { id: 'routing:none', text, source: place.sources[0] ?? null }
    return answer('blocked', rule, `blocked by policy: ${text}`)
  }
  const { queue, quorumText, scopes, expiresAfterMs, steps = [] } = place.routing
  const times = [...steps.map(stepText), `expires after ${durationText(expiresAfterMs)}`]
  const from = place.sources.length === 0 ? '' : ` by ${place.sources.join(' and ')}`
  const who = `${quorumText}, risk ${place.risk}, scopes ${scopes.join(', ')}${from}`
  note('routing', queue, `${who}; ${times.join(', ')}`)
  return answer('ask', opinion.rule, opinion.rule.text)
}

function stepText(step: WaitingStep): string {
  const to = step.kind === 'escalate' ? `escalated to ${step.addTeams.join(', ')}` : 'reminded'
  return `${to} after ${durationText(step.afterMs)}`
}

/**
 * Why the mode `approve_all` leaves a command to people, as a text for them; `null`: it does not.
 */
function unreadByMode(
  query: PolicyQuery,
  worker: WorkerDefinition,
  call: CanonicalCall,
): string | null {
  if (query.runMode !== 'approve_all') return null
  const why = unreadCommand(query.policy, worker, call)
  if (why === null) return null
  return `the run's mode "approve_all" does not approve this: ${why}, and what is blocked could be in it`
}

type Note = (step: string, outcome: string, detail: string) => void
type Answer = (
  verdict: Judgement['verdict'],
  rule: Rule | null,
  reason: string,
  grantId?: string,
) => Judgement

function routeOf(
  query: PolicyQuery,
  worker: WorkerDefinition,
  call: CanonicalCall,
  guarded: readonly Opinion[],
  cues: readonly CueSource[],
) {
  const { config } = query.policy
  const reachesNetwork = call.command !== null && worker.sandbox.network === 'allow'
  const isHigh = reachesNetwork || guarded.some((opinion) => opinion.highRisk)
  const own = isHigh ? ('high' as const) : call.tool.risk
  const traits = {
    tool: call.tool.name,
    accesses: call.accesses,
    worker: worker.name,
    queue: ownQueue(config, worker),
    queueWhy: ownQueueWhy(config, worker),
    command: call.command === null ? null : commandTraits(call.command),
    ...raisedByCues(call, own, cues),
    ...(isHigh
      ? { riskWhy: reachesNetwork ? 'its sandbox has a network' : 'a protected name' }
      : {}),
  }
  return { traits, cues, route: route(config, call, traits) }
}

function answerAt(
  query: PolicyQuery,
  call: CanonicalCall,
  place: { readonly route: Route; readonly cues: readonly CueSource[] },
  steps: readonly ExplainStep[],
): Answer {
  return (verdict, rule, reason, grantId) => ({
    verdict,
    rule,
    reason,
    tool: call.tool.name,
    input: call.input,
    digest: call.digest,
    toolHash: call.tool.definitionHash,
    risk: place.route.risk,
    readOnly: call.tool.readOnly,
    policyDigest: query.policy.digest,
    routing: verdict === 'ask' ? place.route.routing : null,
    grantId: grantId ?? null,
    printed: null,
    steps,
    ...(place.cues.length === 0 ? {} : { cues: place.cues }),
  })
}

/** A refusal without a canonical form: unknown means high risk. */
function withoutCall(
  query: PolicyQuery,
  steps: readonly ExplainStep[],
  verdict: 'error' | 'blocked',
  rule: Rule | null,
  reason: string,
): Judgement {
  const { input, tool } = query
  const isObject = typeof input === 'object' && input !== null && !Array.isArray(input)
  return {
    verdict,
    rule,
    reason,
    tool,
    input: isObject ? input : {},
    digest: refusedDigest(tool, input),
    toolHash: 'none',
    risk: 'high',
    readOnly: false,
    policyDigest: query.policy.digest,
    routing: null,
    grantId: null,
    printed: null,
    steps,
  }
}

function accessText(access: CanonicalCall['accesses'][number]): string {
  return `${access.operation} ${access.path === '' ? '.' : access.path}`
}
