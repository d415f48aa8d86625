import { hashJson } from '#domain/json/digest.ts'
import type { Policy } from '#policy/policy.ts'
import { secretVariables } from '#policy/secret-variables.ts'
import { describeTools } from '#tools/custom/load-tool-descriptions.ts'
import { openToolProcess } from '#tools/custom/tool-process.ts'
import type { ToolProcess } from '#tools/custom/tool-process.ts'
import type { ToolFileProblem } from '#tools/custom/tool-protocol.ts'
import { valueWithin } from '#tools/custom/value-within.ts'
import type { Environment } from '../environment.ts'

/** Longer than any tool may run: tools that were unused for this time are not in use. */
const maxIdleMs = 2 * 3_600_000

/** Who asks what does not load waits 10 s for the answer of this host (`askHost`). */
const maxLoadMs = 8_000

interface OpenProcess {
  readonly process: Promise<ToolProcess>
  usedAt: number
}

/**
 * The custom tools of the policy versions in use on this host. Versions with the same tool files
 * share their processes: one for each saved version would fill the memory.
 */
export class ToolProcesses implements AsyncDisposable {
  readonly #projectDir: string
  readonly #environment: Environment
  readonly #processes = new Map<string, OpenProcess>()

  constructor(options: { projectDir: string; environment: Environment }) {
    this.#projectDir = options.projectDir
    this.#environment = options.environment
  }

  /** The tool process of that version; `null` when it has no tool files. */
  async of(policy: Policy): Promise<ToolProcess | null> {
    if (policy.toolFiles.length === 0) return null
    this.#closeIdle()
    const key = keyOf(policy)
    const entry = this.#processes.get(key) ?? { process: this.#open(policy, key), usedAt: 0 }
    entry.usedAt = performance.now()
    this.#processes.set(key, entry)
    return entry.process
  }

  /**
   * What does not load of that version within 8 s. Leaves no process, so that each version can be
   * asked.
   */
  async problemsOf(policy: Policy): Promise<readonly ToolFileProblem[]> {
    await using toolProcess = await openToolProcess(this.#setupOf(policy))
    const loaded = await valueWithin(maxLoadMs, describeTools(toolProcess))
    const problem = `They have not loaded after ${maxLoadMs / 1000} s: one of them may hang.`
    return loaded?.problems ?? [{ file: 'tools/', line: null, problem, changed: false }]
  }

  #setupOf(policy: Policy) {
    return {
      projectDir: this.#projectDir,
      toolFiles: policy.toolFiles,
      environment: withoutSecrets(this.#environment, policy),
    }
  }

  #open(policy: Policy, key: string): Promise<ToolProcess> {
    const processes = openToolProcess(this.#setupOf(policy))
    // One that could not be opened is tried again at the next call.
    processes.catch(() => this.#processes.delete(key))
    return processes
  }

  #closeIdle(): void {
    for (const [key, entry] of this.#processes) {
      if (performance.now() - entry.usedAt < maxIdleMs) continue
      this.#processes.delete(key)
      void entry.process.then((process) => process[Symbol.asyncDispose]()).catch(() => undefined)
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    const processes = [...this.#processes.values()]
    this.#processes.clear()
    await Promise.allSettled(
      processes.map(async (entry) => (await entry.process)[Symbol.asyncDispose]()),
    )
  }
}

const keys = new WeakMap<Policy, string>()

/**
 * What distinguishes the tool processes of versions: their files, and what they must not see.
 * Kept for each Policy object, because every judged call asks. A narrowed copy has its own.
 */
function keyOf(policy: Policy): string {
  const earlier = keys.get(policy)
  if (earlier !== undefined) return earlier
  const { toolFiles, config } = policy
  const key = hashJson([toolFiles, [...secretVariables(config)].toSorted()])
  keys.set(policy, key)
  return key
}

/** Tools must not get the service's secrets that countersign.yaml names. */
export function withoutSecrets(environment: Environment, { config }: Policy): Environment {
  const secrets = secretVariables(config)
  return Object.fromEntries(Object.entries(environment).filter(([name]) => !secrets.has(name)))
}
