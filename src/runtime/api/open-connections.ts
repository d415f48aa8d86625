import { connectTemporal, type TemporalClient } from '#delivery/temporal-client.ts'
import { currentRequest } from '#services/core/current-request.ts'
import { connectDatabase, servingAnswerMs, type Db } from '#store/database.ts'
import type { Config } from '../config/config.ts'
import { checkNotRestored } from '../data-folder/high-water-mark.ts'
import type { Environment } from '../environment.ts'
import { createApiMetrics } from '../metrics/api-metrics.ts'
import { serveMetrics } from '../metrics/serve-metrics.ts'
import { checkSchema } from '../schema/check-schema.ts'
import { waitForDatabase } from '../schema/wait-for-database.ts'
import { openTracing } from '../tracing/open-tracing.ts'
import { traceApi } from '../tracing/trace-api.ts'

/** What an API process is connected with, and what observes it. */
export interface Connections {
  readonly db: Db
  readonly temporal: TemporalClient
  readonly metrics: ReturnType<typeof createApiMetrics>
  /** `null`: traces are off */
  readonly tracing: ReturnType<typeof traceApi> | null
}

/**
 * Connects an API process with Temporal and with its Postgres. Throws unless Postgres has this
 * version's schema, and is not older than the state that this data folder has seen. `undo` closes
 * everything.
 */
export async function openConnections(
  undo: AsyncDisposableStack,
  options: { config: Config; environment: Environment; stopping: AbortSignal },
): Promise<Connections> {
  const { config, environment, stopping } = options
  const db = undo.use(
    connectDatabase({
      url: config.databaseUrl,
      poolSize: config.databasePoolSize,
      applicationName: 'countersign api',
      // Connecting and planning take longer than a decision. Two, because the decision and its
      // delivery to Temporal use one each.
      restingConnections: 2,
      maxAnswerMs: servingAnswerMs,
      callerNow: () => currentRequest.getStore()?.caller,
    }),
  )
  await waitForDatabase(db, stopping)
  await checkSchema(db)
  await checkNotRestored(config.dataDir, db)
  const spans = await openTracing(environment, 'countersign-api')
  if (spans !== null) undo.use(spans)
  const tracing = spans === null ? null : traceApi(spans)
  const temporal = undo.use(
    connectTemporal({
      ...config.temporal,
      ...(tracing === null ? {} : { interceptors: tracing.interceptors }),
    }),
  )
  const metrics = createApiMetrics(db, temporal)
  if (config.metrics !== null) undo.use(await serveMetrics(metrics.page, config.metrics))
  return { db, temporal, metrics, tracing }
}
