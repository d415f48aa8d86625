import { Gauge, Histogram } from 'prom-client'
import type { ActivityInterceptorsFactory } from '@temporalio/worker'
import type { MetricsPage } from '#api/context/api.ts'
import type { Db } from '#store/database.ts'
import { createProcessMetrics, type ProcessMetrics } from './process-metrics.ts'

export interface WorkerMetrics extends ProcessMetrics {
  readonly page: MetricsPage
  /** Times every activity; `takeTurn` is a model turn, `executeCall` an execution. */
  readonly interceptor: ActivityInterceptorsFactory
}

/**
 * The metrics of a Temporal worker: how many activities it carries out now, and how long each kind
 * took.
 */
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
  return {
    ...process,
    page: {
      contentType: process.registry.contentType,
      text: () => process.registry.metrics(),
    },
    interceptor: ({ info: { activityType: activity } }) => ({
      inbound: {
        async execute(input, next) {
          const startedAt = performance.now()
          const observe = (outcome: string): void =>
            duration.observe({ activity, outcome }, (performance.now() - startedAt) / 1000)
          running.inc({ activity })
          try {
            const result = await next(input)
            observe('completed')
            return result
          } catch (error) {
            observe('failed')
            throw error
          } finally {
            running.dec({ activity })
          }
        },
      },
    }),
  }
}
