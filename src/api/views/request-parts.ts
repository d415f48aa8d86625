import type { QuorumPlace } from '#domain/request.ts'
import type {
  ExecutionRecord,
  HandoverRecord,
  LineageRecord,
  QuorumRecord,
} from '#services/requests/facts/request-record.ts'
import type { ExecutionView, QuorumView } from '../schemas/requests/requests.ts'
import type { LineageEntry } from '../schemas/runs/runs.ts'

export function quorumView(record: QuorumRecord): QuorumView {
  return {
    required: record.required.map(placeView),
    counted: record.counted.map(({ team, person }) => ({ team, person: { ...person } })),
    missing: record.missing.map(placeView),
    text: record.text,
  }
}

function placeView({ also, ...place }: QuorumPlace): QuorumView['missing'][number] {
  return also === undefined ? place : { ...place, also: [...also] }
}

export function executionView(record: ExecutionRecord): ExecutionView {
  const { startedAt, finishedAt, ...rest } = record
  return {
    ...rest,
    ...(startedAt === undefined ? {} : { startedAt: startedAt.toISOString() }),
    ...(finishedAt === undefined ? {} : { finishedAt: finishedAt.toISOString() }),
  }
}

export function handoverView({ person, by, at }: HandoverRecord) {
  return { person: { ...person }, by: { ...by }, at: at.toISOString() }
}

/** From the root run down to the run itself. */
export function lineageView(lineage: readonly LineageRecord[]): LineageEntry[] {
  return lineage.map((run) => ({ ...run, startedBy: run.startedBy && { ...run.startedBy } }))
}
