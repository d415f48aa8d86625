import { sql } from 'kysely'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { noteSigner } from '#test/harness/evidence/fixed-log.ts'
import { createTestService, type TestService } from '#test/harness/fixtures/test-service.ts'
import { createTestDatabase, type TestDatabase } from '#test/harness/postgres.ts'
import { waitUntil } from '#test/harness/wait-until.ts'
import { parseAddCheckpoint } from '#evidence/note/add-checkpoint.ts'
import { cosign } from '#evidence/note/cosignature.ts'
import { keyLabel } from '#evidence/note/note-key.ts'
import { formatSignature, parseNote } from '#evidence/note/signed-note.ts'
import type { WitnessSetting } from '#policy/settings.ts'
import { readinessReader } from '#runtime/api/readiness.ts'
import type { CheckTarget } from '#runtime/doctor/target/check.ts'
import { checkWitnesses } from '#runtime/doctor/records/check-witnesses.ts'
import { createApiMetrics } from '#runtime/metrics/api-metrics.ts'
import { readNewestCheckpoint } from '#store/audit/audit-log.ts'
import { leaseWitness, readWitnesses, type WitnessStatus } from '#store/audit/witnesses.ts'
import { askWitness, type WitnessOutcome } from './ask-witness.ts'
import {
  answerAt,
  growLog,
  openTestWitness,
  settingAt,
  withWitnesses,
  type TestWitness,
} from './witness-desk.fixture.ts'
import { WitnessRelay } from './witness-relay.ts'

const quick = {
  everyMs: 20,
  timeoutMs: 60_000,
  leaseMs: 120_000,
  pauseMs: [1, 20],
} as const

let database: TestDatabase
let service: TestService
let witness: TestWitness
let errors: string[]
beforeEach(async () => {
  database = await createTestDatabase()
  service = await createTestService(database.db)
  witness = await openTestWitness()
  errors = []
})
afterEach(async () => {
  await witness[Symbol.asyncDispose]()
  await database[Symbol.asyncDispose]()
})

function relayTo(...witnesses: WitnessSetting[]): WitnessRelay {
  const log = {
    ...service.ctx.log,
    error: (fields: Record<string, unknown>) => errors.push(String(fields['problem'])),
  }
  const policies = withWitnesses(service.ctx.policies, witnesses)
  return new WitnessRelay({ db: database.db, log, policies, isDevelopment: true, times: quick })
}

async function statusOf(name = 'office'): Promise<WitnessStatus | undefined> {
  return (await readWitnesses(database.db)).find((one) => one.name === name)
}

/** The state of the witnesses in readiness, doctor and metrics. */
async function reports() {
  const temporal = { namespaceId: async () => 'a namespace' }
  const target = { databaseUrl: database.url, isAtWork: true } as CheckTarget
  return {
    ready: (await readinessReader(database.db, temporal, { recent: () => [] })()).problems,
    doctor: await checkWitnesses(target),
    metrics: await createApiMetrics(database.db, temporal).page.text(),
  }
}

const untilCosigned = (size: number, name?: string) =>
  waitUntil(async () => (await statusOf(name))?.size === size || 'not cosigned')

async function kept(): Promise<{ size: number; witness: string }[]> {
  const rows = await database.db
    .selectFrom('audit_cosignature')
    .select(['size', 'witness'])
    .orderBy('size')
    .execute()
  return rows.map((row) => ({ ...row, size: Number(row.size) }))
}

/** One question to a witness about the newest checkpoint of a database. */
async function ask(
  of: TestDatabase,
  from: number,
  { url }: WitnessSetting,
  key = witness.key,
  isDevelopment = true,
): Promise<WitnessOutcome> {
  const checkpoint = await readNewestCheckpoint(of.db)
  if (checkpoint === null) throw new Error('There is no checkpoint')
  const rules = { allow: [], isDevelopment }
  const stopping = new AbortController().signal
  return askWitness(of.db, checkpoint, from, { url, key, rules, timeoutMs: 60_000, stopping })
}

describe('the relay of checkpoints', () => {
  it('has each new checkpoint cosigned, by one of two processes', async () => {
    await growLog(database.db, 30)
    await using _one = relayTo(witness.setting)
    await using _other = relayTo(witness.setting)
    await untilCosigned(30)
    await growLog(database.db, 20)
    await untilCosigned(50)
    expect(await kept()).toEqual([
      { size: 30, witness: keyLabel(witness.key) },
      { size: 50, witness: keyLabel(witness.key) },
    ])
    expect(witness.requests.map((body) => parseAddCheckpoint(body).old)).toEqual([0, 30])
    expect(await statusOf()).toMatchObject({ lagMs: 0, problem: null, isContradicted: false })
  })

  it('waits for no witness: while one is down the log grows and others cosign; afterwards it catches up', async () => {
    await using second = await openTestWitness('home')
    await growLog(database.db, 3)
    await using _relay = relayTo(witness.setting, second.setting)
    await untilCosigned(3)
    await witness.goAway()
    await growLog(database.db, 4)
    await untilCosigned(7, 'home')
    await growLog(database.db, 5)
    await untilCosigned(12, 'home')
    await waitUntil(async () => (await statusOf())?.problem !== null)
    const waiting = await statusOf()
    expect(waiting).toMatchObject({ size: 3, isContradicted: false })
    expect(waiting?.lagMs).toBeGreaterThan(0)
    await witness.comeBack()
    await untilCosigned(12)
    expect(errors).toEqual([])
    expect(await reports()).toEqual({
      ready: [],
      doctor: ['home', 'office'].map((name) => ({
        check: 'witness',
        state: 'ok',
        found: expect.stringContaining(`${name} cosigned 12 events`),
      })),
      metrics: expect.stringContaining('countersign_audit_witness_lag_seconds{witness="office"} 0'),
    })
  })

  it('continues from the size that the witness names, when another process has asked it meanwhile', async () => {
    await growLog(database.db, 3)
    expect(await ask(database, 0, witness.setting)).toMatchObject({ state: 'cosigned' })
    await growLog(database.db, 4)
    await using _relay = relayTo(witness.setting)
    await untilCosigned(7)
    expect(witness.requests.map((body) => parseAddCheckpoint(body).old)).toEqual([0, 0, 3])
  })

  it('raises an alarm when the witness has cosigned more events than the log has, or another log', async () => {
    {
      await using older = await createTestDatabase()
      await growLog(older.db, 9)
      expect(await ask(older, 0, witness.setting)).toMatchObject({ state: 'cosigned' })
    }
    await growLog(database.db, 5)
    await using _relay = relayTo(witness.setting)
    await waitUntil(async () => (await statusOf())?.isContradicted === true)
    expect(errors[0]).toContain('cosigned 9 events, and the log has 5')
    await growLog(database.db, 4)
    await waitUntil(() => errors.some((message) => message.includes('another tree of 9')))
    await growLog(database.db, 4)
    await waitUntil(() => errors.some((message) => message.includes('does not go on')))
    expect(await statusOf()).toMatchObject({ size: 0, isContradicted: true })
    expect(await kept()).toEqual([])
    expect(await reports()).toEqual({
      ready: [expect.stringContaining('The witness office says that it has another history')],
      doctor: [expect.objectContaining({ check: 'witness', state: 'problem' })],
      metrics: expect.stringContaining(
        'countersign_audit_witness_contradicted{witness="office"} 1',
      ),
    })
  })

  // Rules: security.md 42
  it('asks a witness whose lease or pause the clock of the database has left too far ahead, as after it was set back', async () => {
    await growLog(database.db, 3)
    const { db } = database
    const one = { id: 'office+1', name: 'office' }
    const lease = () => leaseWitness(db, one, { leaseMs: 1000, maxAheadMs: 60_000 })
    const leave = (leasedUntil: string | null, nextAt: string) =>
      sql`update audit_witness set leased_until = clock_timestamp() + ${leasedUntil}::interval,
        next_at = clock_timestamp() + ${nextAt}::interval`.execute(db)
    expect(await lease()).toEqual({ failures: 0 })
    expect(await lease()).toBeNull()
    await leave('1 day', '-1 s')
    expect(await lease()).toEqual({ failures: 0 })
    await leave(null, '1 day')
    expect(await lease()).toEqual({ failures: 0 })
    await leave('50 s', '-1 s')
    expect(await lease()).toBeNull()
    await leave(null, '50 s')
    expect(await lease()).toBeNull()
  })

  it('deletes the state of a witness that is no longer configured, and keeps its cosignatures', async () => {
    await growLog(database.db, 3)
    {
      await using _relay = relayTo(witness.setting)
      await untilCosigned(3)
    }
    await using _relay = relayTo()
    await waitUntil(async () => (await statusOf()) === undefined)
    expect(await kept()).toHaveLength(1)
  })
})

describe('the answer of a witness', () => {
  const own = noteSigner('witness.example', 'cosignature')
  const impostor = noteSigner('witness.example', 'cosignature')
  const now = Math.floor(Date.now() / 1000)

  it('is stored only if it is a cosignature of exactly this tree of this log, with no time in the future', async () => {
    await growLog(database.db, 3)
    const answers: readonly (readonly [message: string, (note: string) => string])[] = [
      ['not a cosignature', () => ''],
      ['not a cosignature', () => '<html>'],
      ['answer', () => 'x'.repeat(100_000)],
      ['no cosignature of', (note) => lineOf(note, noteSigner('x', 'cosignature'), now)],
      ['no cosignature of', (note) => lineOf(note, impostor, now)],
      ['does not hold', (note) => lineOf(note.replace('\n3\n', '\n4\n'), own, now)],
      ['does not hold', (note) => lineOf(note.replace('countersign/', 'other/'), own, now)],
      ['its clock shows', (note) => lineOf(note, own, now + 86_400)],
    ]
    let answerOf = (_note: string): string => ''
    await using liar = await answerAt((response, body) => {
      response.writeHead(200).end(answerOf(parseAddCheckpoint(body).note))
    })
    const setting = settingAt('liar', liar.port, own.key)
    for (const [problem, next] of answers) {
      answerOf = next
      const outcome = await ask(database, 0, setting, own.key)
      expect(outcome).toEqual({ state: 'failed', problem: expect.stringContaining(problem) })
    }
    await using _relay = relayTo(setting)
    await waitUntil(async () => ((await statusOf('liar'))?.problem ?? null) !== null)
    expect(await kept()).toEqual([])
    answerOf = (note) => lineOf(note, own, now)
    await untilCosigned(3, 'liar')
  })

  it('is a failure with its meaning in words if it is an error, and no redirect is followed', async () => {
    await growLog(database.db, 3)
    let status = 0
    await using one = await answerAt((response) => {
      response.writeHead(status, { location: witness.setting.url }).end()
    })
    for (const [answered, problem] of [
      [400, 'malformed'],
      [403, 'does not know the key'],
      [404, 'does not know this log'],
      [500, 'it answered 500'],
      [301, 'it answered 301'],
    ] as const) {
      status = answered
      const outcome = await ask(database, 0, settingAt('office', one.port, witness.key))
      expect(outcome).toEqual({ state: 'failed', problem: expect.stringContaining(problem) })
    }
    expect(witness.requests).toEqual([])
  })

  // Rules: security.md 23
  it('is requested by the rules for webhook addresses: http only to this machine, in development', async () => {
    await growLog(database.db, 3)
    const { setting, key } = witness
    const production = await ask(database, 0, setting, key, false)
    expect(production).toMatchObject({ problem: expect.stringContaining('use https') })
    const inside = await ask(database, 0, { ...setting, url: 'https://127.0.0.1:1' })
    expect(inside).toMatchObject({ problem: expect.stringContaining('private address') })
    expect(witness.requests).toEqual([])
  })
})

function lineOf(note: string, by: ReturnType<typeof noteSigner>, atSeconds: number): string {
  return formatSignature(cosign(parseNote(note).text, by, atSeconds))
}
