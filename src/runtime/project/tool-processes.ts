import type { Policy } from '../../policy/policy.ts'
import { openToolProcess } from '../../tools/custom/tool-process.ts'
import type { ToolProcess } from '../../tools/custom/tool-process.ts'
import type { Environment } from '../environment.ts'

/** Longer than any tool may run: a version that nobody has asked for so long is in nobody's hands. */
const UNUSED_MS = 2 * 3_600_000

type Held = { process: Promise<ToolProcess>; usedAt: number }

/** The custom tools of the policy versions that this host is asked about, each version's opened once. */
export class ToolProcesses implements AsyncDisposable {
  readonly #projectDir: string
  readonly #environment: Environment
  readonly #held = new Map<string, Held>()

  constructor(options: { projectDir: string; environment: Environment }) {
    this.#projectDir = options.projectDir
    this.#environment = options.environment
  }

  /** Those of that version; `null` when it has no tool files. */
  async of(policy: Policy): Promise<ToolProcess | null> {
    if (policy.toolFiles.length === 0) return null
    this.#letGo()
    const held = this.#held.get(policy.digest) ?? { process: this.#open(policy), usedAt: 0 }
    held.usedAt = Date.now()
    this.#held.set(policy.digest, held)
    return held.process
  }

  #open(policy: Policy): Promise<ToolProcess> {
    const opened = openToolProcess({
      projectDir: this.#projectDir,
      toolFiles: policy.toolFiles,
      environment: this.#environment,
    })
    // One that could not be opened is tried again at the next call.
    opened.catch(() => this.#held.delete(policy.digest))
    return opened
  }

  #letGo(): void {
    for (const [digest, held] of this.#held) {
      if (Date.now() - held.usedAt < UNUSED_MS) continue
      this.#held.delete(digest)
      void held.process.then((process) => process[Symbol.asyncDispose]()).catch(() => undefined)
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    const all = [...this.#held.values()]
    this.#held.clear()
    await Promise.allSettled(all.map(async (held) => (await held.process)[Symbol.asyncDispose]()))
  }
}
