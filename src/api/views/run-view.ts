import type { CallTimes } from '#services/runs/reading/call-facts.ts'
import type {
  TranscriptItem as ItemRecord,
  TranscriptItemCall as CallRecord,
} from '#services/runs/reading/transcript.ts'
import type { TranscriptCall, TranscriptItem } from '../schemas/runs/transcript.ts'
import { hashBytes } from '#domain/digest.ts'
import { maskSecrets } from '#domain/text/secrets.ts'
import type { TaskRecord } from '#services/requests/facts/read-tasks.ts'
import type { RunDetailRecord, RunRecord } from '#services/runs/reading/run-record.ts'
import type { Run, RunDetail } from '../schemas/runs/runs.ts'
import type { ApiSettings } from '../context/api.ts'
import { lineageView } from './request-parts.ts'

/** A run in a list: what looks like a secret in its title is masked. */
export function runView(record: RunRecord): Run {
  return {
    id: record.id,
    number: record.number,
    workflowId: record.workflowId,
    worker: record.worker,
    state: record.state,
    mode: record.mode,
    startedBy: record.startedBy && { ...record.startedBy },
    ...(record.startedFrom === null ? {} : { startedFrom: record.startedFrom }),
    createdAt: record.createdAt.toISOString(),
    endedAt: record.endedAt?.toISOString() ?? null,
    pendingRequests: record.pendingRequests,
    title: maskSecrets(record.title, hashBytes),
    scripted: record.scripted,
    ...(record.failure === null ? {} : { failure: record.failure }),
    conversation: record.conversation,
    ...(record.rest === null ? {} : { rest: record.rest }),
    ...(record.restsUntil === null ? {} : { restsUntil: record.restsUntil.toISOString() }),
    ...(record.budget === null ? {} : { budget: record.budget }),
    ...(record.forkedFrom === null ? {} : { forkedFrom: record.forkedFrom }),
    workspace: { ...record.workspace },
    usage: { ...record.usage },
    task: record.task === null ? null : taskView(record.task),
    waitsFor: record.waitsFor.map(({ people, since, ...request }) => ({
      ...request,
      since: since.toISOString(),
      people: [...people],
    })),
  }
}

function taskView({ text, by, at, later }: TaskRecord): NonNullable<Run['task']> {
  return { text: maskSecrets(text, hashBytes), by, at: at.toISOString(), later }
}

/**
 * Everything of a run but its transcript; `workspaceRoot` is null outside the development profile.
 */
export function runDetailView(
  record: RunDetailRecord,
  settings: ApiSettings,
  workspaceRoot: string | null,
): RunDetail {
  return {
    ...runView(record),
    turns: record.turns,
    context: { ...record.context },
    lineage: lineageView(record.lineage),
    children: record.children.map((child) => ({ ...child })),
    ...(record.output === null ? {} : { output: record.output }),
    policyDigest: record.policyDigest,
    warnings: record.warnings.map((one) => ({ ...one, until: one.until.toISOString() })),
    input: record.input,
    attachments: record.attachments.map((file) => ({ ...file })),
    model: record.model,
    endReason: record.endReason,
    ...(record.startRequestId === null ? {} : { startRequestId: record.startRequestId }),
    temporalUrl: temporalUrl(settings.temporal, record.workflowId),
    workspaceRoot,
    allowed: { ...record.allowed },
  }
}

function temporalUrl(temporal: ApiSettings['temporal'], workflowId: string): string | null {
  if (temporal.uiUrl === null) return null
  const namespace = encodeURIComponent(temporal.namespace)
  return `${temporal.uiUrl}/namespaces/${namespace}/workflows/${encodeURIComponent(workflowId)}`
}

/** One message; a message without calls has no `calls`, one without words no `text`. */
export function transcriptItemView(record: ItemRecord): TranscriptItem {
  const { author } = record
  return {
    turn: record.turn,
    ...(record.from === null ? {} : { from: record.from }),
    role: record.role,
    ...(record.covers === null ? {} : { covers: [...record.covers] }),
    author: author !== null && 'id' in author ? { id: author.id, name: nameOf(author) } : null,
    at: record.at.toISOString(),
    ...(record.text === '' ? {} : { text: record.text }),
    ...(record.calls.length === 0 ? {} : { calls: record.calls.map(callView) }),
  }
}

function nameOf(author: { readonly id: string; readonly name?: string }): string {
  return author.name ?? author.id
}

function callView(record: CallRecord): TranscriptCall {
  return {
    callId: record.callId,
    toolCallId: record.toolCallId,
    tool: record.tool,
    input: record.input,
    verdict: record.verdict,
    rule: record.rule,
    ...(record.requestId === null ? {} : { requestId: record.requestId }),
    ...(record.requestState === null ? {} : { requestState: record.requestState }),
    ...(record.manual ? { manual: true } : {}),
    ...(record.childRunId === null ? {} : { childRunId: record.childRunId }),
    ...(record.live === null ? {} : { live: liveView(record.live) }),
    ...(record.approval === null
      ? {}
      : { approval: { ...record.approval, by: [...record.approval.by] } }),
    ...(record.times === null ? {} : { times: timesView(record.times) }),
    ...(record.result === null ? {} : { result: resultView(record.result, record.elidedAt) }),
  }
}

function resultView(
  { files, ...result }: NonNullable<CallRecord['result']>,
  atTurn: number | null,
) {
  return {
    ...result,
    ...(files === undefined ? {} : { files: [...files] }),
    ...(atTurn === null ? {} : { elided: { atTurn } }),
  }
}

function timesView(times: CallTimes): NonNullable<TranscriptCall['times']> {
  const at = (time: string | null): string | null =>
    time === null ? null : new Date(time).toISOString()
  const { askedAt, decidedAt, startedAt, finishedAt } = times
  return {
    askedAt: at(askedAt),
    decidedAt: at(decidedAt),
    startedAt: at(startedAt),
    finishedAt: at(finishedAt),
  }
}

function liveView({ state, stdout, stderr }: NonNullable<CallRecord['live']>) {
  return { state, stdout, stderr }
}
