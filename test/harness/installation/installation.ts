import { chmod, mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { embeddedUrl } from '#runtime/embedded/postgres-address.ts'
import {
  type StartedInstallation,
  startInstallationIn,
} from '../../runtime/started-installation.ts'
import { waitUntil } from '../wait-until.ts'
import { TestSession } from './test-session.ts'
import { putFiles } from '../put-file.ts'

export const processNames = ['postgres', 'temporal', 'api', 'temporal-worker'] as const
export type ProcessName = (typeof processNames)[number]

/** Long enough for a busy machine that is three times slower. */
const restartWithinMs = 180_000
/** A process that was stopped answers a connection that the kernel took only when it continues. */
const answerWithinMs = 30_000

/** False when there is no such process. */
function kill(pid: number): boolean {
  try {
    return process.kill(pid, 'SIGKILL')
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ESRCH') return false
    throw error
  }
}

/**
 * The environment of an installation: variables of its processes, and the preparation of its folder
 * before the start.
 */
export interface Surroundings {
  readonly env: Readonly<Record<string, string>>
  /** a returned disposable is disposed of once everything has stopped */
  prepare?(folder: string): Promise<AsyncDisposable | void>
}

/** A whole installation as `npm start` runs it: real processes, durable, in a folder of its own. */
export class Installation implements AsyncDisposable {
  readonly folder: string
  readonly #prepared: AsyncDisposableStack
  readonly #env: Record<string, string>
  readonly #sessions = new Map<string, TestSession>()
  #started: StartedInstallation

  private constructor(
    folder: string,
    started: StartedInstallation,
    around: { readonly prepared: AsyncDisposableStack; readonly env: Record<string, string> },
  ) {
    this.folder = folder
    this.#started = started
    this.#prepared = around.prepared
    this.#env = around.env
  }

  /** Writes the project's files and starts everything; resolves when the service is ready. */
  static async start(
    files: Readonly<Record<string, string>>,
    surroundings?: Surroundings,
  ): Promise<Installation> {
    const folder = await mkdtemp(join(tmpdir(), 'countersign installation '))
    // Open to the unprivileged user that Postgres runs as when we are root.
    await chmod(folder, 0o755)
    putFiles(folder, files)
    const prepared = new AsyncDisposableStack()
    prepared.defer(() => rm(folder, { recursive: true, force: true }))
    try {
      const env = { ...surroundings?.env }
      prepared.use((await surroundings?.prepare?.(folder)) ?? null)
      return new Installation(folder, await startInstallationIn(folder, { env }), { prepared, env })
    } catch (error) {
      await prepared.disposeAsync()
      throw error
    }
  }

  /** Stops everything in order, calls `meanwhile` and starts it again. People sign in anew. */
  async restart(meanwhile?: () => Promise<void>): Promise<void> {
    this.#sessions.clear()
    await this.#started.stop()
    await meanwhile?.()
    this.#started = await startInstallationIn(this.folder, { env: this.#env })
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
   * Sends `kill -9`, like a power cut for one process. Returns the id of the killed process. A
   * process that is restarting is killed as soon as it serves.
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

  /**
   * Waits until the supervisor has restarted the process and the service is ready. Rejects with the
   * last answer, and the last lines of the supervisor and the process.
   */
  async untilBack(name: ProcessName, earlierPid: number): Promise<void> {
    let missing = ''
    const isBack = async (): Promise<boolean> => {
      const pid = await this.#started.pidOf(name).catch(() => earlierPid)
      missing = pid === earlierPid ? 'it has no new process' : await this.#unreadiness()
      return missing === ''
    }
    try {
      await waitUntil(isBack, { withinMs: restartWithinMs, everyMs: 50 })
    } catch (error) {
      const log = await readFile(join(this.dataDir, 'logs', `${name}.log`), 'utf8').catch(() => '')
      const logs = [this.lines.slice(-20).join('\n'), log.slice(-4000)]
      throw new Error(`${name} is not back: ${missing}\n${logs.join('\n')}`, { cause: error })
    }
  }

  /** What `/readyz` says when it does not say that the service is ready; else nothing. */
  async #unreadiness(): Promise<string> {
    try {
      const answer = await fetch(`${this.url}/readyz`, {
        headers: { connection: 'close' },
        signal: AbortSignal.timeout(answerWithinMs),
      })
      return answer.ok ? '' : `${answer.status} ${await answer.text()}`
    } catch (error) {
      return String(error)
    }
  }

  /** Signs in as a person of the project, by development sign-in. */
  async signIn(email: string): Promise<TestSession> {
    const token = await readFile(join(this.dataDir, 'run', 'dev-token'), 'utf8')
    return TestSession.start(this.url, email, token.trim())
  }

  /** The session of a person by their first name, signed in once. */
  async as(name: string): Promise<TestSession> {
    const session = this.#sessions.get(name) ?? (await this.signIn(`${name}@example.com`))
    this.#sessions.set(name, session)
    return session
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
    await this.#prepared.disposeAsync()
  }
}
