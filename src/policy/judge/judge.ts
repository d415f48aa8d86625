import type { ExplainStep, Judgement } from '#domain/deciding/judgement.ts'
import { cuesOfCall } from '../cues/cues-of-call.ts'
import type { WorkerDefinition } from '../worker-definition.ts'
import { answerAt, withoutCall, type Answer, type AddStep, type CallProblem } from './answers.ts'
import { type CanonicalCall, canonicalCall } from './calls/canonical-call.ts'
import { cueFactsOf } from './calls/cue-facts.ts'
import type { PolicyQuery } from './calls/policy-query.ts'
import { judgeCapability, missingTarget } from './consent/capability.ts'
import {
  commandVerdict,
  impossibleCommand,
  refusedCommand,
  unreadCommand,
} from './consent/command-consent.ts'
import { guardedNames, judgeConsent } from './consent/consent.ts'
import { askingAttachments, delegationOpinion, refusedDelegation } from './consent/delegation.ts'
import { blockedText, type Opinion } from './consent/opinion.ts'
import { unchangedRule } from './consent/unchanged.ts'
import { judgeAsk } from './judge-ask.ts'
import { routeCall } from './route-call.ts'
import { withLinkedPrograms } from '../shell/linked-programs.ts'
import { resolveTool } from './calls/resolve-tool.ts'

/**
 * The judgement of one call by policy (workers-and-policy.md, from call to verdict): seven steps,
 * each of which is listed in `steps`. Never throws for a model's input; rejects when the workspace
 * or the grants cannot be read.
 */
export async function judge(query: PolicyQuery): Promise<Judgement> {
  const steps: ExplainStep[] = []
  const addStep: AddStep = (step, outcome, detail) => {
    steps.push({ step, outcome, detail })
  }
  const identity = await identifyCall(query, addStep)
  if ('verdict' in identity) return withoutCall(query, identity, steps)
  const { call, worker } = identity

  const guarded = guardedNames(query, worker, call)
  const facts = cueFactsOf(query, worker, call.tool)
  const cues = await cuesOfCall({ ...call, tool: call.tool.name, facts })
  if (cues.length > 0)
    addStep('cues', 'yes', cues.map(({ id, text }) => `${id}: ${text}`).join('; '))
  const place = routeCall(query, worker, call, guarded, cues)
  const answer = answerAt(query, call, place, steps)

  const capability = await capabilityOf(query, worker, call)
  if ('error' in capability) {
    addStep('capability', 'error', capability.error)
    // Another program may read what the worker cannot: a block counts all the same.
    if (query.runsHere === false && call.command === null) {
      const consent = await consentTo({ query, worker, call, guarded, place, addStep, answer })
      if ('verdict' in consent && consent.verdict === 'blocked') return consent
    }
    return answer('error', null, capability.error)
  }
  addStep('capability', 'yes', call.accesses.map(accessText).join(', ') || 'touches no path')

  const consent = await consentTo({ query, worker, call, guarded, place, addStep, answer })
  if ('verdict' in consent) return consent

  const { touches } = call.tool
  const impossible =
    (touches === undefined ? missingTarget(capability.touched, query.earlierWrites) : null) ??
    impossibleCommand(query, worker, call)
  if (impossible !== null) {
    addStep('capability', 'error', impossible)
    return answer('error', null, impossible)
  }
  const unread = unreadByMode(query, worker, call)
  const opinion =
    unread === null ? consent : { ...consent, rule: { ...consent.rule, text: unread } }
  const judgement = await judgeAsk(query, call, opinion, place.route, { addStep, answer, unread })
  const attachments = askingAttachments(query, worker, call, place.traits)
  return judgement.verdict === 'ask' && attachments.length > 0
    ? { ...judgement, attachments }
    : judgement
}

/** Step 3: the paths that the call touches, or why the worker cannot make it, whoever approves. */
async function capabilityOf(query: PolicyQuery, worker: WorkerDefinition, call: CanonicalCall) {
  const capability = await judgeCapability(worker, query.workspace, call.accesses)
  if ('error' in capability) return capability
  const error =
    (await refusedCommand(query, worker, call)) ?? (await refusedDelegation(query, worker, call))
  return error === null ? capability : { error }
}

/** Step 4: the judgement of a call that nobody is asked about, or the opinion that asks. */
async function consentTo({
  query,
  worker,
  call,
  guarded,
  place,
  addStep,
  answer,
}: {
  readonly query: PolicyQuery
  readonly worker: WorkerDefinition
  readonly call: CanonicalCall
  readonly guarded: readonly Opinion[]
  readonly place: Pick<ReturnType<typeof routeCall>, 'traits'>
  readonly addStep: AddStep
  readonly answer: Answer
}): Promise<Judgement | Opinion> {
  const command = await commandVerdict(query, worker, call)
  for (const line of command?.lines ?? []) addStep('command', line.outcome, line.detail)
  const commanded =
    command === null
      ? delegationOpinion(query.policy, worker, call)
      : { ...command, isHighRisk: false }
  const printed = command?.printed ?? null
  // A program runs its command itself, and hides nothing from it.
  const runsHere = query.runsHere !== false
  const hidesZones = printed !== null && runsHere
  const { traits } = place
  const opinion = await judgeConsent(query, worker, call, guarded, traits, commanded, hidesZones)
  if (opinion.approval === 'preApproved' && runsHere) {
    for (const line of command?.printedLines ?? []) addStep('command', line.outcome, line.detail)
  }
  addStep('consent', opinion.approval, opinion.rule.text)
  if (opinion.approval === 'blocked') return answer('blocked', opinion.rule, blockedText(opinion))
  const unchanged = await unchangedRule(query, worker, call)
  if (unchanged !== null) {
    addStep('unchanged', 'yes', unchanged.text)
    return answer('preApproved', unchanged, unchanged.text)
  }
  if (opinion.approval !== 'preApproved') return opinion
  return { ...answer('preApproved', opinion.rule, opinion.rule.text), printed }
}

/** Why the mode `approve_all` leaves a command to people, as a text; `null`: it does not. */
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

function accessText(access: CanonicalCall['accesses'][number]): string {
  return `${access.operation} ${access.path === '' ? '.' : access.path}`
}

/** Steps 1 and 2: whose call of which tool this is, in its canonical form. */
async function identifyCall(
  query: PolicyQuery,
  addStep: AddStep,
): Promise<{ readonly worker: WorkerDefinition; readonly call: CanonicalCall } | CallProblem> {
  const worker = query.policy.workers.get(query.worker)
  if (worker === undefined) {
    const text = `worker ${query.worker} does not exist in the policy in force`
    addStep('known', 'blocked', text)
    const rule = { id: 'worker:missing', text, source: null }
    return { verdict: 'blocked', rule, reason: `blocked by policy: ${text}` }
  }
  const toolCall = resolveTool(query, worker)
  if ('error' in toolCall) {
    addStep('known', 'error', toolCall.error)
    return { verdict: 'error', rule: toolCall.rule, reason: toolCall.error }
  }
  addStep('known', 'yes', `${query.tool} is a tool of ${worker.name}`)

  const canonical = await canonicalCall(toolCall.tool, query.input, query.workspace)
  if ('error' in canonical) {
    addStep('canonical', 'error', canonical.error)
    return { verdict: 'error', rule: null, reason: canonical.error }
  }
  addStep('canonical', 'yes', canonical.call.digest)
  return { worker, call: await withLinks(query, canonical.call) }
}

/** A command is also judged by the programs that links of the host lead to. */
async function withLinks(query: PolicyQuery, call: CanonicalCall): Promise<CanonicalCall> {
  const { command } = call
  const { commandHost: host, workspace } = query
  if (command === null || host === undefined) return call
  return { ...call, command: await withLinkedPrograms(command, { host, root: workspace.root }) }
}
