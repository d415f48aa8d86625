import { setTimeout as pause } from 'node:timers/promises'
import { collectDefaultMetrics, Counter, Gauge, Registry } from 'prom-client'
import type { AuditEntry } from '#domain/audit-event.ts'
import { version } from '../version.ts'
import { poolUse, type Db } from '#store/database.ts'

/**
 * The metrics that API and Temporal workers both have. Labels are names of the service, never ids
 * (security.md 25).
 */
export interface ProcessMetrics {
  readonly registry: Registry
  /** The page with all metrics of the registry. */
  readPage(): Promise<string>
  /** Counts what a unit of work committed. */
  recordEvents(entries: readonly AuditEntry[]): void
}

/** More than the interval in which Node measures the lag of its event loop. */
const firstSampleMs = 50

/**
 * A registry with Node's metrics of the process, the use of its connections to Postgres, and what
 * it recorded: every event of the trail by type, decisions by their verb, executions by how they
 * ended. Node's are measured from the first page on: the lag of the event loop takes a timer that
 * wakes the process a hundred times a second.
 */
export function createProcessMetrics(db: Db): ProcessMetrics {
  const registry = new Registry()
  const registers = [registry]
  let measuresNode = false
  const build = new Gauge({
    name: 'countersign_build_info',
    help: 'The version that runs; always 1',
    labelNames: ['version'],
    registers,
  })
  build.set({ version }, 1)
  const connections = new Gauge({
    name: 'countersign_database_connections',
    help: 'Connections of this process to Postgres: in use, idle, and calls that wait for one',
    labelNames: ['state'],
    registers,
    collect: () => {
      for (const [state, count] of Object.entries(poolUse(db))) connections.set({ state }, count)
    },
  })
  const events = new Counter({
    name: 'countersign_audit_events_total',
    help: 'Events that this process wrote into the trail, by type',
    labelNames: ['type'],
    registers,
  })
  const decisions = new Counter({
    name: 'countersign_decisions_total',
    help: 'Decisions that this process recorded',
    labelNames: ['decision', 'channel'],
    registers,
  })
  const executions = new Counter({
    name: 'countersign_executions_total',
    help: 'Executions that this process saw end, by state',
    labelNames: ['state'],
    registers,
  })
  return {
    registry,
    readPage: async () => {
      if (!measuresNode) {
        measuresNode = true
        collectDefaultMetrics({ register: registry })
        await pause(firstSampleMs)
      }
      return registry.metrics()
    },
    recordEvents: (entries) => {
      for (const { type, channel, detail } of entries) {
        events.inc({ type })
        if (type === 'decision.recorded') {
          decisions.inc({ decision: wordOf(detail['decision'], decided), channel })
        }
        if (type === 'execution.finished') {
          executions.inc({ state: wordOf(detail['state'], endStates) })
        }
        if (type === 'execution.unknown') executions.inc({ state: 'unknown' })
        if (type === 'execution.refused') executions.inc({ state: 'refused' })
      }
    },
  }
}

const decided = new Set(['approve', 'deny'])
const endStates = new Set(['succeeded', 'failed'])

/** One of a few words: values of events must not make labels. */
function wordOf(value: unknown, words: ReadonlySet<string>): string {
  return typeof value === 'string' && words.has(value) ? value : 'other'
}
