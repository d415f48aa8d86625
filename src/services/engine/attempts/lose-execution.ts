import { hashJson } from '#domain/json/digest.ts'
import type { Routing } from '#domain/deciding/judgement.ts'
import type { Json } from '#domain/json/json.ts'
import type { CallFacts } from '#domain/requests/request.ts'
import type { Risk } from '#domain/policy/verdict.ts'
import { isEnd, runTransitions } from '#domain/requests/transitions.ts'
import { utcWords } from '#domain/text/quantities/utc-words.ts'
import { together } from '#store/connection/side-by-side.ts'
import { getText, storeContents } from '#store/content/content.ts'
import { beforeEscalation } from '#domain/deciding/waiting-steps.ts'
import { ownQueue } from '#policy/judge/routing/route.ts'
import type { Policy } from '#policy/policy.ts'
import { titleLine } from '#tools/presentations/structured.ts'
import { lockRequests } from '../../core/locks.ts'
import { openRequest } from '../../requests/opening/open-request.ts'
import { packCheck, unknownOutcomeRule } from '../../requests/opening/outcome-check.ts'
import { unknownText } from '../../transcript/result-texts.ts'
import { storeResult } from '../../transcript/store-result.ts'
import type { UnitOfWork } from '../../core/unit-of-work.ts'
import type { CallOutcome } from '#domain/runs/workflow-outcomes.ts'
import { requestChanged, waitFor, type CallAtHand } from './call-at-hand.ts'
import { routingOfQueue } from '../../requests/opening/routing-of-queue.ts'
import { readCard, type RequestCard } from '../../requests/facts/read-card.ts'
import { markUnknown } from './mark-unknown.ts'
import { executor } from '../../core/authority.ts'

/**
 * Marks a started attempt whose end is not known as `unknown` and opens an *outcome check* in the
 * queue. Without a queue, or after the end of the run, the call gets the result `unknown` instead.
 * The caller holds the run's lock and has checked that the attempt is `started`. Returns the next
 * step of the workflow.
 */
export async function loseExecution(
  unit: UnitOfWork,
  policy: Policy,
  at: CallAtHand,
  why: string,
): Promise<CallOutcome> {
  const { execution, call, run } = at
  if (execution === null) throw new TypeError(`Call ${call.id} has no attempt`)
  if (call.request_id !== null) await lockRequests(unit.tx, [call.request_id])
  await markUnknown(unit, at, why, 'ask')
  await requestChanged(unit, at)
  const check = isEnd(runTransitions, run.state) ? null : checkRouting(policy, at)
  if (check === null) {
    await storeResult(unit.tx, call.id, { type: 'unknown', text: unknownText() })
    return { kind: 'done' }
  }
  const inputHash = inputHashOf(at)
  const facts: CallFacts = call.facts ?? { toolHash: 'none', bases: [] }
  const card = at.request === null ? null : await readCard(unit.tx, at.request)
  const { presented, contents } = packCheck({
    effect: card?.effect ?? call.tool,
    lines: [...checkLines(at, why), ...(await callLines(unit, card, inputHash))],
    metadata: {
      callId: call.id,
      attempt: execution.attempt,
      executor: execution.executor,
      startedAt: execution.started_at?.toISOString() ?? null,
      bases: facts.bases.map((base) => ({ path: base.path, baseHash: base.hash })),
    },
    inputHash,
    facts,
  })
  const [, requestId] = await together([
    storeContents(unit.tx, [contents]),
    openRequest(unit, executor, {
      kind: 'outcome_check',
      run,
      call,
      tool: call.tool,
      digest: execution.executed_digest ?? call.digest ?? hashJson(null),
      policyDigest: check.policyDigest,
      rule: unknownOutcomeRule,
      risk: check.risk,
      routing: check.routing,
      presented,
      agentReasonHash: null,
      attempt: execution.attempt + 1,
      previous: [],
      outcomeOf: at.request?.id ?? null,
    }),
  ])
  return waitFor(unit.tx, run.id, [requestId])
}

interface CheckRouting {
  readonly routing: Routing
  readonly risk: Risk
  readonly policyDigest: string
}

/** The routing of the call's request, or, without one, that of the worker's own queue. */
function checkRouting(policy: Policy, at: CallAtHand): CheckRouting | null {
  if (at.request !== null) {
    const { risk } = at.request
    const routing = beforeEscalation(at.request.routing)
    const policyDigest = at.request.policy_digest
    return { routing: { ...routing, scopes: ['once'], edits: 'off' }, risk, policyDigest }
  }
  const worker = policy.workers.get(at.run.worker)
  const name = worker === undefined ? policy.config.defaultQueue : ownQueue(policy.config, worker)
  const queue = name === null ? undefined : policy.config.queues.get(name)
  if (queue === undefined) return null
  return { routing: routingOfQueue(queue), risk: 'medium', policyDigest: policy.digest }
}

/** Content hash of the canonical input that ran, stored at the start of the attempt. */
function inputHashOf(at: CallAtHand): string {
  const storedHash = at.execution?.detail?.['inputHash']
  return typeof storedHash === 'string' ? storedHash : at.call.input_hash
}

function checkLines({ call, execution }: CallAtHand, why: string): string[] {
  const startedAt = execution?.started_at ?? null
  return [
    `This call started and nobody knows how it ended (${why}).`,
    `Check what it should have changed, then state whether it took effect.`,
    ``,
    `Tool: ${call.tool}`,
    `Attempt: ${execution?.attempt ?? 1}`,
    `Started: ${startedAt === null ? 'not recorded' : utcWords(startedAt)}`,
    `On: ${hostWords(execution?.executor ?? 'not recorded')}`,
    ``,
  ]
}

/** `vm:26068:ID` as `the host vm, in process 26068`; the metadata have the whole name. */
function hostWords(executor: string): string {
  return executor.replace(/^(.+):(\d+):[^:]+$/, 'the host $1, in process $2')
}

/**
 * What was approved, as its approver saw it, each line marked as a quotation, since an agent wrote
 * it; of a call that nobody was asked about, its input.
 */
async function callLines(
  { tx }: UnitOfWork,
  card: RequestCard | null,
  inputHash: string,
): Promise<string[]> {
  if (card !== null) {
    const { content, metadata, warnings } = card.presentation
    const folder = typeof metadata['cwd'] === 'string' ? [`Folder: ${metadata['cwd']}`] : []
    const quotation = content
      .replace(/\n$/, '')
      .split('\n')
      .map((line) => `> ${line}`)
    return [`Approved: ${titleLine(card.effect)}`, ...folder, ...warnings, ...quotation]
  }
  const input = JSON.parse(await getText(tx, inputHash)) as Json
  return ['Arguments:', JSON.stringify(input, null, 2)]
}
