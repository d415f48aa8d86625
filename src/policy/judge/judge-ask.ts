import type { Judgement, WaitingStep } from '#domain/deciding/judgement.ts'
import { durationText } from '../reading/duration.ts'
import { noQueueRule, type Answer, type AddStep } from './answers.ts'
import type { CanonicalCall } from './calls/canonical-call.ts'
import type { PolicyQuery } from './calls/policy-query.ts'
import type { Opinion } from './consent/opinion.ts'
import { writtenFile } from './routing/route.ts'
import type { Route } from './routing/stricter-route.ts'

/** Steps 5 to 7 of the judgement of a call that asks: the run's mode, grants, and whom to ask. */
export async function judgeAsk(
  query: PolicyQuery,
  call: CanonicalCall,
  opinion: Opinion,
  place: Route,
  { addStep, answer, unread }: { addStep: AddStep; answer: Answer; unread: string | null },
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
    addStep('mode', runMode, text)
    const rule = { id: `mode:${runMode}`, text, source: opinion.rule.source }
    return answer(strict ? 'blocked' : 'preApproved', rule, text)
  }
  addStep(
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
    addStep('grant', grant.id, grant.text)
    const rule = { id: `grant:${grant.id}`, text: grant.text, source: null }
    return answer('preApproved', rule, grant.text, grant.id)
  }
  addStep('grant', 'none', 'no live grant covers this call')

  if (place.routing === null) {
    const rule = noQueueRule(place.sources)
    addStep('routing', 'blocked', rule.text)
    return answer('blocked', rule, `blocked by policy: ${rule.text}`)
  }
  const { queue, quorumText, scopes, expiresAfterMs, steps = [] } = place.routing
  const times = [...steps.map(stepText), `expires after ${durationText(expiresAfterMs)}`]
  const from = place.sources.length === 0 ? '' : ` by ${place.sources.join(' and ')}`
  const who = `${quorumText}, risk ${place.risk}, scopes ${scopes.join(', ')}${from}`
  addStep('routing', queue, `${who}; ${times.join(', ')}`)
  return answer('ask', opinion.rule, opinion.rule.text)
}

function stepText(step: WaitingStep): string {
  const to = step.kind === 'escalate' ? `escalated to ${step.addTeams.join(', ')}` : 'reminded'
  return `${to} after ${durationText(step.afterMs)}`
}
