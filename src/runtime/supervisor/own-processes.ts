import { spawn } from 'node:child_process'
import { join } from 'node:path'
import { CHECKOUT, logFolder, runFolder } from '../folders.ts'
import type { Folders } from '../folders.ts'
import { findFreePort, isPortFree } from '../processes/free-port.ts'
import {
  withoutModelKeys,
  withoutOwnerUrl,
  withoutSigningKey,
} from '../project/project-environment.ts'
import { launchNode } from './launch-node.ts'
import { supervise } from './supervise.ts'
import type { Supervised } from './supervise.ts'

const READY_TIMEOUT_MS = 90_000
const GRACE_MS = 20_000

export type ProcessOptions = {
  folders: Folders
  /** The project's environment and what the infrastructure adds; each process gets only its share. */
  variables: Record<string, string>
  log: (sentence: string) => void
}

/** Bring the database to this version's schema. Throws with the sentence that `countersign migrate` ends with. */
export async function runMigrations({ folders, variables }: ProcessOptions): Promise<void> {
  const child = spawn(
    process.execPath,
    [join(CHECKOUT, 'src', 'cli', 'main.ts'), 'migrate', ...folderArguments(folders)],
    {
      cwd: CHECKOUT,
      env: withoutModelKeys(withoutSigningKey(variables)),
      stdio: ['ignore', 'ignore', 'pipe'],
    },
  )
  let said = ''
  child.stderr.on('data', (chunk: Buffer) => (said += chunk.toString('utf8')))
  const code = await new Promise<number | null>((resolve, reject) => {
    child.once('error', reject)
    child.once('close', resolve)
  })
  if (code !== 0) throw new Error(said.trim() || `countersign migrate ended with code ${code}`)
}

/** Start the API on that port and keep it running. */
export function startApi(options: ProcessOptions & { port: number }): Promise<Supervised> {
  const variables = { ...withoutModelKeys(options.variables), PORT: String(options.port) }
  return startProcess('api', { ...options, variables })
}

/** Start a Temporal worker and keep it running. It never sees the signing key. */
export function startTemporalWorker(options: ProcessOptions): Promise<Supervised> {
  return startProcess('temporal-worker', {
    ...options,
    variables: withoutSigningKey(options.variables),
  })
}

/**
 * The port that people will use: the wanted one, or a free one when it is taken, which is said.
 * Where the address is fixed from outside (`isFixed`), a taken port is an error instead.
 */
export async function chooseApiPort(
  wanted: number,
  { host, isFixed, log }: { host: string; isFixed: boolean; log: (sentence: string) => void },
): Promise<number> {
  if (wanted === 0) return findFreePort(host)
  // `localhost` may lead people to ::1 first: nobody else may answer there.
  if ((await isPortFree(wanted, host)) && (await isPortFree(wanted, '::1'))) return wanted
  if (isFixed)
    throw new Error(
      `port ${wanted} is taken by another program: end that one or choose another with --port`,
    )
  const port = await findFreePort(host)
  log(`port ${wanted} is taken by another program: using ${port}`)
  return port
}

function startProcess(
  name: 'api' | 'temporal-worker',
  { folders, variables, log }: ProcessOptions,
): Promise<Supervised> {
  return supervise(
    {
      name,
      start: (stop) =>
        launchNode({
          stop,
          args: [name, ...folderArguments(folders)],
          env: withoutOwnerUrl(variables),
          logFile: join(logFolder(folders.dataDir), `${name}.log`),
          readyTimeoutMs: READY_TIMEOUT_MS,
          graceMs: GRACE_MS,
        }),
    },
    { runDir: runFolder(folders.dataDir), log },
  )
}

function folderArguments(folders: Folders): string[] {
  return ['--project', folders.projectDir, '--data', folders.dataDir]
}
