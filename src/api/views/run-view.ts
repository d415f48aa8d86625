import { hashBytes } from '../../domain/digest.ts'
import { maskSecrets } from '../../domain/text/secrets.ts'
import type { RunDetailRecord, RunRecord } from '../../services/runs/reading/run-record.ts'
import type { Run, RunDetail } from '../schemas/runs/runs.ts'
import type { ApiSettings } from '../settings.ts'
import { lineageView } from './request-parts.ts'

/** A run in a list: what looks like a secret in its title is masked. */
export function runView(record: RunRecord): Run {
  return {
    id: record.id,
    workflowId: record.workflowId,
    worker: record.worker,
    state: record.state,
    mode: record.mode,
    startedBy: { ...record.startedBy },
    createdAt: record.createdAt.toISOString(),
    endedAt: record.endedAt?.toISOString() ?? null,
    pendingRequests: record.pendingRequests,
    title: maskSecrets(record.title, hashBytes),
    scripted: record.scripted,
    ...(record.failure === null ? {} : { failure: record.failure }),
  }
}

/** Everything of a run but its transcript; `workspaceRoot` is null outside the development profile. */
export function runDetailView(
  record: RunDetailRecord,
  settings: ApiSettings,
  workspaceRoot: string | null,
): RunDetail {
  return {
    ...runView(record),
    turns: record.turns,
    lineage: lineageView(record.lineage),
    children: record.children.map((child) => ({ ...child })),
    ...(record.output === null ? {} : { output: record.output }),
    policyDigest: record.policyDigest,
    input: record.input,
    attachments: record.attachments.map((file) => ({ ...file })),
    model: record.model,
    endReason: record.endReason,
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
