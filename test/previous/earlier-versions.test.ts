import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { sequenceAudit } from '#delivery/audit-log/audit-sequencer.ts'
import { verifyLog } from '#evidence/verify/verify-log.ts'
import { raiseEpoch } from '#services/installation/raise-epoch.ts'
import { readAudit } from '#services/audit/read-audit.ts'
import { getRequest } from '#services/requests/detail/get-request.ts'
import { getRun } from '#services/runs/reading/get-run.ts'
import { loadTranscript } from '#services/transcript/load-transcript.ts'
import { restoreTables } from '#store/backup/restore-tables.ts'
import { migrateToLatest } from '#store/migrating/migrate.ts'
import { agentDeskOn, type AgentDesk } from '../harness/fixtures/agent-desk.ts'
import type { TestPerson } from '../harness/fixtures/people.ts'
import { allHold } from '../harness/evidence/all-hold.ts'
import { exportOf } from '../harness/evidence/export-of.ts'
import { createEmptyDatabase, createTestDatabase } from '../harness/postgres.ts'
import { rowOf } from '../harness/fixtures/rows.ts'
import { dumpProject, type Scene } from './dump-project.ts'
import { dumpNames, readDump, type Dump } from './restored-dump.ts'
import { schemaOf } from './schema-of.ts'

describe.each(await dumpNames())('the database of an earlier version, %s', (name) => {
  let dump: Dump
  let desk: AgentDesk
  let linus: TestPerson

  beforeAll(async () => {
    dump = await readDump(name)
    const database = await createEmptyDatabase()
    await restoreTables(database.db, dump.backup.manifest, dump.backup.rows())
    const { sealKey, signer, verifier } = dump
    desk = await agentDeskOn(database, undefined, {
      files: dumpProject(),
      signer,
      verifier,
      sealKey,
      taskQueue: 'countersign',
    })
    const { id } = await rowOf(database.db, 'person', { email: 'linus@example.com' })
    const actor = { type: 'person', id, name: 'Linus' } as const
    linus = { id, name: 'Linus', caller: { actor, channel: 'dashboard' } }
  })
  afterAll(() => desk[Symbol.asyncDispose]())

  const requestOf = (scene: Scene): { id: string } => {
    const found = dump.facts.requests.find(
      (request) => request.scene === scene && request.state === 'pending',
    )
    if (found === undefined) throw new Error(`nothing of ${scene} was pending`)
    return found
  }

  test('came from that version, and has the schema of a new one after the migrations', async () => {
    expect(dump.backup.manifest.migrations.at(-1)).toBe(name)
    await using fresh = await createTestDatabase()
    expect(await schemaOf(desk.database.db)).toEqual(await schemaOf(fresh.db))
    expect(await migrateToLatest(desk.database.db)).toEqual([])
  })

  test('says of every run, request and event what it said then', async () => {
    const { grace } = desk.people
    for (const { id, state } of dump.facts.runs) {
      expect(await getRun(desk.api, grace.caller, id)).toMatchObject({ id, state })
      expect((await loadTranscript(desk.database.db, id)).length).toBeGreaterThan(0)
    }
    for (const { id, kind, state, execution } of dump.facts.requests) {
      const read = await getRequest(desk.api, grace.caller, { request: id })
      expect(read).toMatchObject({ id, kind, state })
      expect(read.execution?.state ?? null).toBe(execution)
    }
    const selection = { limit: 200, keyReadsAudit: false }
    const { documents } = await readAudit(desk.api, grace.caller, selection)
    expect(documents.length).toBeGreaterThanOrEqual(dump.facts.auditEvents)
  })

  test('has a trail that verifies', async () => {
    const signer = dump.logSigner
    while ((await sequenceAudit(desk.database.db, signer)) > 0);
    const files = await exportOf(desk.database.db, signer, dump.verifier)
    const verdicts = verifyLog(files, signer.key, null)
    const outcomes = new Map(verdicts.map((verdict) => [verdict.name, verdict.outcome]))
    expect(Object.fromEntries(outcomes)).toEqual(allHold)
  })

  test('has requests that can be decided by whoever has not voted, and then run', async () => {
    const { grace } = desk.people
    for (const [scene, who, file] of [
      ['waiting', grace, 'waiting'],
      ['quorum', linus, 'two'],
    ] as const) {
      const { id, call_id: callId } = await rowOf(desk.database.db, 'request', {
        id: requestOf(scene).id,
      })
      await desk.decide(who, id, { scope: 'once' })
      expect(await desk.execute(callId ?? '')).toEqual({ kind: 'done' })
      expect(await getRequest(desk.api, grace.caller, { request: id })).toMatchObject({
        state: 'approved',
        execution: { state: 'succeeded' },
      })
      expect(await desk.read(`notes/${file}.md`)).toBe(scene === 'waiting' ? 'still\n' : 'both\n')
    }
  })

  test('has live permits and begun executions that become outcome checks when it is accepted', async () => {
    // Of one run a call had begun and the next was approved; of another it is not known whether it
    // ran.
    expect(await raiseEpoch(desk.api, { namespaceId: null, lost: null })).toEqual({
      epoch: 2,
      checks: 2,
      waiting: 0,
    })
    const checks = await desk.database.db
      .selectFrom('request')
      .innerJoin('run', 'run.id', 'request.run_id')
      .select('run.worker')
      .where('request.kind', '=', 'outcome_check')
      .where('request.state', '=', 'pending')
      .execute()
    expect(checks.map(({ worker }) => worker).toSorted()).toEqual([
      'executing',
      'executing',
      'lost',
    ])
  })
})
