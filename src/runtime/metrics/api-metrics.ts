import { Gauge, Histogram } from 'prom-client'
import type { AnsweredRequest, MetricsPage } from '#api/context/api.ts'
import { answerWithin, maxServerAnswerMs } from '#delivery/answer-within.ts'
import { shareRunning } from '#domain/sharing/share-running.ts'
import type { TemporalClient } from '#delivery/temporal-client.ts'
import { readWitnesses } from '#store/audit/witnesses.ts'
import { readBacklog, readOpenWork } from '#store/backlog.ts'
import type { Db } from '#store/database.ts'
import { createMcpMetrics } from './mcp-metrics.ts'
import { Outages } from './outages.ts'
import { createProcessMetrics, type ProcessMetrics } from './process-metrics.ts'

/** The state of the whole installation is read at most this often. */
const readEveryMs = 10_000

export interface ApiMetrics extends ProcessMetrics {
  readonly page: MetricsPage
  readonly outages: Outages
  /** Counts one answer of the HTTP API. */
  recordAnswer(answer: AnsweredRequest): void
}

/**
 * The metrics of an API process: its own answers, and the state of the installation, which every
 * API process reads from Postgres at each scrape. Figures that cannot be read within seconds are
 * absent, and `countersign_up` shows it.
 */
export function createApiMetrics(
  db: Db,
  temporal: Pick<TemporalClient, 'namespaceId'>,
): ApiMetrics {
  const process = createProcessMetrics(db)
  const registers = [process.registry]
  const outages = new Outages(process.registry)
  const gauge = <Label extends string = never>(
    name: string,
    help: string,
    labelNames: Label[] = [],
  ): Gauge<Label> => new Gauge({ name: `countersign_${name}`, help, labelNames, registers })
  const up = gauge('up', 'Whether a server that this process needs answers', ['part'])
  const requests = gauge('requests_pending', 'Requests that wait for a decision', ['queue'])
  const oldest = gauge('request_oldest_seconds', 'Age of the oldest pending request', ['queue'])
  const runs = gauge('runs', 'Runs that have not ended', ['state'])
  const deliveries = gauge('deliveries', 'Notifications on their way or given up', [
    'kind',
    'state',
  ])
  const clockOffset = gauge(
    'clock_offset_seconds',
    "How far this host's clock is ahead of the database's; negative: behind",
  )
  const outbox = gauge('outbox_pending', 'Outbox rows that are not delivered')
  const outboxLag = gauge('outbox_lag_seconds', 'Age of the oldest row that is not delivered')
  const eventLag = gauge('event_sequencer_lag_seconds', 'Age of the oldest event without a number')
  const auditPending = gauge('audit_pending', 'Events of the trail that no checkpoint covers')
  const auditLag = gauge(
    'audit_sequencer_lag_seconds',
    'Age of the oldest event without a checkpoint',
  )
  const witnessLag = gauge(
    'audit_witness_lag_seconds',
    'Age of the oldest checkpoint that the witness has not cosigned',
    ['witness'],
  )
  const contradicted = gauge(
    'audit_witness_contradicted',
    '1 when the witness has another history of the audit log',
    ['witness'],
  )
  const answers = new Histogram({
    name: 'countersign_http_request_duration_seconds',
    help: 'Answers of the HTTP API by route; long polls and streams last as long as they are held',
    labelNames: ['method', 'route', 'status'],
    buckets: [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 30, 60],
    registers,
  })

  const messageEnded = createMcpMetrics(process.registry, {
    side: 'server',
    help: 'Messages to the MCP gateway; calls that wait last as long as they are held',
  })

  const readFigures = shareRunning(() => readDatabase(db))
  const readAll = async (): Promise<void> => {
    const isThere = (part: string) => (answer: unknown) => up.set({ part }, answer === null ? 0 : 1)
    const [namespaceId, state] = await Promise.all([
      answerWithin(maxServerAnswerMs, temporal.namespaceId()).catch(() => null),
      answerWithin(maxServerAnswerMs, readFigures()).catch(() => null),
    ])
    isThere('temporal')(namespaceId)
    isThere('postgres')(state)
    for (const figure of [requests, oldest, runs, deliveries, witnessLag, contradicted])
      figure.reset()
    for (const figure of [clockOffset, outbox, outboxLag, eventLag, auditPending, auditLag])
      figure.remove()
    if (state === null) return
    const { backlog, openWork, witnesses } = state
    clockOffset.set(backlog.clockOffsetMs / 1000)
    outbox.set(backlog.relay.pending)
    outboxLag.set(backlog.relay.lagMs / 1000)
    eventLag.set(backlog.events.lagMs / 1000)
    auditPending.set(backlog.audit.pending)
    auditLag.set(backlog.audit.lagMs / 1000)
    for (const { queue, pending, oldestMs } of openWork.queues) {
      requests.set({ queue }, pending)
      oldest.set({ queue }, oldestMs / 1000)
    }
    for (const { name: witness, lagMs, isContradicted } of witnesses) {
      witnessLag.set({ witness }, lagMs / 1000)
      contradicted.set({ witness }, isContradicted ? 1 : 0)
    }
    for (const { state, count } of openWork.runs) runs.set({ state }, count)
    for (const { kind, state, count } of openWork.deliveries) deliveries.set({ kind, state }, count)
  }

  let readAt = -Infinity
  const refresh = shareRunning(async () => {
    if (performance.now() - readAt < readEveryMs) return
    await readAll().finally(() => (readAt = performance.now()))
  })
  return {
    ...process,
    outages,
    recordAnswer: (answer) => {
      const { mcp, method, route, status, durationMs } = answer
      outages.recordAnswer(answer)
      const labels = { method: methodOf(method), route: route ?? 'none', status: String(status) }
      answers.observe(labels, durationMs / 1000)
      if (mcp !== null) messageEnded({ ...mcp, transport: 'tcp', durationMs })
    },
    page: {
      contentType: process.registry.contentType,
      text: async () => {
        await refresh()
        return process.registry.metrics()
      },
    },
  }
}

async function readDatabase(db: Db) {
  return {
    backlog: await readBacklog(db),
    openWork: await readOpenWork(db),
    witnesses: await readWitnesses(db),
  }
}

const methods = new Set(['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS'])

/** Methods that a caller invents must not make labels. */
function methodOf(method: string): string {
  return methods.has(method) ? method : 'other'
}
