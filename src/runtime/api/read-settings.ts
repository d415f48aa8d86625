import { existsSync } from 'node:fs'
import { join } from 'node:path'
import type { ApiSettings, EvidenceKeys } from '../../api/settings.ts'
import { VERSION } from '../../cli/version.ts'
import { sessionTimes } from '../../services/access/session-times.ts'
import type { Config } from '../config.ts'
import { readDevToken } from '../data-folder/dev-token.ts'
import { ensureHostToken } from '../data-folder/host-token.ts'
import { CHECKOUT, isUsualDataDir } from '../folders.ts'

const requestsPerSecond = 200
const heartbeatMs = 15_000

/** What the HTTP API is told; makes the token of this host where there is none. */
export async function readSettings(config: Config, evidence: EvidenceKeys): Promise<ApiSettings> {
  const uiDir = join(CHECKOUT, 'dist', 'ui')
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
    version: VERSION,
    evidence,
    requestsPerSecond,
    heartbeatMs,
  }
}
