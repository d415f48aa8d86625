import { realpath } from 'node:fs/promises'
import path from 'node:path'
import { hashJson } from '#domain/json/digest.ts'
import { limits } from '#domain/limits.ts'
import { hashNow, hashOnChange } from './hash-on-change.ts'
import { QueryNotAccepted, ToolProcessEnded, type RequestOptions } from './query-child.ts'
import { ToolProcessPool } from './tool-process-pool.ts'
import type { LoadedTools, ToolAnswers, ToolProcessSetup, ToolQuery } from './tool-protocol.ts'

/** The custom tools of one policy version, on this host. */
export interface ToolProcess extends AsyncDisposable {
  /** The tools, and why others could not be loaded. Starts a process when none is idle. */
  describe(): Promise<LoadedTools>
  /**
   * Sends a query to a process of this version. Rejects with `ToolFailed` (the tool's own error),
   * `ToolProcessEnded` (it died, or was ended because of time or `signal`; `QueryNotAccepted`: the
   * query did not begin), and `ToolFilesChanged`.
   */
  request<Q extends Exclude<ToolQuery, { do: 'load' }>>(
    query: Q,
    options: RequestOptions,
  ): Promise<ToolAnswers[Q['do']]>
  /** hash of the files that tools import, which all tools of the version share */
  readonly sharedHash: string
  /** hash of one entry file */
  fileHash(file: string): string
}

/** A tool file differs from the version's; the message is the sentence that refuses a call. */
export class ToolFilesChanged extends Error {
  override readonly name = 'ToolFilesChanged'
}

/** A process that dies of the previous query accepts no other: this many processes are tried. */
const maxTries = 3

const entry = /^tools\/[^/]+\.m?[jt]s$/
const noEntry = /\.(d|test|spec)\.m?[jt]s$/

/**
 * Opens the custom tools of a version. Each query has a process to itself: a query that blocks,
 * never returns or dies does not affect others. A process is reused for the next query. Disposing
 * ends all of them. `environment` is what the tools may see: the owner's, without the service's own
 * secrets.
 */
export async function openToolProcess(options: {
  readonly projectDir: string
  readonly toolFiles: readonly { readonly path: string; readonly hash: string }[]
  readonly environment: Readonly<Record<string, string | undefined>>
}): Promise<ToolProcess> {
  const projectDir = await realpath(options.projectDir)
  const hashes = Object.fromEntries(options.toolFiles.map((file) => [file.path, file.hash]))
  const entries = Object.keys(hashes)
    .filter((file) => entry.test(file) && !noEntry.test(file))
    .toSorted()
  const setup: ToolProcessSetup = {
    projectDir,
    entries,
    hashes,
    maxResultBytes: limits.storedOutputBytes,
  }
  const pool = new ToolProcessPool(setup, toolEnvironment(options.environment))

  const ownFiles = Object.entries(hashes)
    .filter(([file]) => isToolFile(file))
    .map(([file, hash]) => {
      const at = path.join(projectDir, file)
      return { file, hash, hashNow: () => hashNow(at), hashLately: hashOnChange(at) }
    })

  /** Throws `ToolFilesChanged` when a tool file on this host is not the one of the version. */
  async function checkFiles(hashOf: 'hashNow' | 'hashLately'): Promise<void> {
    const checked = ownFiles.map(async (own) => {
      if ((await own[hashOf]()) === own.hash) return
      throw new ToolFilesChanged(
        `${own.file} on this host is not the one of the policy version in force; the call is refused.`,
      )
    })
    await Promise.all(checked)
  }

  async function askReady<Q extends Exclude<ToolQuery, { do: 'load' }>>(
    query: Q,
    requestOptions: RequestOptions,
  ): Promise<ToolAnswers[Q['do']]> {
    for (let tries = 1; ; tries += 1) {
      const ready = await pool.take().catch(throwNotBegun)
      try {
        requireVersion(ready.loaded, query.tool)
        return await ready.child.request(query, requestOptions)
      } catch (error) {
        if (!(error instanceof QueryNotAccepted) || tries === maxTries) throw error
      } finally {
        await pool.giveBack(ready)
      }
    }
  }

  return {
    async describe() {
      if (pool.tools !== null) return pool.tools
      if (entries.length === 0) return { tools: [], problems: [] }
      const ready = await pool.take()
      await pool.giveBack(ready)
      return ready.loaded
    },

    async request(query, requestOptions) {
      // Only an execution has an effect. Any other answer counts if the files are the version's.
      if (query.do === 'execute') {
        await checkFiles('hashNow')
        return askReady(query, requestOptions)
      }
      const answer = askReady(query, requestOptions)
      answer.catch(() => undefined)
      await checkFiles('hashLately')
      return answer
    },

    sharedHash: hashJson(
      Object.fromEntries(Object.entries(hashes).filter(([file]) => !entries.includes(file))),
    ),
    fileHash: (file) => hashes[file] ?? '',

    [Symbol.asyncDispose]: () => pool[Symbol.asyncDispose](),
  }
}

/** A process that ended while it loaded the tools has accepted no query. */
function throwNotBegun(error: unknown): never {
  throw error instanceof ToolProcessEnded ? new QueryNotAccepted(error.message) : error
}

/** Below tools/, and no package in there. */
function isToolFile(file: string): boolean {
  return file.startsWith('tools/') && !file.endsWith('/')
}

/** A tool whose modules changed since its first load is missing, with a sentence why. */
function requireVersion({ tools, problems }: LoadedTools, name: string): void {
  if (tools.some((tool) => tool.name === name)) return
  const changed = problems.find((problem) => problem.changed)
  if (changed !== undefined) throw new ToolFilesChanged(changed.problem)
}

/** Tools must not get the service's own settings, secrets and model keys. */
function toolEnvironment(
  environment: Readonly<Record<string, string | undefined>>,
): Record<string, string> {
  const service = /^(COUNTERSIGN_|TEMPORAL_|PG|DATABASE_URL$|NODE_OPTIONS$|NODE_CHANNEL|VITEST)/
  const models =
    /^(?:(?:ANTHROPIC|OPENAI|OPENAI_COMPATIBLE|GOOGLE_GENERATIVE_AI|AZURE|GOOGLE_VERTEX)_(?:API_KEY|BASE_URL)|AWS_BEARER_TOKEN_BEDROCK)$/
  const allowed = Object.entries(environment).filter(
    ([name]) => !service.test(name) && !models.test(name),
  )
  return Object.fromEntries(
    allowed.filter((pair): pair is [string, string] => pair[1] !== undefined),
  )
}
