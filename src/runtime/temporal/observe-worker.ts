import type { ActivityInterceptorsFactory } from '@temporalio/worker'
import type { Model } from '#models/model.ts'
import type { ProjectConfig } from '#policy/project-config.ts'
import type { WorkerContext } from '#services/core/worker-context.ts'
import type { Db } from '#store/database.ts'
import type { EndedServerMessage } from '#tools/mcp/mcp-tool.ts'
import type { Config } from '../config/config.ts'
import type { Environment } from '../environment.ts'
import { watchLoop } from '../loop/loop-turns.ts'
import { createWorkerMetrics } from '../metrics/activity-metrics.ts'
import { observedModel } from '../metrics/observed-model.ts'
import { placeSdkMetrics, type SdkMetrics } from '../metrics/sdk-metrics.ts'
import { openTracing } from '../tracing/open-tracing.ts'
import { traceWorker } from '../tracing/trace-worker.ts'

/** Later it is not ready. `countersign start` kills it earlier (own-processes.ts). */
const loopLateMs = 5_000
const loopWedgedMs = 30_000

/** The metrics and traces of a Temporal worker, as far as the configuration asks for them. */
export interface WorkerObservers {
  readonly sdkMetrics: SdkMetrics | null
  readonly interceptors: ActivityInterceptorsFactory[]
  readonly contextMethods: Pick<WorkerContext, 'aroundTool' | 'aroundTurn' | 'onRecorded'>
  readonly serverMessageEnded: ((message: EndedServerMessage) => void) | undefined
  /** The same model, with each of its steps in the metrics and traces. */
  observe(
    model: Model,
    of: { readonly name: string; readonly config: Pick<ProjectConfig, 'models'> },
  ): Model
}

/** Starts the watch over the event loop, the page of metrics, and the export of traces. */
export async function observeWorker(
  undo: AsyncDisposableStack,
  { db, config, environment }: { db: Db; config: Config; environment: Environment },
): Promise<WorkerObservers> {
  const metrics = config.workerMetrics === null ? null : createWorkerMetrics(db)
  const sdkMetrics = metrics === null ? null : await placeSdkMetrics()
  undo.use(
    await watchLoop({
      lateMs: loopLateMs,
      wedgedMs: loopWedgedMs,
      address: config.workerMetrics,
      page: metrics === null || sdkMetrics === null ? null : sdkMetrics.behind(metrics.page),
    }),
  )
  const spans = await openTracing(environment, 'countersign-temporal-worker')
  if (spans !== null) undo.use(spans)
  const tracing = spans === null ? null : traceWorker(spans)
  const observers = [metrics, tracing].filter((observer) => observer !== null)
  return {
    sdkMetrics,
    interceptors: observers.map((observer) => observer.interceptor),
    contextMethods: {
      onRecorded: (entries) => observers.forEach((observer) => observer.recordEvents(entries)),
      aroundTurn: (of, act) =>
        observers.reduceRight<typeof act>(
          (inner, observer) => () => observer.aroundTurn(of, inner),
          act,
        )(),
      ...(tracing === null ? {} : { aroundTool: tracing.aroundTool }),
    },
    serverMessageEnded: metrics?.serverMessageEnded,
    observe: (model, of) =>
      observers.length === 0
        ? model
        : observedModel(model, of, (step) => {
            for (const observer of observers) observer.stepEnded(step)
          }),
  }
}
