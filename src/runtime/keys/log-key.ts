import { isDeepStrictEqual } from 'node:util'
import { handOverLog } from '#delivery/audit-log/hand-over-log.ts'
import type { TrailNotifications } from '#delivery/audit-log/trail-notifications.ts'
import { RepeatedWork } from '#delivery/repeated-work.ts'
import type { Signer } from '#domain/statements/statement-bytes.ts'
import { errorMessage } from '#domain/error-message.ts'
import { openCheckpoint } from '#evidence/note/checkpoint.ts'
import { formatVerifierKey, parseVerifierKey } from '#evidence/note/note-key.ts'
import type { NoteSigner } from '#evidence/note/signed-note.ts'
import type { Log } from '#services/core/context.ts'
import { readNewestCheckpoint } from '#store/audit/audit-log.ts'
import type { Db } from '#store/database.ts'
import { noteLogKey, readLogKey } from '#store/installation-keys.ts'
import type { Environment } from '../environment.ts'
import { finishHandover, namedSigner, readLogKeyFiles, type LogKeyFiles } from './log-key-files.ts'

/** How often the files are checked, and so how soon a rotation takes effect. */
const roundEveryMs = 5000
/** The database is read when files or the trail have changed, and otherwise after this time. */
const askDatabaseEveryMs = 60_000
const logEveryMs = 60_000

/** The log's key while the API runs. */
export interface LogKeyKeeper extends AsyncDisposable {
  /** signs checkpoints; reading it throws a sentence while the log's key is missing here */
  readonly signer: NoteSigner
  /** the same for display: the present key, whether it may sign or not */
  readonly presentSigner: NoteSigner
}

/**
 * Follows the log's key: records the first one, replaces it by a new one, and reports when the key
 * that signed the log is missing. The log keeps the name of its first key.
 */
export async function keepLogKey(parts: {
  readonly db: Db
  readonly dataDir: string
  readonly environment: Environment
  readonly log: Log
  /** notifies of new events: another process may have replaced the key */
  readonly trail: Pick<TrailNotifications, 'onEvents'>
}): Promise<LogKeyKeeper> {
  const { db, dataDir, environment, log, trail } = parts
  let files = await readLogKeyFiles(dataDir, environment)
  let askedAt = -Infinity
  let presentSigner = namedSigner(files.present, null)
  let signing: NoteSigner | null = null
  let problem = 'The key of the log is not known yet'
  let loggedAt = -Infinity

  trail.onEvents(() => (askedAt = -Infinity))

  async function follow(): Promise<void> {
    const before = files
    files = await readLogKeyFiles(dataDir, environment)
    const isSettled = signing !== null && isDeepStrictEqual(namesOf(before), namesOf(files))
    if (isSettled && performance.now() - askedAt < askDatabaseEveryMs) return
    askedAt = performance.now()
    await followDatabase()
  }

  async function followDatabase(): Promise<void> {
    const vkey = (await readLogKey(db))?.vkey ?? (await noteFirst(db, files))
    const name = vkey === null ? null : parseVerifierKey(vkey).name
    const of = (signer: Signer): NoteSigner => namedSigner(signer, name)
    const isInForce = (signer: Signer): boolean => formatVerifierKey(of(signer).key) === vkey
    const to = files.next ?? files.present
    const from = [files.present, ...(files.before === null ? [] : [files.before])].find(isInForce)
    presentSigner = of(files.present)
    const isNew = !isInForce(to)
    if (isNew) {
      if (from === undefined && !files.isUnvouched) {
        signing = null
        throw new Error(
          `the log is signed with ${vkey ?? 'a key that is not known'}, which is not here: put it back, or say ` +
            'that it is lost: countersign rotate-key log --lost',
        )
      }
      const before = files.isUnvouched || from === undefined ? null : of(from)
      await handOverLog(db, { after: of(to), before, keyId: to.keyId })
      log.warn({ keyId: to.keyId, vouched: before !== null }, 'another key signs the audit log')
    }
    signing = of(to)
    presentSigner = signing
    const isOver = files.next !== null || (files.isUnvouched && (isNew || files.isStale))
    if (isOver) await finishHandover(dataDir)
  }

  async function round(): Promise<void> {
    try {
      await follow()
    } catch (error) {
      problem = errorMessage(error)
      throw error
    }
  }

  function atWork(): NoteSigner {
    if (signing === null) throw new Error(problem)
    return signing
  }

  const logFailure = (error: unknown): void => {
    if (performance.now() - loggedAt < logEveryMs) return
    loggedAt = performance.now()
    log.error({ error: String(error) }, 'the audit log cannot be signed')
  }
  await round().catch(logFailure)
  const rounds = new RepeatedWork({ everyMs: roundEveryMs, work: round, onError: logFailure })
  return {
    signer: {
      get key() {
        return atWork().key
      },
      get privateKey() {
        return atWork().privateKey
      },
    },
    get presentSigner() {
      return presentSigner
    },
    [Symbol.asyncDispose]: () => rounds[Symbol.asyncDispose](),
  }
}

/** Identifies a change of the files. */
function namesOf({ present, next, before, isUnvouched, isStale }: LogKeyFiles): object {
  const names = [present.keyId, next?.keyId, before?.keyId]
  return { names, isUnvouched, isStale }
}

/** Records the key of a log without one. `null`: another key signed the existing log. */
async function noteFirst(db: Db, { present }: LogKeyFiles): Promise<string | null> {
  const { key } = namedSigner(present, null)
  const newest = await readNewestCheckpoint(db)
  try {
    if (newest !== null) openCheckpoint(newest.note, key)
  } catch {
    return null
  }
  const vkey = formatVerifierKey(key)
  await noteLogKey(db, { keyId: present.keyId, vkey, handover: null })
  return vkey
}
