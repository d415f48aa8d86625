import { generateKeyPairSync, type KeyObject } from 'node:crypto'
import { sql } from 'kysely'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { createTestDatabase, type TestDatabase } from '#test/harness/postgres.ts'
import { sequenceAudit } from '#delivery/audit-log/audit-sequencer.ts'
import { formatVerifierKey, noteKey } from '#evidence/note/note-key.ts'
import { storeLogKey } from '#store/installation-keys.ts'
import { writeRecords } from '#store/records/records.ts'
import { findFolders } from '../../folders.ts'
import { keyIdOf } from '../../keys/key-files.ts'
import { checkAuditLog } from './check-audit-log.ts'
import type { Finding } from '../target/check.ts'

const { privateKey, publicKey } = generateKeyPairSync('ed25519')
const signer = { key: noteKey(`countersign/${keyIdOf(publicKey)}`, publicKey), privateKey }
const pemOf = (key: KeyObject) => String(key.export({ type: 'pkcs8', format: 'pem' }))

let database: TestDatabase
beforeEach(async () => {
  database = await createTestDatabase()
  for (const place of [1, 2, 3]) {
    await write(place)
    await sequenceAudit(database.db, signer)
  }
})
afterEach(() => database[Symbol.asyncDispose]())

async function write(place: number): Promise<void> {
  const event = {
    type: 'system.started',
    actor: { type: 'system' },
    channel: 'system',
    detail: { place },
  } as const
  await database.db.transaction().execute((tx) => writeRecords(tx, { audit: [event] }, null))
}

async function look(environment: Record<string, string> = {}): Promise<Finding> {
  const [finding] = await checkAuditLog({
    folders: findFolders({ data: '/nowhere' }),
    environment,
    databaseUrl: database.url,
    temporalAddress: null,
    temporalNamespace: 'default',
    temporalSecurity: { tls: false },
    isAtWork: true,
  })
  if (finding === undefined) throw new Error('The audit log was not looked at')
  return finding
}

/** Changes the database directly, as its owner can. */
async function tamper(change: string): Promise<void> {
  await sql`alter table audit_event disable trigger all`.execute(database.db)
  await sql`alter table audit_leaf disable trigger all`.execute(database.db)
  await sql.raw(change).execute(database.db)
}

const second = `id = (select event_id from audit_leaf where index = 1)`

describe('doctor', () => {
  it('says that the log’s key is not here, and what to do about it', async () => {
    const anotherKey = { keyId: 'another', vkey: formatVerifierKey(signer.key), handover: null }
    await storeLogKey(database.db, anotherKey)
    const other = generateKeyPairSync('ed25519').privateKey
    expect(await look({ COUNTERSIGN_LOG_KEY: pemOf(other) })).toMatchObject({
      state: 'problem',
      found: expect.stringContaining(`the log is signed with ${anotherKey.vkey}`),
      remedy: expect.stringContaining('rotate-key log --lost'),
    })
    expect(await look({ COUNTERSIGN_LOG_KEY: pemOf(privateKey) })).toMatchObject({ state: 'ok' })
  })

  it('says that the trail is what its checkpoints signed, here also that the log’s key did', async () => {
    const well = { state: 'ok', found: '3 events as the checkpoints signed them' }
    expect(await look()).toMatchObject(well)
    expect(await look({ COUNTERSIGN_LOG_KEY: pemOf(privateKey) })).toMatchObject(well)
    const other = pemOf(generateKeyPairSync('ed25519').privateKey)
    const found = expect.stringContaining('not signed by countersign/')
    expect(await look({ COUNTERSIGN_LOG_KEY: other })).toMatchObject({ state: 'problem', found })
  })

  it.each([
    [
      'an event was changed',
      `update audit_event set document = replace(document, '2', '9') where ${second}`,
      'the first 2 events are not those that the checkpoint of 2 signed',
    ],
    [
      'an event was removed',
      `delete from audit_event where ${second}`,
      'the trail lacks 1 event of its log',
    ],
    [
      'an event was removed from trail and log',
      `with gone as (delete from audit_event where ${second}) delete from audit_leaf where index = 1`,
      'The log has 0 of its entries 1 to 1',
    ],
    [
      'an event was written past the log',
      `insert into audit_event (id, at, type, actor_type, document) values (gen_random_uuid(), now(), 'system.started', 'system', '{}')`,
      'the log lacks 1 event of the trail',
    ],
    [
      'a leaf was added that nobody signed',
      `with added as (insert into audit_event (id, at, type, actor_type, document)
        values (gen_random_uuid(), now(), 'system.started', 'system', '{}') returning id)
        insert into audit_leaf select 3, id from added`,
      'the log has events beyond its newest checkpoint of 3',
    ],
  ])('says so when %s', async (_, change, sentence) => {
    await tamper(change)
    const finding = await look()
    expect(finding).toMatchObject({ state: 'problem', check: 'audit log' })
    expect(finding.found).toContain(sentence)
  })

  it('says when events wait for a checkpoint that does not come', async () => {
    await tamper(`insert into audit_event (id, at, type, actor_type, document)
      values ('01a202ce-38a1-7306-a7d3-c0b9e502c60d', now() - interval '5 minutes', 'system.started', 'system', '{}')`)
    await sql`insert into audit_unsequenced (event_id) select id from audit_event where document = '{}'`.execute(
      database.db,
    )
    const finding = await look()
    expect(finding).toMatchObject({ state: 'problem' })
    expect(finding.found).toContain('1 event without a checkpoint, the oldest for')
  })
})
