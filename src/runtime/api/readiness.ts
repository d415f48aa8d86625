import type { Readiness } from '#api/schemas/operation/health.ts'
import { answerWithin, maxServerAnswerMs } from '#delivery/answer-within.ts'
import { shareRunning } from '#domain/sharing/share-running.ts'
import type { TemporalClient } from '#delivery/temporal-client.ts'
import { readWitnesses, type WitnessStatus } from '#store/audit/witnesses.ts'
import { readBacklog } from '#store/backlog.ts'
import { databaseOutageOf } from '#store/connection/database-outage.ts'
import type { Db } from '#store/database.ts'
import { sentenceOfOutage } from '../metrics/outages.ts'

/** A larger lag is reported; the usual one is less than two seconds. */
const maxLagMs = 30_000
/** Signatures with a time are accepted for minutes. */
const maxClockOffsetMs = 10_000
/** A witness belongs to somebody else, and may be offline for a while. */
const maxWitnessLagMs = 10 * 60_000

/**
 * Returns a check whether this process can work: Postgres and Temporal answer. The answer also has
 * the lags of relay, event stream and audit log, how far this host's clock is off, and recent
 * outages. Those do not count: stopping this process would not help. Resolves within seconds.
 */
export function readinessReader(
  db: Db,
  temporal: Pick<TemporalClient, 'namespaceId'>,
  outages: { recent(): readonly string[] },
): () => Promise<Readiness> {
  const backlogNow = shareRunning(() => readBacklog(db))
  const witnessesNow = shareRunning(() => readWitnesses(db))
  return async () => {
    // A process without a free file descriptor asks nobody, and a Postgres without one answers that
    // it has none: each has its own sentence.
    const tooManyFiles: string[] = []
    const noteFiles = (error: unknown): null => {
      const outage = databaseOutageOf(error)
      if (outage === 'too_many_files' || outage === 'database_too_many_files')
        tooManyFiles.push(sentenceOfOutage(outage))
      return null
    }
    const [backlog, namespaceId, witnesses] = await Promise.all([
      answerWithin(maxServerAnswerMs, backlogNow()).catch(noteFiles),
      answerWithin(maxServerAnswerMs, temporal.namespaceId()).catch(() => null),
      answerWithin(maxServerAnswerMs, witnessesNow()).catch(() => []),
    ])
    const recent = new Set([...tooManyFiles, ...outages.recent()])
    const isSilent = backlog === null && tooManyFiles.length === 0
    return readinessOf({ backlog, namespaceId, witnesses, isSilent, outages: [...recent] })
  }
}

function readinessOf(answers: {
  readonly backlog: Awaited<ReturnType<typeof readBacklog>> | null
  readonly namespaceId: string | null
  readonly witnesses: readonly WitnessStatus[]
  readonly outages: readonly string[]
  /** Postgres was asked, and did not answer */
  readonly isSilent: boolean
}): Readiness {
  const { backlog, namespaceId, witnesses, outages, isSilent } = answers
  const checks = {
    postgres: backlog !== null,
    temporal: namespaceId !== null,
    relayLagMs: backlog?.relay.lagMs ?? 0,
    eventLagMs: backlog?.events.lagMs ?? 0,
    auditLagMs: backlog?.audit.lagMs ?? 0,
    ...(backlog === null ? {} : { clockOffsetMs: backlog.clockOffsetMs }),
    ...(witnesses.length === 0
      ? {}
      : { witnessLagMs: Math.max(...witnesses.map(({ lagMs }) => lagMs)) }),
  }
  const problems = [
    ...problemsOf(checks, isSilent),
    ...problemOfClock(backlog?.clockOffsetMs ?? 0),
    ...outages,
    ...witnesses.flatMap(problemOfWitness),
  ]
  return { ready: checks.postgres && checks.temporal, checks, problems }
}

/** Of a clock that this host and the database do not share; none if they differ by seconds only. */
function problemOfClock(offsetMs: number): string[] {
  if (Math.abs(offsetMs) <= maxClockOffsetMs) return []
  const seconds = Math.round(Math.abs(offsetMs) / 1000)
  const than = offsetMs > 0 ? 'ahead of' : 'behind'
  return [
    `The clock of this host is ${seconds} s ${than} the clock of the database: signed webhooks, Slack and sign-in at a provider can fail until the clock is set`,
  ]
}

function problemOfWitness({ name, isContradicted, lagMs }: WitnessStatus): string[] {
  if (isContradicted) {
    return [
      `The witness ${name} says that it has another history of the audit log: the log was changed or set back, or the witness is wrong`,
    ]
  }
  if (lagMs <= maxWitnessLagMs) return []
  return [`The witness ${name} has not cosigned the audit log for ${Math.round(lagMs / 1000)} s`]
}

function problemsOf(checks: Readiness['checks'], isSilent: boolean): string[] {
  const since = (ms: number): string => `for ${Math.round(ms / 1000)} s`
  const findings: readonly [boolean, string][] = [
    [isSilent, 'Postgres does not answer: nothing can be decided'],
    [!checks.temporal, 'Temporal does not answer: decisions are recorded, and carried out later'],
    [
      checks.relayLagMs > maxLagMs,
      `Decisions and starts have waited to be delivered to Temporal ${since(checks.relayLagMs)}`,
    ],
    [
      checks.eventLagMs > maxLagMs,
      `Live pages and notifications have not received the newest events ${since(checks.eventLagMs)}`,
    ],
    [
      checks.auditLagMs > maxLagMs,
      `No checkpoint has covered the newest events of the trail ${since(checks.auditLagMs)}: the API's log says why`,
    ],
  ]
  return findings.flatMap(([is, sentence]) => (is ? [sentence] : []))
}
