import { existsSync } from 'node:fs'
import { join } from 'node:path'
import type { ApiSettings, EvidenceKeys } from '#api/context/api.ts'
import type { VapidKey } from '#delivery/push/encrypt-push.ts'
import { version } from '../version.ts'
import { sessionTimes } from '#services/access/sessions/session-times.ts'
import type { Config } from '../config/config.ts'
import { readDevToken, ensureHostToken } from '../data-folder/run-secrets.ts'
import { commandForReaders } from '../own-command.ts'
import { checkoutFolder, isUsualDataDir } from '../folders.ts'

const requestsPerSecond = 200
const heartbeatMs = 10_000

/** The settings of the HTTP API; makes the token of this host if there is none. */
export async function readSettings(
  config: Config,
  keys: { readonly evidence: EvidenceKeys; readonly pushKey: VapidKey },
): Promise<ApiSettings> {
  const uiDir = join(checkoutFolder, 'dist', 'ui')
  return {
    publicUrl: config.publicUrl,
    trustProxy: config.trustProxy,
    developmentToken: config.developmentSignIn ? await readDevToken(config.dataDir) : null,
    hostToken: await ensureHostToken(config.dataDir),
    sessionTimes,
    uiDir: existsSync(join(uiDir, 'index.html')) ? uiDir : null,
    projectDir: config.projectDir,
    ...(isUsualDataDir(config) ? {} : { dataDir: config.dataDir }),
    isSample: config.isQuickstart,
    temporal: { uiUrl: config.temporalUiUrl, namespace: config.temporal.namespace },
    version,
    command: commandForReaders(),
    evidence: keys.evidence,
    pushKey: keys.pushKey,
    requestsPerSecond,
    heartbeatMs,
  }
}
