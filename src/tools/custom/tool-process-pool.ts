import type { LoadedTools, ToolProcessSetup, ToolAnswers, ToolQuery } from './tool-protocol.ts'
import { startChild, type QueryChild } from './query-child.ts'

const loadTimeoutMs = 20_000
const maxProcesses = 16
const maxIdle = 4
/** A start takes longer than most queries: a query waits so long for a busy process. */
const busyWaitMs = 100
/** A process takes 40 MiB: one waits for the next query, and others end after this time. */
const spareMs = 60_000

/** A process that has loaded the tools and carries out no query. */
export interface ReadyProcess {
  readonly child: ToolChild
  readonly loaded: LoadedTools
}

interface IdleProcess extends ReadyProcess {
  readonly sinceMs: number
}

/**
 * The tool processes of one policy version: each query takes one for itself and returns it. A
 * process that has ended, holds too much, or loaded files of another version is not used again. Of
 * those that no query needed for a minute, one is kept.
 */
export class ToolProcessPool implements AsyncDisposable {
  readonly #setup: ToolProcessSetup
  readonly #environment: Readonly<Record<string, string>>
  readonly #spareMs: number
  /** the one that was used last comes last, and is taken first */
  readonly #idle: IdleProcess[] = []
  readonly #children = new Set<ToolChild>()
  /** called in turn with a ready process, or with `null` when another may start */
  readonly #takers: ((ready: ReadyProcess | null) => void)[] = []
  #tools: LoadedTools | null = null
  #isStarting = false
  #isClosed = false
  #spareTimer: NodeJS.Timeout | null = null

  constructor(
    setup: ToolProcessSetup,
    environment: Readonly<Record<string, string>>,
    limits: { readonly spareMs: number } = { spareMs },
  ) {
    this.#setup = setup
    this.#environment = environment
    this.#spareMs = limits.spareMs
  }

  /** The tools as a process loaded them from the version's files; `null`: none has yet. */
  get tools(): LoadedTools | null {
    return this.#tools
  }

  /** An idle process, a busy one that is given back soon, or a new one. */
  async take(): Promise<ReadyProcess> {
    for (;;) {
      if (this.#isClosed) throw new Error('The tool processes are closed')
      for (let spare = this.#idle.pop(); spare !== undefined; spare = this.#idle.pop()) {
        if (spare.child.isAlive) return spare
        this.#children.delete(spare.child)
      }
      if (this.#children.size === 0) return this.#start()
      const ready = await this.#nextReady()
      if (ready?.child.isAlive === true) return ready
      if (ready !== null) await this.#drop(ready.child)
      const { length } = this.#idle
      const isRoom = length === 0 && this.#children.size < maxProcesses && !this.#isStarting
      if (isRoom && !this.#isClosed) return this.#start()
    }
  }

  async giveBack({ child, loaded }: ReadyProcess): Promise<void> {
    const next = this.#takers.shift()
    const isGood = child.isAlive && !child.isExhausted && !this.#isClosed && isOfVersion(loaded)
    if (isGood && next !== undefined) return next({ child, loaded })
    next?.(null)
    if (!isGood || this.#idle.length >= maxIdle) return this.#drop(child)
    this.#idle.push({ child, loaded, sinceMs: performance.now() })
    if (this.#idle.length > 1) this.#endSparesLater()
  }

  #endSparesLater(inMs = this.#spareMs): void {
    this.#spareTimer ??= setTimeout(() => {
      this.#spareTimer = null
      this.#endSpares()
    }, inMs).unref()
  }

  #endSpares(): void {
    const [longest] = this.#idle
    if (this.#isClosed || longest === undefined || this.#idle.length === 1) return
    const leftMs = this.#spareMs - (performance.now() - longest.sinceMs)
    if (leftMs > 0) return this.#endSparesLater(Math.ceil(leftMs))
    this.#idle.shift()
    this.#drop(longest.child).catch(() => undefined)
    this.#endSpares()
  }

  /** A process that another query gives back; `null` when it is time to check for room again. */
  async #nextReady(): Promise<ReadyProcess | null> {
    const { promise, resolve } = Promise.withResolvers<ReadyProcess | null>()
    this.#takers.push(resolve)
    const timer = setTimeout(resolve, busyWaitMs, null)
    try {
      return await promise
    } finally {
      clearTimeout(timer)
      const index = this.#takers.indexOf(resolve)
      if (index !== -1) this.#takers.splice(index, 1)
    }
  }

  async #start(): Promise<ReadyProcess> {
    const { projectDir, maxResultBytes } = this.#setup
    const child = startToolChild(projectDir, this.#environment, 2 * maxResultBytes)
    this.#isStarting = true
    this.#children.add(child)
    try {
      const loaded = await child.request(
        { do: 'load', setup: this.#setup },
        { timeoutMs: loadTimeoutMs, signal: null },
      )
      if (isOfVersion(loaded)) this.#tools = loaded
      return { child, loaded }
    } catch (error) {
      await this.#drop(child)
      throw error
    } finally {
      this.#isStarting = false
    }
  }

  async #drop(child: ToolChild): Promise<void> {
    await child[Symbol.asyncDispose]()
    this.#children.delete(child)
    this.#takers.shift()?.(null)
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#isClosed = true
    if (this.#spareTimer !== null) clearTimeout(this.#spareTimer)
    await Promise.all([...this.#children].map((child) => this.#drop(child)))
  }
}

/** Whether every file was the version's. A file that merely fails to load will fail again. */
function isOfVersion(loaded: LoadedTools): boolean {
  return !loaded.problems.some((problem) => problem.changed)
}

/** One tool process. */
type ToolChild = QueryChild<ToolQuery, ToolAnswers>

/** Starts a tool process of a project. */
function startToolChild(
  projectDir: string,
  environment: Readonly<Record<string, string>>,
  maxAnswerBytes: number,
): ToolChild {
  return startChild<ToolQuery, ToolAnswers>({
    main: new URL('process/main.ts', import.meta.url),
    preload: new URL('process/module-hooks.ts', import.meta.url),
    cwd: projectDir,
    environment,
    maxAnswerBytes,
  })
}
