import { randomBytes } from 'node:crypto'
import { mkdir, readFile, rm, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { exportOf } from '#test/harness/evidence/export-of.ts'
import { newFolder } from '#test/harness/new-folder.ts'
import { createTestDatabase, type TestDatabase } from '#test/harness/postgres.ts'
import { waitUntil } from '#test/harness/wait-until.ts'
import { rowOf } from '#test/harness/fixtures/rows.ts'
import { sequenceAudit } from '#delivery/audit-log/audit-sequencer.ts'
import { formatVerifierKey, parseVerifierKey } from '#evidence/note/note-key.ts'
import { isSignedBy, parseNote } from '#evidence/note/signed-note.ts'
import { verifyLog } from '#evidence/verify/verify-log.ts'
import { readNewestCheckpoint } from '#store/audit/audit-log.ts'
import { writeRecords } from '#store/records/records.ts'
import { isHandoverOpen, makeNextLogKey, markUnvouched } from './log-key-files.ts'
import { keepLogKey, type LogKeyKeeper } from './log-key.ts'
import { silentLog } from '#test/harness/silent-log.ts'
import { allHold } from '#test/harness/evidence/all-hold.ts'

let database: TestDatabase
let dataDir: string
const log = silentLog
/** A trail without notifications: a process learns of a change from its files, or later. */
const trail: Parameters<typeof keepLogKey>[0]['trail'] = { onEvents: () => undefined }
const open = (folder = dataDir, environment = {}, of = trail): Promise<LogKeyKeeper> =>
  keepLogKey({ db: database.db, dataDir: folder, environment, log, trail: of })
const verifier = { publicKeys: new Map() }

beforeEach(async () => {
  database = await createTestDatabase()
  dataDir = newFolder('countersign log key ')
})
afterEach(() => database[Symbol.asyncDispose]())

async function write(keeper: LogKeyKeeper): Promise<void> {
  const event = {
    type: 'system.started',
    actor: { type: 'system' },
    channel: 'system',
    detail: { nonce: randomBytes(4).toString('hex') },
  } as const
  await database.db.transaction().execute((tx) => writeRecords(tx, { audit: [event] }, null))
  await sequenceAudit(database.db, keeper.signer)
}

const vkeyOf = (keeper: LogKeyKeeper): string => formatVerifierKey(keeper.presentSigner.key)

async function handedOver(folder = dataDir): Promise<void> {
  await waitUntil(async () => !(await isHandoverOpen(folder)))
}

async function verdicts(vkey: string): Promise<Record<string, string>> {
  const keeper = await open()
  await using _ = keeper
  const files = await exportOf(database.db, keeper.presentSigner, verifier)
  const judged = verifyLog(files, parseVerifierKey(vkey), null)
  return Object.fromEntries(
    judged.map(({ name, outcome, findings }) => [
      name,
      outcome === 'holds' ? outcome : findings.map(({ problem }) => problem).join('; '),
    ]),
  )
}
describe('the log’s key', () => {
  // Rules: security.md 13
  test('is made on first start, owner-only, found again, and refused when others can read it', async () => {
    await using first = await open()
    await using again = await open()
    expect(vkeyOf(again)).toBe(vkeyOf(first))
    expect(first.presentSigner.key.name).toMatch(/^countersign\/[0-9a-f]{16}$/)
    const file = join(dataDir, 'keys', 'log.pem')
    expect((await stat(file)).mode & 0o777).toBe(0o600)
    await using keeper = await open('/nowhere', {
      COUNTERSIGN_LOG_KEY: await readFile(file, 'utf8'),
    })
    expect(vkeyOf(keeper)).toBe(vkeyOf(first))
  })

  // Rules: security.md 13
  test('is handed over: both keys sign, the log continues, and the holder of the first key can verify all of it', async () => {
    await using keeper = await open()
    const old = vkeyOf(keeper)
    await write(keeper)
    await makeNextLogKey(dataDir, { isUnvouched: false })
    await handedOver()
    const note = parseNote((await readNewestCheckpoint(database.db))?.note ?? '')
    expect(isSignedBy(note, parseVerifierKey(old))).toBe(true)
    expect(isSignedBy(note, keeper.signer.key)).toBe(true)
    expect(vkeyOf(keeper)).not.toBe(old)
    await write(keeper)
    await using later = await open()
    expect(vkeyOf(later)).toBe(vkeyOf(keeper))
    expect(await verdicts(old)).toEqual(allHold)
    expect(await verdicts(vkeyOf(keeper))).toEqual(allHold)
    const { document } = await rowOf(database.db, 'audit_event', { type: 'key.created' })
    expect(JSON.parse(document)).toMatchObject({
      detail: { kind: 'log', vkey: vkeyOf(keeper), previous: old, vouched: true },
    })
  })

  test('stops the log with a sentence when it is lost, until somebody declares the loss, which every verifier sees', async () => {
    let old = ''
    {
      await using keeper = await open()
      await write(keeper)
      old = vkeyOf(keeper)
    }
    await rm(join(dataDir, 'keys', 'log.pem'))
    await using keeper = await open()
    expect(() => keeper.signer.key).toThrow('countersign rotate-key log --lost')
    await markUnvouched(dataDir)
    await handedOver()
    await write(keeper)
    expect(await verdicts(vkeyOf(keeper))).toEqual(allHold)
    const oldVerdicts = await verdicts(old)
    expect(oldVerdicts['authenticity']).toContain('without the signature of the key before')
    expect(oldVerdicts['integrity']).toBe('holds')
  })

  test('that is not in the folder cannot be replaced there, and the attempt leaves no mark', async () => {
    const empty = newFolder('no-log-key-')
    await mkdir(join(empty, 'keys'))
    await expect(makeNextLogKey(empty, { isUnvouched: true })).rejects.toThrow('start the API once')
    expect(await isHandoverOpen(empty)).toBe(false)
  })

  test('from the environment is handed over only if the previous key is given beside it', async () => {
    let first = ''
    {
      await using keeper = await open()
      await write(keeper)
      first = vkeyOf(keeper)
    }
    const elsewhere = newFolder('countersign log key ')
    await makeKey(elsewhere)
    const pem = await readFile(join(elsewhere, 'keys', 'log.pem'), 'utf8')
    const before = await readFile(join(dataDir, 'keys', 'log.pem'), 'utf8')
    {
      await using stranger = await open(elsewhere, { COUNTERSIGN_LOG_KEY: pem })
      expect(() => stranger.signer.key).toThrow('put it back')
    }
    const environment = { COUNTERSIGN_LOG_KEY: pem, COUNTERSIGN_LOG_KEY_BEFORE: before }
    const listeners: (() => void)[] = []
    await using follower = await open(
      dataDir,
      {},
      { onEvents: (notify) => void listeners.push(notify) },
    )
    await using heir = await open(elsewhere, environment)
    // The hand-over is an event of the trail: the process that signed until then is notified, and
    // stops.
    for (const notify of listeners) notify()
    const hasStopped = (): boolean => {
      try {
        return follower.signer.key === null
      } catch {
        return true
      }
    }
    await waitUntil(hasStopped)
    await write(heir)
    const files = await exportOf(database.db, heir.signer, verifier)
    const judged = verifyLog(files, parseVerifierKey(first), null)
    expect(judged.map(({ outcome }) => outcome)).toEqual(judged.map(() => 'holds'))
    await using behind = await open()
    expect(() => behind.signer.key).toThrow('is not here')
  })
})

/** A log key in another folder, which no database knows. */
async function makeKey(folder: string): Promise<void> {
  const other = await createTestDatabase()
  await using _ = other
  await using keeper = await keepLogKey({
    db: other.db,
    dataDir: folder,
    environment: {},
    log,
    trail,
  })
  expect(keeper.signer.key.name).toContain('countersign/')
}
