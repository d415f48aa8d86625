import type { Judgement } from '#domain/deciding/judgement.ts'
import type {
  Explanation,
  PolicyActivation,
  PolicyAgreement,
  PolicyState,
} from '../schemas/policy/policy.ts'
import { quorumWords } from '#policy/difference/setting-words.ts'
import type { Overlay, RoutingEntry, When } from '#policy/routing.ts'
import type { Queue } from '#policy/project-config.ts'
import { durationText } from '#policy/reading/duration.ts'
import type { Agreement } from '#services/policy/agree-to-policy.ts'
import type { ActivationRecord } from '#services/policy/activations/list-activations.ts'
import type { FolderState } from '#services/policy/folder-state.ts'
import type { PolicyState as StateRecord } from '#services/policy/read-policy-state.ts'
import { answerOf } from './answer-of.ts'

/** The version in force, the version in the folder, and the proposal that waits for agreement. */
export function policyStateView(record: StateRecord): PolicyState {
  return {
    digest: record.policy.digest,
    activation: record.activation === null ? null : activationView(record.activation),
    queues: [...record.policy.config.queues.values()].map(queueView),
    routing: record.policy.config.routing.map(routingView),
    defaultQueue: record.policy.config.defaultQueue,
    overlays: record.policy.config.overlays.map(overlayView),
    folder: record.folder === null ? null : folderView(record.folder),
    proposal: answerOf(record.proposal),
  }
}

function queueView(queue: Queue): PolicyState['queues'][number] {
  const { name, team, selfApproval, edits, source } = queue
  return {
    name,
    team,
    selfApproval,
    edits,
    expiresAfter: durationText(queue.expiresAfterMs),
    remindAfter: queue.remindAfterMs.map(durationText),
    escalate: queue.escalate.map(({ afterMs, addTeams }) => ({
      after: durationText(afterMs),
      addTeams: [...addTeams],
    })),
    source,
  }
}

function routingView(entry: RoutingEntry): PolicyState['routing'][number] {
  const { when, queue, risk, quorum, scopes, source } = entry
  return {
    when: whenView(when),
    queue,
    risk,
    quorum: quorum === null ? null : quorumWords(quorum),
    scopes: scopes === null ? null : [...scopes],
    source,
  }
}

function overlayView({ when, consent }: Overlay): PolicyState['overlays'][number] {
  const { approval, reason, source } = consent
  return {
    when: whenView(when),
    approval: approval === 'blocked' ? 'blocked' : 'ask',
    reason,
    source,
  }
}

/** The keys of a condition that are set. */
function whenView(when: When): Record<string, string[]> {
  return Object.fromEntries(
    Object.entries(when).flatMap(([key, values]: [string, readonly string[] | null]) =>
      values === null ? [] : [[key, [...values]]],
    ),
  )
}

function folderView(folder: FolderState): PolicyState['folder'] {
  if (folder.state === 'unreadable') return { state: folder.state, digest: null, problems: [] }
  const problems = folder.state === 'invalid' ? folder.problems : folder.warnings
  return {
    state: folder.state,
    digest: folder.state === 'invalid' ? null : folder.digest,
    problems: answerOf(problems),
  }
}

/** One activation of a version. */
export function activationView(record: ActivationRecord): PolicyActivation {
  const { type } = record.actor
  return {
    ...answerOf(record),
    actor: {
      type,
      ...('id' in record.actor ? { id: record.actor.id } : {}),
      ...('name' in record.actor && record.actor.name !== undefined
        ? { name: record.actor.name }
        : {}),
    },
  }
}

/** The result of a person's agreement to a version. */
export function agreementView(agreement: Agreement): PolicyAgreement {
  return {
    state: agreement.state,
    digest: agreement.policy.digest,
    sequence: agreement.state === 'proposed' ? null : agreement.sequence,
    proposalId: agreement.state === 'proposed' ? agreement.proposal.id : null,
  }
}

/** The answer of `explain`. Only a call that can run has a risk and a queue. */
export function explanationView(judgement: Judgement): Explanation {
  return {
    verdict: judgement.verdict,
    rule: judgement.rule,
    reason: judgement.reason,
    ...(judgement.verdict === 'error' ? {} : { risk: judgement.risk }),
    ...(judgement.routing === null ? {} : { queue: judgement.routing.queue }),
    steps: answerOf(judgement.steps),
  }
}
