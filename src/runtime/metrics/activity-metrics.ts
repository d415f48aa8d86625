import { AsyncLocalStorage } from 'node:async_hooks'
import { Gauge, Histogram, type Registry } from 'prom-client'
import type { ActivityInterceptorsFactory } from '@temporalio/worker'
import { isObject } from '#domain/json/is-object.ts'
import type { MetricsPage } from '#api/context/api.ts'
import type { WorkerContext } from '#services/core/worker-context.ts'
import type { Db } from '#store/database.ts'
import type { EndedServerMessage } from '#tools/mcp/mcp-tool.ts'
import type { Activities } from '#workflows/activity-port.ts'
import type { EndedStep } from './observed-model.ts'
import { createMcpMetrics } from './mcp-metrics.ts'
import { createProcessMetrics, type ProcessMetrics } from './process-metrics.ts'

const labels = ['gen_ai_operation_name', 'gen_ai_provider_name', 'gen_ai_request_model'] as const

/**
 * Time, tokens and errors of model steps, under OpenTelemetry's names of `gen_ai.client.*` as
 * Prometheus spells them, and with the buckets that its conventions name.
 */
function createModelMetrics(registry: Registry): (step: EndedStep) => void {
  const duration = new Histogram({
    name: 'gen_ai_client_operation_duration_seconds',
    help: 'Steps of models, by model and, where one failed, type of error',
    labelNames: [...labels, 'error_type'],
    buckets: [
      0.01, 0.02, 0.04, 0.08, 0.16, 0.32, 0.64, 1.28, 2.56, 5.12, 10.24, 20.48, 40.96, 81.92,
    ],
    registers: [registry],
  })
  const tokens = new Histogram({
    name: 'gen_ai_client_token_usage',
    help: 'Tokens of a step of a model, by type',
    labelNames: [...labels, 'gen_ai_token_type'],
    buckets: Array.from({ length: 14 }, (_, power) => 4 ** power),
    registers: [registry],
  })
  return ({ error, model, provider, startMs, endMs, usage }) => {
    const of = {
      gen_ai_operation_name: 'chat',
      gen_ai_provider_name: provider,
      gen_ai_request_model: model,
    }
    duration.observe(
      { ...of, ...(error === null ? {} : { error_type: error }) },
      (endMs - startMs) / 1000,
    )
    if (usage === null) return
    tokens.observe({ ...of, gen_ai_token_type: 'input' }, usage.inputTokens)
    tokens.observe({ ...of, gen_ai_token_type: 'output' }, usage.outputTokens)
  }
}

export interface WorkerMetrics extends ProcessMetrics {
  readonly page: MetricsPage
  /** Times every activity; `takeTurn` is a model turn, `executeCall` an execution. */
  readonly interceptor: ActivityInterceptorsFactory
  /** Counts a turn that an execution takes as a turn, and not as a part of the execution. */
  readonly aroundTurn: NonNullable<WorkerContext['aroundTurn']>
  /** Counts a step of a model. */
  readonly stepEnded: (step: EndedStep) => void
  /** Counts a message to an MCP server. */
  readonly serverMessageEnded: (message: EndedServerMessage) => void
}

const executing: keyof Activities = 'executeCall'

/**
 * A turn on the queue of executions that the model failed, or that found no slot, is an answer: the
 * workflow has it taken from the queue of turns, after the time that it names.
 */
function outcomeOf(result: unknown): 'completed' | 'failed' | 'later' {
  const { kind, afterMs } = isObject(result) ? result : {}
  if (kind !== 'later') return 'completed'
  return afterMs === 0 ? 'later' : 'failed'
}

/** How many activities a Temporal worker carries out, and how long each kind took. */
export function createWorkerMetrics(db: Db): WorkerMetrics {
  const process = createProcessMetrics(db)
  const registers = [process.registry]
  const running = new Gauge({
    name: 'countersign_activities_running',
    help: 'Activities that this Temporal worker carries out now',
    labelNames: ['activity'],
    registers,
  })
  const duration = new Histogram({
    name: 'countersign_activity_duration_seconds',
    help: 'Activities by kind and outcome; takeTurn is a turn of the model, executeCall an execution',
    labelNames: ['activity', 'outcome'],
    buckets: [0.01, 0.05, 0.1, 0.5, 1, 5, 15, 60, 300, 1800],
    registers,
  })
  const messageEnded = createMcpMetrics(process.registry, {
    side: 'client',
    help: 'Messages to MCP servers, from sending until the answer',
  })
  /** The time of turns that the current execution has taken. */
  const turnsMs = new AsyncLocalStorage<{ ms: number }>()

  /** Runs the work as one activity; `ownTimeOf` returns the part that counts. */
  async function measure<T>(
    activity: string,
    work: () => Promise<T>,
    ownTimeOf: (ms: number) => number,
  ): Promise<T> {
    const startedAt = performance.now()
    const observe = (outcome: string): void =>
      duration.observe({ activity, outcome }, ownTimeOf(performance.now() - startedAt) / 1000)
    running.inc({ activity })
    try {
      const result = await work()
      observe(outcomeOf(result))
      return result
    } catch (error) {
      observe('failed')
      throw error
    } finally {
      running.dec({ activity })
    }
  }

  return {
    ...process,
    stepEnded: createModelMetrics(process.registry),
    serverMessageEnded: messageEnded,
    page: {
      contentType: process.registry.contentType,
      text: () => process.readPage(),
    },
    interceptor: ({ info: { activityType } }) => ({
      inbound: {
        execute(input, next) {
          const turns = { ms: 0 }
          const work = (): Promise<unknown> => turnsMs.run(turns, () => next(input))
          return measure(activityType, work, (ms) => ms - turns.ms)
        },
      },
    }),
    async aroundTurn(_, act) {
      const turns = turnsMs.getStore()
      running.dec({ activity: executing })
      try {
        return await measure('takeTurn' satisfies keyof Activities, act, (ms) => {
          if (turns !== undefined) turns.ms += ms
          return ms
        })
      } finally {
        running.inc({ activity: executing })
      }
    },
  }
}
