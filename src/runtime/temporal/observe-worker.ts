import type { ActivityInterceptorsFactory } from '@temporalio/worker'
import type { Model } from '#models/model.ts'
import type { ProjectConfig } from '#policy/project-config.ts'
import type { WorkerContext } from '#services/core/worker-context.ts'
import type { Db } from '#store/database.ts'
import type { EndedServerMessage } from '#tools/mcp/mcp-tool.ts'
import type { MetricsPage } from '#api/context/api.ts'
import type { Config } from '../config/config.ts'
import type { Environment } from '../environment.ts'
import { watchLoop } from '../loop/loop-turns.ts'
import { createWorkerMetrics } from '../metrics/activity-metrics.ts'
import { observedModel } from '../metrics/observed-model.ts'
import { openTracing } from '../tracing/open-tracing.ts'
import { traceWorker } from '../tracing/trace-worker.ts'
import { findFreePort } from '../processes/free-port.ts'

/** The metrics of Temporal's SDK, which its native part serves itself. */
interface SdkMetrics {
  /** where the SDK serves them: a loopback address of this process */
  readonly bindAddress: string
  /** A page with those metrics after its own; without them until the SDK serves them. */
  behind(page: MetricsPage): MetricsPage
}

/** The SDK answers from memory. */
const answerWithinMs = 2_000

/** Chooses a free port of the loopback interface for them. */
async function placeSdkMetrics(): Promise<SdkMetrics> {
  const bindAddress = `127.0.0.1:${await findFreePort()}`
  const read = async (): Promise<string> => {
    const signal = AbortSignal.timeout(answerWithinMs)
    const response = await fetch(`http://${bindAddress}/metrics`, { signal })
    return response.ok ? response.text() : ''
  }
  return {
    bindAddress,
    behind: ({ contentType, text }) => ({
      contentType,
      async text() {
        const [own, sdk] = await Promise.all([text(), read().catch(() => '')])
        return `${own}${sdk}`
      },
    }),
  }
}

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
