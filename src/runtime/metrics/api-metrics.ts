import { Histogram } from 'prom-client'
import type { AnsweredRequest, MetricsPage } from '#api/context/api.ts'
import { shareRunning } from '#domain/sharing/share-running.ts'
import type { TemporalClient } from '#delivery/temporal-client.ts'
import type { Db } from '#store/database.ts'
import { createInstallationMetrics } from './installation-metrics.ts'
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
 * API process reads from Postgres at each scrape.
 */
export function createApiMetrics(
  db: Db,
  temporal: Pick<TemporalClient, 'namespaceId'>,
): ApiMetrics {
  const process = createProcessMetrics(db)
  const registers = [process.registry]
  const outages = new Outages(process.registry)
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

  const readAll = createInstallationMetrics(process.registry, db, temporal)
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
        return process.readPage()
      },
    },
  }
}

const methods = new Set(['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS'])

/** Methods that a caller invents must not make labels. */
function methodOf(method: string): string {
  return methods.has(method) ? method : 'other'
}
