import { isDeepStrictEqual } from 'node:util'
import { handOverLog } from '#delivery/audit-log/hand-over-log.ts'
import type { Signer } from '#domain/statements/statement-bytes.ts'
import { errorMessage } from '#domain/error-message.ts'
import { openCheckpoint } from '#evidence/note/checkpoint.ts'
import { formatVerifierKey, parseVerifierKey } from '#evidence/note/note-key.ts'
import type { NoteSigner } from '#evidence/note/signed-note.ts'
import type { Log } from '#services/core/context.ts'
import { readNewestCheckpoint } from '#store/audit/audit-log.ts'
import type { Db } from '#store/database.ts'
import { storeLogKey, readLogKey } from '#store/installation-keys.ts'
import type { Environment } from '../environment.ts'
import { finishHandover, namedSigner, readLogKeyFiles, type LogKeyFiles } from './log-key-files.ts'

/** The database is read when files or the trail have changed, and otherwise after this time. */
const askDatabaseEveryMs = 60_000

/** What the log's key is read from and recorded in. */
export interface LogKeyPlace {
  readonly db: Db
  readonly dataDir: string
  readonly environment: Environment
  readonly log: Log
}

/** The log's key by the files of this host and the database, as both were read last. */
export class FollowedLogKey {
  readonly #place: LogKeyPlace
  #files: LogKeyFiles
  #askedAt = -Infinity
  #presentSigner: NoteSigner
  #signer: NoteSigner | null = null
  #problem = 'The key of the log is not known yet'

  constructor(place: LogKeyPlace, files: LogKeyFiles) {
    this.#place = place
    this.#files = files
    this.#presentSigner = namedSigner(files.present, null)
  }

  get signer(): NoteSigner {
    if (this.#signer === null) throw new Error(this.#problem)
    return this.#signer
  }

  get presentSigner(): NoteSigner {
    return this.#presentSigner
  }

  /** Makes the next round read the database. */
  expectChange(): void {
    this.#askedAt = -Infinity
  }

  async round(): Promise<void> {
    try {
      await this.#follow()
    } catch (error) {
      this.#problem = errorMessage(error)
      throw error
    }
  }

  async #follow(): Promise<void> {
    const before = this.#files
    this.#files = await readLogKeyFiles(this.#place.dataDir, this.#place.environment)
    const isSettled =
      this.#signer !== null && isDeepStrictEqual(namesOf(before), namesOf(this.#files))
    if (isSettled && performance.now() - this.#askedAt < askDatabaseEveryMs) return
    this.#askedAt = performance.now()
    await this.#followDatabase(this.#files)
  }

  async #followDatabase(files: LogKeyFiles): Promise<void> {
    const { db, dataDir, log } = this.#place
    const vkey = (await readLogKey(db))?.vkey ?? (await recordFirst(db, files))
    const name = vkey === null ? null : parseVerifierKey(vkey).name
    const of = (signer: Signer): NoteSigner => namedSigner(signer, name)
    const isInForce = (signer: Signer): boolean => formatVerifierKey(of(signer).key) === vkey
    const to = files.next ?? files.present
    const from = [files.present, ...(files.before === null ? [] : [files.before])].find(isInForce)
    this.#presentSigner = of(files.present)
    const isNew = !isInForce(to)
    if (isNew) {
      if (from === undefined && !files.isUnvouched) {
        this.#signer = null
        throw new Error(
          `the log is signed with ${vkey ?? 'a key that is not known'}, which is not here: put it back, or say ` +
            'that it is lost: countersign rotate-key log --lost',
        )
      }
      const before = files.isUnvouched || from === undefined ? null : of(from)
      await handOverLog(db, { after: of(to), before, keyId: to.keyId })
      log.warn({ keyId: to.keyId, vouched: before !== null }, 'another key signs the audit log')
    }
    this.#signer = of(to)
    this.#presentSigner = this.#signer
    const isOver = files.next !== null || (files.isUnvouched && (isNew || files.isStale))
    if (isOver) await finishHandover(dataDir)
  }
}

/** Identifies a change of the files. */
function namesOf({ present, next, before, isUnvouched, isStale }: LogKeyFiles): object {
  const names = [present.keyId, next?.keyId, before?.keyId]
  return { names, isUnvouched, isStale }
}

/** Records the key of a log without one. `null`: another key signed the existing log. */
async function recordFirst(db: Db, { present }: LogKeyFiles): Promise<string | null> {
  const { key } = namedSigner(present, null)
  const newest = await readNewestCheckpoint(db)
  try {
    if (newest !== null) openCheckpoint(newest.note, key)
  } catch {
    return null
  }
  const vkey = formatVerifierKey(key)
  await storeLogKey(db, { keyId: present.keyId, vkey, handover: null })
  return vkey
}
