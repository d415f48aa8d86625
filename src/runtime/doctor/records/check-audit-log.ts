import { sql } from 'kysely'
import { errorMessage } from '#domain/error-message.ts'
import { countWords } from '#domain/text/quantities/count-words.ts'
import { GrowingTree } from '#evidence/merkle/growing-tree.ts'
import { isSameHash } from '#evidence/merkle/tree-hash.ts'
import { parseCheckpoint } from '#evidence/note/checkpoint.ts'
import {
  logKeysOf,
  openLogCheckpoint,
  parseHandovers,
  type LogKeys,
} from '#evidence/note/log-keys.ts'
import { formatVerifierKey, parseVerifierKey } from '#evidence/note/note-key.ts'
import { parseNote } from '#evidence/note/signed-note.ts'
import { readLeafHashes, type StoredCheckpoint } from '#store/audit/audit-log.ts'
import { connectDatabase, type Db } from '#store/database.ts'
import { readHandovers, readLogKey } from '#store/installation-keys.ts'
import type { Environment } from '../../environment.ts'
import { findLogKey } from '../../keys/log-key-files.ts'
import type { Check, Finding } from '../target/check.ts'

const check = 'audit log'
const leavesAtOnce = 4096
const slowSeconds = 60

/**
 * The trail is the one that the log's checkpoints signed: every event is hashed again, and every
 * checkpoint compared.
 */
export const checkAuditLog: Check = async ({ databaseUrl, isAtWork, folders, environment }) => {
  if (databaseUrl === null) return []
  const applicationName = 'countersign doctor'
  await using db = connectDatabase({ url: databaseUrl, poolSize: 1, applicationName })
  try {
    const damage =
      (await findLost(db)) ??
      (await findChanged(db, await findKeys(db, folders.dataDir, environment)))
    return [damage === null ? await findLag(db, isAtWork) : changedFinding(damage)]
  } catch (error) {
    // The check of Postgres reports a server that does not answer, or has no schema.
    if (!(error instanceof Error) || 'code' in error) return []
    if (error instanceof AnotherKey)
      return [{ check, state: 'problem', found: error.message, remedy: keyRemedy }]
    return [changedFinding(error.message)]
  }
}

/** The log's present key is not the one of this data folder. */
class AnotherKey extends Error {}
const keyRemedy =
  'put keys/log.pem back from a copy; when there is none: countersign rotate-key log --lost (docs/keys.md)'

function changedFinding(finding: string): Finding {
  const remedy =
    'somebody changed the database behind the service: keep it as it is, and compare it with a backup, a bundle or a receipt'
  return { check, state: 'problem', found: finding, remedy }
}

/** The log's keys that can be reached from this data folder's; `null`: it has none. */
async function findKeys(
  db: Db,
  dataDir: string,
  environment: Environment,
): Promise<LogKeys | null> {
  const record = await readLogKey(db)
  const name = record === null ? null : parseVerifierKey(record.vkey).name
  const own = await findLogKey(dataDir, environment, name)
  if (own === null) return null
  if (record !== null && formatVerifierKey(own) !== record.vkey) {
    throw new AnotherKey(
      `the log is signed with ${record.vkey}, and ${formatVerifierKey(own)} is here: events wait`,
    )
  }
  return logKeysOf(own, parseHandovers(await readHandovers(db)))
}

/** Events without a leaf or a place in the queue, and leaves whose event is missing. */
async function findLost(db: Db): Promise<string | null> {
  const { rows } = await sql<{ omitted: number; lost: number }>`
    select
      (select count(*)::int from audit_event event
        where not exists (select from audit_leaf where event_id = event.id)
          and not exists (select from audit_unsequenced where event_id = event.id)) as omitted,
      (select count(*)::int from audit_leaf leaf
        where not exists (select from audit_event where id = leaf.event_id)) as lost
  `.execute(db)
  const { omitted = 0, lost = 0 } = rows[0] ?? {}
  if (omitted > 0) return `the log lacks ${countWords(omitted, 'event')} of the trail`
  return lost > 0 ? `the trail lacks ${countWords(lost, 'event')} of its log` : null
}

/** The first checkpoint that does not match the events, or is not the log's own. */
async function findChanged(db: Db, keys: LogKeys | null): Promise<string | null> {
  const rows = await db
    .selectFrom('audit_checkpoint')
    .select(['size', 'note'])
    .orderBy('size')
    .execute()
  const checkpoints = rows.map(({ size, note }) => ({ size: Number(size), note }))
  const tree = new GrowingTree()
  for (const checkpoint of checkpoints) {
    while (tree.size < checkpoint.size) {
      const end = Math.min(checkpoint.size, tree.size + leavesAtOnce)
      for (const hash of await readLeafHashes(db, tree.size, end)) tree.append(hash)
    }
    const problem = compare(checkpoint, tree.root(), keys)
    if (problem !== null) return problem
  }
  // In one statement: the log may have grown since its checkpoints were read.
  const { rows: beyond } = await sql<{ size: number }>`
    select newest.size from (select coalesce(max(size), 0)::float8 as size from audit_checkpoint) as newest
    where exists (select from audit_leaf where index >= newest.size)
  `.execute(db)
  const [firstBeyond] = beyond
  return firstBeyond === undefined
    ? null
    : `the log has events beyond its newest checkpoint of ${firstBeyond.size}`
}

function compare({ size, note }: StoredCheckpoint, root: Uint8Array, keys: LogKeys | null) {
  try {
    const checkpoint =
      keys === null ? parseCheckpoint(parseNote(note).text) : openLogCheckpoint(note, keys)
    if (checkpoint.size === size && isSameHash(checkpoint.root, root)) return null
    return `the first ${size} events are not those that the checkpoint of ${size} signed`
  } catch (error) {
    return `the checkpoint of ${size} is not the log's: ${errorMessage(error)}`
  }
}

async function findLag(db: Db, isAtWork: boolean): Promise<Finding> {
  const { rows } = await sql<{ covered: number; waiting: number; seconds: number | null }>`
    select coalesce((select max(size) from audit_checkpoint), 0)::float8 as covered,
      count(*)::int as waiting,
      extract(epoch from clock_timestamp() - min(audit_event.at))::float8 as seconds
    from audit_unsequenced join audit_event on audit_event.id = event_id
  `.execute(db)
  const { covered = 0, waiting = 0, seconds = null } = rows[0] ?? {}
  const oldest = Math.round(seconds ?? 0)
  if (oldest < slowSeconds) {
    return {
      check,
      state: 'ok',
      found: `${countWords(covered, 'event')} as the checkpoints signed them`,
    }
  }
  return {
    check,
    state: isAtWork ? 'problem' : 'warning',
    found: `${countWords(waiting, 'event')} without a checkpoint, the oldest for ${oldest} s`,
    remedy: 'they are covered once an API process runs; when one does, its log says why it cannot',
  }
}
