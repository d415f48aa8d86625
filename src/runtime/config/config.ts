import { z } from 'zod'
import { readLimits } from '#domain/limit-settings.ts'
import { limitsText } from '#domain/limits.ts'
import { readText, type Environment } from '../environment.ts'
import type { Folders } from '../folders.ts'
import { isLoopback, flag, listenAddress, readVariables, wholeNumber } from './read-variables.ts'
import type { MetricsAddress } from '../metrics/serve-metrics.ts'
import { readTemporalConfig, type TemporalConfig } from './temporal-config.ts'

/** The configuration of a server process. Read once, in a composition root. */
export interface Config extends Folders {
  readonly host: string
  /** 0: any free port. */
  readonly port: number
  /** The address for people: links, callbacks and the passkey origin. */
  readonly publicUrl: string
  /** A proxy in front of the service ends TLS and sends the caller's address. */
  readonly trustProxy: boolean
  readonly isProduction: boolean
  /** Development sign-in: embedded servers, a loopback listener, not production (api.md). */
  readonly developmentSignIn: boolean
  readonly databaseUrl: string
  readonly databasePoolSize: number
  readonly temporal: TemporalConfig
  /** Temporal's own web pages, if known. */
  readonly temporalUiUrl: string | null
  /** The task queue of the workflows and of the default workspace's executions. */
  readonly taskQueue: string
  /** Workflows that one Temporal worker keeps in memory; others are replayed when they continue. */
  readonly maxCachedWorkflows: number
  /** How long a stopping process waits for its work to finish. */
  readonly shutdownGraceMs: number
  /** Where metrics are served in addition to the API's own `/metrics`; null: nowhere. */
  readonly metrics: MetricsAddress | null
  /** The same for a Temporal worker, which has no other place for them. */
  readonly workerMetrics: MetricsAddress | null
  /** The address of Slack's methods in place of slack.com: for tests and proxies. */
  readonly slackUrl: string | null
  readonly logLevel: (typeof logLevels)[number]
}

/** The task queue when no other is configured. */
export const defaultTaskQueue = 'countersign'

const logLevels = ['debug', 'info', 'warn', 'error', 'silent'] as const

const variables = z.object({
  HOST: z.string().min(1).default('127.0.0.1'),
  PORT: wholeNumber(0, 65_535).default(4400),
  COUNTERSIGN_PUBLIC_URL: z.url({ protocol: /^https?$/ }).optional(),
  COUNTERSIGN_TRUST_PROXY: flag,
  COUNTERSIGN_PRODUCTION: flag,
  COUNTERSIGN_EMBEDDED: flag,
  DATABASE_URL: z
    .string('is not set: name a Postgres, or run "countersign start", which brings its own')
    .regex(/^postgres(ql)?:\/\//, 'must begin with postgres://'),
  COUNTERSIGN_DATABASE_POOL: wholeNumber(2, 500).default(10),
  COUNTERSIGN_TEMPORAL_UI_URL: z.url().optional(),
  COUNTERSIGN_TASK_QUEUE: z.string().min(1).default(defaultTaskQueue),
  COUNTERSIGN_MAX_CACHED_WORKFLOWS: wholeNumber(1, 100_000).default(500),
  COUNTERSIGN_SHUTDOWN_GRACE_SECONDS: wholeNumber(1, 600).default(10),
  COUNTERSIGN_METRICS: listenAddress,
  COUNTERSIGN_WORKER_METRICS: listenAddress,
  COUNTERSIGN_SLACK_API_URL: z.url({ protocol: /^https?$/ }).optional(),
  COUNTERSIGN_LOG_LEVEL: z.enum(logLevels).default('info'),
})

/** Throws for invalid bounds, and for bounds that were set too late to take effect. */
function requireLimits(text: string): void {
  const { problem } = readLimits(text)
  if (problem !== null) throw new Error(`COUNTERSIGN_LIMITS: ${problem}`)
  if (text === limitsText) return
  throw new Error('COUNTERSIGN_LIMITS must be set for the process itself, not in .env')
}

/**
 * The configuration of an API or Temporal worker process.
 *
 * Throws one message that names every variable that is wrong and what would be right. A listener
 * that others can reach without TLS or a declared proxy is refused (security.md 26).
 */
export function readConfig(folders: Folders, environment: Environment): Config {
  const values = readVariables(variables, environment)
  requireLimits(readText(environment, 'COUNTERSIGN_LIMITS') ?? '')
  const publicUrl =
    values.COUNTERSIGN_PUBLIC_URL?.replace(/\/$/, '') ?? `http://localhost:${values.PORT}`
  const isLocal = isLoopback(values.HOST)
  if (!isLocal && !values.COUNTERSIGN_TRUST_PROXY) {
    throw new Error(
      `HOST=${values.HOST} would let other machines in without TLS: put a proxy in front, set ` +
        'COUNTERSIGN_TRUST_PROXY=1 and COUNTERSIGN_PUBLIC_URL=https://…, or leave HOST at 127.0.0.1',
    )
  }
  if (!isLocal && !publicUrl.startsWith('https://')) {
    throw new Error(
      'COUNTERSIGN_PUBLIC_URL must be the https:// address of the proxy when HOST is not loopback',
    )
  }
  return {
    ...folders,
    host: values.HOST,
    port: values.PORT,
    publicUrl,
    trustProxy: values.COUNTERSIGN_TRUST_PROXY,
    isProduction: values.COUNTERSIGN_PRODUCTION,
    developmentSignIn: values.COUNTERSIGN_EMBEDDED && isLocal && !values.COUNTERSIGN_PRODUCTION,
    databaseUrl: values.DATABASE_URL,
    databasePoolSize: values.COUNTERSIGN_DATABASE_POOL,
    temporal: readTemporalConfig(environment),
    temporalUiUrl: values.COUNTERSIGN_TEMPORAL_UI_URL ?? null,
    taskQueue: values.COUNTERSIGN_TASK_QUEUE,
    maxCachedWorkflows: values.COUNTERSIGN_MAX_CACHED_WORKFLOWS,
    shutdownGraceMs: values.COUNTERSIGN_SHUTDOWN_GRACE_SECONDS * 1_000,
    metrics: values.COUNTERSIGN_METRICS ?? null,
    workerMetrics: values.COUNTERSIGN_WORKER_METRICS ?? null,
    slackUrl: values.COUNTERSIGN_SLACK_API_URL ?? null,
    logLevel: values.COUNTERSIGN_LOG_LEVEL,
  }
}
