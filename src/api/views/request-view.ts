import { hashBytes } from '#domain/digest.ts'
import { maskSecrets } from '#domain/text/secrets.ts'
import type {
  AlikeRecord,
  AlikeRequestRecord,
  DecisionRecord,
  RequestDetailRecord,
  RequestItemRecord,
} from '#services/requests/facts/request-record.ts'
import type {
  AlikeRequest,
  DecisionView,
  RequestDetail,
  RequestItem,
} from '../schemas/requests/requests.ts'
import { externalItemView, externalView } from './external-view.ts'
import { executionView, handoverView, lineageView, quorumView } from './request-parts.ts'

/** A row of a list: what looks like a secret in it is masked. */
export function requestItemView(record: RequestItemRecord): RequestItem {
  const { title, agentReason } = record
  return {
    ...itemFields(record),
    title: maskSecrets(title, hashBytes),
    effect: maskSecrets(record.effect, hashBytes),
    cues: record.cues.map((cue) => ({ ...cue, text: maskSecrets(cue.text, hashBytes) })),
    task: taskView(record.task, (text) => maskSecrets(text, hashBytes)),
    claimedTask: record.claimedTask === null ? null : maskSecrets(record.claimedTask, hashBytes),
    agentReason: agentReason === null ? null : maskSecrets(agentReason, hashBytes),
    batch: record.batch === null ? null : { ...record.batch },
    external: record.external === null ? null : externalItemView(record.external),
    alike: { ...record.alike },
  }
}

/**
 * Everything of one request, unmasked: the bytes that will run. `workspaceRoot` is null outside the
 * development profile.
 */
export function requestDetailView(
  record: RequestDetailRecord,
  workspaceRoot: string | null,
): RequestDetail {
  const { presentation, batch } = record
  return {
    ...itemFields(record),
    alike: alikeView(record.alike),
    input: record.input,
    externalId: record.external?.externalId ?? null,
    verdict: record.external?.verdict ?? null,
    metadata: record.external?.metadata ?? null,
    external: externalView(record.external),
    presentation: { ...presentation, warnings: [...presentation.warnings] },
    namedFiles: record.namedFiles.map(({ writtenBy, ...file }) => ({
      ...file,
      writtenBy: writtenBy === null ? null : { ...writtenBy },
    })),
    batch:
      batch === null
        ? null
        : {
            ...batch,
            siblings: batch.siblings.map((sibling) => ({
              ...sibling,
              title: maskSecrets(sibling.title, hashBytes),
            })),
          },
    scopeCoverage: record.scopeCoverage.map((one) => ({
      ...one,
      files: one.files.map((file) => ({ ...file })),
      covers: [...one.covers],
    })),
    scopesNotOffered: record.scopesNotOffered.map((one) => ({ ...one })),
    eligiblePeople: record.eligiblePeople.map(({ awayUntil, ...person }) => ({
      ...person,
      awayUntil: awayUntil?.toISOString() ?? null,
    })),
    decisions: record.decisions.map(decisionView),
    previous: record.previous.map((one) => ({ ...one })),
    comments: record.comments.map((comment) => ({ ...comment, at: comment.at.toISOString() })),
    revisions: record.revisions.map((one) => ({ ...one, at: one.at.toISOString() })),
    edits: record.edits,
    signatureRequired: record.signatureRequired,
    facts: factsView(record.facts),
    outcomeOf: record.outcomeOf,
    erased: erasedView(record.erased),
    workspaceRoot: record.kind === 'external' ? null : workspaceRoot,
  }
}

function taskView(
  task: RequestItemRecord['task'],
  say: (text: string) => string,
): RequestItem['task'] {
  if (task === null) return null
  const { text, by, at, later } = task
  return { text: say(text), by: by === null ? null : { ...by }, at: at.toISOString(), later }
}

function alikeView({ same, similar, ...counts }: AlikeRecord): RequestDetail['alike'] {
  return { same: same.map(alikeRequestView), similar: similar.map(alikeRequestView), ...counts }
}

function alikeRequestView(record: AlikeRequestRecord): AlikeRequest {
  return {
    ...record,
    title: maskSecrets(record.title, hashBytes),
    execution: executionView(record.execution),
    at: record.at.toISOString(),
  }
}

function itemFields(record: Omit<RequestItemRecord, 'batch' | 'external' | 'alike'>) {
  return {
    id: record.id,
    number: record.number,
    revision: record.revision,
    state: record.state,
    kind: record.kind,
    queue: record.queue,
    risk: record.risk,
    tool: record.tool,
    title: record.title,
    effect: record.effect,
    cues: record.cues.map((cue) => ({ ...cue })),
    task: taskView(record.task, (text) => text),
    claimedTask: record.claimedTask,
    routing: {
      queue: { ...record.routing.queue },
      risk: { ...record.routing.risk },
      quorum: { ...record.routing.quorum },
    },
    digest: record.digest,
    policyDigest: record.policyDigest,
    rule: record.rule,
    claim: claimView(record.claim),
    handedTo: record.handedTo === null ? null : handoverView(record.handedTo),
    snoozedUntil: record.snoozedUntil?.toISOString() ?? null,
    agentReason: record.agentReason,
    worker: record.worker,
    mode: record.mode,
    runId: record.runId,
    callId: record.callId,
    toolCallId: record.toolCallId,
    turn: record.turn,
    invokedBy: record.invokedBy === null ? null : { ...record.invokedBy },
    lineage: lineageView(record.lineage),
    quorum: quorumView(record.quorum),
    eligibility: { ...record.eligibility },
    allowedDecisions: [...record.allowedDecisions],
    allowedScopes: [...record.allowedScopes],
    execution: executionView(record.execution),
    permit: record.permit,
    createdAt: record.createdAt.toISOString(),
    expiresAt: record.expiresAt.toISOString(),
    steps: stepsView(record.steps),
    decidedAt: record.decidedAt?.toISOString() ?? null,
    supersededBy: record.supersededBy,
    cancelReason: record.cancelReason,
    decidedBy: record.decidedBy,
    askedBeforeRestore: record.askedBeforeRestore,
  }
}

function stepsView(steps: RequestItemRecord['steps']): RequestItem['steps'] {
  return steps.map((step) => ({
    kind: step.kind,
    addTeams: [...step.addTeams],
    dueAt: step.dueAt.toISOString(),
    takenAt: step.takenAt?.toISOString() ?? null,
  }))
}

function claimView(claim: RequestItemRecord['claim']): RequestItem['claim'] {
  if (claim === null) return null
  return {
    person: { ...claim.person },
    at: claim.at.toISOString(),
    leaseUntil: claim.leaseUntil.toISOString(),
  }
}

function decisionView(decision: DecisionRecord): DecisionView {
  return { ...decision, person: { ...decision.person }, at: decision.at.toISOString() }
}

function erasedView(erased: RequestDetailRecord['erased']): RequestDetail['erased'] {
  if (erased === null) return null
  const { at, by, contents } = erased
  return { at: at.toISOString(), by: { ...by }, contents: contents.map((part) => ({ ...part })) }
}

function factsView(facts: RequestDetailRecord['facts']): RequestDetail['facts'] {
  return {
    toolHash: facts.toolHash,
    bases: facts.bases.map((base) => ({ ...base })),
    ...(facts.newHash === undefined ? {} : { newHash: facts.newHash }),
    ...(facts.assumes === undefined ? {} : { assumes: facts.assumes }),
    ...(facts.detail === undefined ? {} : { detail: facts.detail }),
  }
}
