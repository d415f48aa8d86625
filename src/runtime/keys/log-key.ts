import type { TrailNotifications } from '#delivery/audit-log/trail-notifications.ts'
import { RepeatedWork } from '#delivery/repeated-work.ts'
import type { NoteSigner } from '#evidence/note/signed-note.ts'
import { FollowedLogKey, type LogKeyPlace } from './followed-log-key.ts'
import { readLogKeyFiles } from './log-key-files.ts'

/** How often the files are checked, and so how soon a rotation takes effect. */
const roundEveryMs = 5000
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
export async function keepLogKey({
  trail,
  ...place
}: LogKeyPlace & {
  /** notifies of new events: another process may have replaced the key */
  readonly trail: Pick<TrailNotifications, 'onEvents'>
}): Promise<LogKeyKeeper> {
  const key = new FollowedLogKey(place, await readLogKeyFiles(place.dataDir, place.environment))
  trail.onEvents(() => key.expectChange())
  let loggedAt = -Infinity
  const logFailure = (error: unknown): void => {
    if (performance.now() - loggedAt < logEveryMs) return
    loggedAt = performance.now()
    place.log.error({ error: String(error) }, 'the audit log cannot be signed')
  }
  await key.round().catch(logFailure)
  const rounds = new RepeatedWork({
    everyMs: roundEveryMs,
    work: () => key.round(),
    onError: logFailure,
  })
  return {
    signer: {
      get key() {
        return key.signer.key
      },
      get privateKey() {
        return key.signer.privateKey
      },
    },
    get presentSigner() {
      return key.presentSigner
    },
    [Symbol.asyncDispose]: () => rounds[Symbol.asyncDispose](),
  }
}
