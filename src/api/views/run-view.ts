import type { CallTimes } from '#services/runs/reading/call-facts.ts'
import type {
  TranscriptItem as ItemRecord,
  TranscriptItemCall as CallRecord,
} from '#services/runs/reading/transcript.ts'
import type { TranscriptCall, TranscriptItem } from '../schemas/runs/transcript.ts'
import { isPictureType } from '#domain/tools/picture-type.ts'
import { maskSecrets } from '#domain/text/mask-secrets.ts'
import type { StartedRunRecord } from '#services/runs/reading/read-started.ts'
import type { RunDetailRecord, RunRecord } from '#services/runs/reading/run-record.ts'
import type { StartedRunAnswer } from '../schemas/runs/run-actions.ts'
import type { Run, RunDetail } from '../schemas/runs/runs.ts'
import type { ApiSettings } from '../context/api.ts'
import { answerOf, withoutNulls } from './answer-of.ts'

/** A run in a list. Values in its title that look like secrets are masked. */
export function runView(record: RunRecord): Run {
  const { startedFrom, failure, rest, restsUntil, budget, forkedFrom, task, ...run } = record
  return {
    ...answerOf(run),
    ...answerOf(withoutNulls({ startedFrom, failure, budget, forkedFrom })),
    ...(rest !== null && answerOf(withoutNulls({ rest, restsUntil }))),
    title: maskSecrets(run.title),
    task: taskView(task),
  }
}

export function startedRunView({ task, ...run }: StartedRunRecord): StartedRunAnswer {
  return { ...answerOf(run), task: taskView(task) }
}

function taskView(task: RunRecord['task']): Run['task'] {
  return task === null ? null : { ...answerOf(task), text: maskSecrets(task.text) }
}

/** A run without its transcript. `workspaceRoot`: null outside the development profile. */
export function runDetailView(
  { output, startRequestId, ...record }: RunDetailRecord,
  settings: ApiSettings,
  workspaceRoot: string | null,
): RunDetail {
  const { turns, context, lineage, children, policyDigest, warnings } = record
  const { input, attachments, model, endReason, allowed } = record
  return {
    ...runView(record),
    ...answerOf({ turns, context, lineage, children, policyDigest, warnings }),
    ...answerOf({ input, attachments, model, endReason, allowed }),
    ...withoutNulls({ output, startRequestId }),
    temporalUrl: temporalUrl(settings.temporal, record.workflowId),
    // The files of a run with a worktree are not in the folder of the workspace.
    workspaceRoot: record.workspace.isolation === 'worktree' ? null : workspaceRoot,
  }
}

function temporalUrl(temporal: ApiSettings['temporal'], workflowId: string): string | null {
  if (temporal.uiUrl === null) return null
  const namespace = encodeURIComponent(temporal.namespace)
  return `${temporal.uiUrl}/namespaces/${namespace}/workflows/${encodeURIComponent(workflowId)}`
}

/** One message. `calls` and `text` are absent if it has none. */
export function transcriptItemView(record: ItemRecord): TranscriptItem {
  const { turn, from, role, covers, author, at, text, files, calls, picturesElidedAt } = record
  const elided = picturesElidedAt === null ? {} : { elided: { atTurn: picturesElidedAt } }
  return {
    turn,
    role,
    ...answerOf(withoutNulls({ from, covers })),
    author: author !== null && 'id' in author ? { id: author.id, name: nameOf(author) } : null,
    at: answerOf(at),
    ...(text !== '' && { text }),
    ...(files !== undefined && {
      files: files.map((file) => ({ ...file, ...(isPictureType(file.mediaType) && elided) })),
    }),
    ...(calls.length > 0 && { calls: calls.map(callView) }),
  }
}

function nameOf(author: { readonly id: string; readonly name?: string }): string {
  return author.name ?? author.id
}

function callView(record: CallRecord): TranscriptCall {
  const { callId, toolCallId, tool, input, verdict, rule, manual, times, result } = record
  const { requestId, requestState, childRunId, live, approval, outcomeCheck, elidedAt } = record
  const { denial } = record
  return {
    callId,
    toolCallId,
    tool,
    input,
    verdict,
    rule,
    ...(manual && { manual: true }),
    ...answerOf(
      withoutNulls({ requestId, requestState, childRunId, live, approval, outcomeCheck }),
    ),
    ...(denial !== null && { denial: { ...denial, at: new Date(denial.at).toISOString() } }),
    ...(times !== null && { times: timesView(times) }),
    ...(result !== null && {
      result: { ...answerOf(result), ...(elidedAt !== null && { elided: { atTurn: elidedAt } }) },
    }),
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
