import { chmod, mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { embeddedUrl } from '../../../src/runtime/embedded/postgres-address.ts'
import {
  type StartedInstallation,
  startInstallationIn,
} from '../../runtime/started-installation.ts'
import { waitUntil } from '../wait-until.ts'
import { TestSession } from './test-session.ts'

export const processNames = ['postgres', 'temporal', 'api', 'temporal-worker'] as const
export type ProcessName = (typeof processNames)[number]

/** On a machine that is three times slower and busy. */
const restartWithinMs = 180_000

/** False when there is no such process. */
function kill(pid: number): boolean {
  try {
    return process.kill(pid, 'SIGKILL')
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ESRCH') return false
    throw error
  }
}

/** A whole installation as `npm start` runs it: real processes, durable, in a folder of its own. */
export class Installation implements AsyncDisposable {
  readonly folder: string
  #started: StartedInstallation

  private constructor(folder: string, started: StartedInstallation) {
    this.folder = folder
    this.#started = started
  }

  /** Writes the project's files and starts everything; resolves when the service is ready. */
  static async start(files: Readonly<Record<string, string>>): Promise<Installation> {
    const folder = await mkdtemp(join(tmpdir(), 'countersign installation '))
    // Open to the unprivileged user that Postgres runs as when we are root.
    await chmod(folder, 0o755)
    for (const [name, text] of Object.entries(files)) {
      const path = join(folder, name)
      await mkdir(dirname(path), { recursive: true })
      await writeFile(path, text)
    }
    try {
      return new Installation(folder, await startInstallationIn(folder))
    } catch (error) {
      await rm(folder, { recursive: true, force: true })
      throw error
    }
  }

  /** Stops everything in order, does what is to be done meanwhile, and starts it again. */
  async restart(meanwhile?: () => Promise<void>): Promise<void> {
    await this.#started.stop()
    await meanwhile?.()
    this.#started = await startInstallationIn(this.folder)
  }

  get url(): string {
    return this.#started.url
  }

  get dataDir(): string {
    return join(this.folder, '.countersign')
  }

  /** Every line that `start` has printed. */
  get lines(): readonly string[] {
    return this.#started.lines
  }

  /**
   * kill -9, as a power cut for one process. Returns the process id that is gone. One that is being started again at
   * this moment is killed as soon as it serves.
   */
  async killNine(name: ProcessName): Promise<number> {
    let killed = 0
    await waitUntil(
      async () => {
        const pid = await this.#started.pidOf(name).catch(() => 0)
        if (pid === 0 || !kill(pid)) return `${name} does not run`
        killed = pid
        return true
      },
      { withinMs: restartWithinMs },
    )
    return killed
  }

  pidOf(name: ProcessName): Promise<number> {
    return this.#started.pidOf(name)
  }

  /** Waits until the supervisor has started the process anew and the service says it is ready. */
  async untilBack(name: ProcessName, gone: number): Promise<void> {
    await waitUntil(
      async () => {
        const pid = await this.#started.pidOf(name).catch(() => gone)
        return (pid !== gone && (await this.isReady())) || `${name} is not back`
      },
      { withinMs: restartWithinMs, everyMs: 50 },
    )
  }

  async isReady(): Promise<boolean> {
    try {
      return (await fetch(`${this.url}/readyz`, { headers: { connection: 'close' } })).ok
    } catch {
      return false
    }
  }

  /** Signs in as a person of the project, by development sign-in. */
  async signIn(email: string): Promise<TestSession> {
    const token = await readFile(join(this.dataDir, 'run', 'dev-token'), 'utf8')
    return TestSession.start(this.url, email, token.trim())
  }

  /** Connection string of the embedded Postgres, as its owner. */
  async databaseUrl(): Promise<string> {
    const ports = JSON.parse(await readFile(join(this.dataDir, 'ports.json'), 'utf8')) as {
      postgres: number
    }
    const url = await embeddedUrl(join(this.dataDir, 'postgres'), ports.postgres)
    if (url === null) throw new Error('the installation has no Postgres of its own')
    return url
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#started.stop()
    await rm(this.folder, { recursive: true, force: true })
  }
}
