import { Gauge, type Registry } from 'prom-client'
import { answerWithin, maxServerAnswerMs } from '#delivery/answer-within.ts'
import type { TemporalClient } from '#delivery/temporal-client.ts'
import { shareRunning } from '#domain/sharing/share-running.ts'
import { readWitnesses } from '#store/audit/witnesses.ts'
import { readBacklog, countOpenWork } from '#store/backlog.ts'
import type { Db } from '#store/database.ts'

/**
 * Registers the state of the whole installation; the result reads it and sets the gauges. Figures
 * that cannot be read within seconds are absent, and `countersign_up` shows it.
 */
export function createInstallationMetrics(
  registry: Registry,
  db: Db,
  temporal: Pick<TemporalClient, 'namespaceId'>,
): () => Promise<void> {
  const gauges = gaugesOf(registry)
  const readFigures = shareRunning(() => readDatabase(db))
  return async () => {
    const [namespaceId, figures] = await Promise.all([
      answerWithin(maxServerAnswerMs, temporal.namespaceId()).catch(() => null),
      answerWithin(maxServerAnswerMs, readFigures()).catch(() => null),
    ])
    gauges.up.set({ part: 'temporal' }, namespaceId === null ? 0 : 1)
    gauges.up.set({ part: 'postgres' }, figures === null ? 0 : 1)
    show(gauges, figures)
  }
}

function gaugesOf(registry: Registry) {
  const registers = [registry]
  const gauge = <Label extends string = never>(
    name: string,
    help: string,
    labelNames: Label[] = [],
  ): Gauge<Label> => new Gauge({ name: `countersign_${name}`, help, labelNames, registers })
  return {
    up: gauge('up', 'Whether a server that this process needs answers', ['part']),
    requests: gauge('requests_pending', 'Requests that wait for a decision', ['queue']),
    oldest: gauge('request_oldest_seconds', 'Age of the oldest pending request', ['queue']),
    runs: gauge('runs', 'Runs that have not ended', ['state']),
    deliveries: gauge('deliveries', 'Notifications on their way or given up', ['kind', 'state']),
    clockOffset: gauge(
      'clock_offset_seconds',
      "How far this host's clock is ahead of the database's; negative: behind",
    ),
    outbox: gauge('outbox_pending', 'Outbox rows that are not delivered'),
    outboxLag: gauge('outbox_lag_seconds', 'Age of the oldest row that is not delivered'),
    eventLag: gauge('event_sequencer_lag_seconds', 'Age of the oldest event without a number'),
    auditPending: gauge('audit_pending', 'Events of the trail that no checkpoint covers'),
    auditLag: gauge('audit_sequencer_lag_seconds', 'Age of the oldest event without a checkpoint'),
    witnessLag: gauge(
      'audit_witness_lag_seconds',
      'Age of the oldest checkpoint that the witness has not cosigned',
      ['witness'],
    ),
    contradicted: gauge(
      'audit_witness_contradicted',
      '1 when the witness has another history of the audit log',
      ['witness'],
    ),
  }
}

/** Sets every figure of the database; `null`: it could not be read, and none is shown. */
function show(gauges: ReturnType<typeof gaugesOf>, figures: DatabaseFigures | null): void {
  const { contradicted, deliveries, oldest, requests, runs, witnessLag } = gauges
  const { auditLag, auditPending, clockOffset, eventLag, outbox, outboxLag } = gauges
  for (const figure of [requests, oldest, runs, deliveries, witnessLag, contradicted])
    figure.reset()
  for (const figure of [clockOffset, outbox, outboxLag, eventLag, auditPending, auditLag])
    figure.remove()
  if (figures === null) return
  const { backlog, openWork, witnesses } = figures
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

type DatabaseFigures = Awaited<ReturnType<typeof readDatabase>>

async function readDatabase(db: Db) {
  return {
    backlog: await readBacklog(db),
    openWork: await countOpenWork(db),
    witnesses: await readWitnesses(db),
  }
}
