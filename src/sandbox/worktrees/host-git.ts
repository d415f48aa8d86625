import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { fixedPath } from '../bwrap/command-environment.ts'
import { hasPipes, tooManyFiles } from '../process/has-pipes.ts'

/** How a Git process ended. */
export interface GitEnd {
  readonly code: number
  readonly stdout: Buffer
  readonly stderr: string
}

export interface GitRun {
  /** absolute: the Git folder, whose configuration is used */
  readonly gitDir: string
  readonly cwd?: string
  /** Git variables besides those below */
  readonly environment?: Readonly<Record<string, string>>
  readonly stdin?: Uint8Array | string
}

const maxOutputBytes = 64 * 1024 * 1024
const timeoutMs = 120_000

/**
 * Settings that override those of any repository: no hook, no other program than Git, no fetching,
 * no maintenance in the background.
 */
const settings = [
  'core.hooksPath=/dev/null',
  'core.fsmonitor=false',
  'core.untrackedCache=false',
  'core.commentChar=#',
  'core.bigFileThreshold=100m',
  // Each thread has the memory below.
  'pack.threads=1',
  'submodule.recurse=false',
  'commit.gpgSign=false',
  'merge.renames=true',
  'gc.auto=0',
  'maintenance.auto=false',
]

/**
 * The most memory for one object, as Git counts it: a pack of 16 KiB can describe an object of many
 * GiB. Git itself makes no such object of a file above 512 MiB, and never reads that whole.
 */
export const objectLimit = { GIT_ALLOC_LIMIT: '600m' }

/** None, whatever a repository's `protocol.ext.allow` says. */
const noProtocol = { GIT_ALLOW_PROTOCOL: '' }

/**
 * Runs Git on the host for the service itself, without the configuration of user and system, and
 * never on a Git folder that a command can write to. Rejects when Git is missing, takes too long,
 * or writes too much.
 */
export async function hostGit(words: readonly string[], run: GitRun): Promise<GitEnd> {
  return runGit([...settings.flatMap((setting) => ['-c', setting]), ...words], words, {
    ...run,
    timeoutMs,
    environment: {
      PATH: fixedPath.join(':'),
      HOME: '/nonexistent',
      LC_ALL: 'C',
      GIT_DIR: run.gitDir,
      GIT_CONFIG_NOSYSTEM: '1',
      GIT_CONFIG_GLOBAL: '/dev/null',
      GIT_ATTR_NOSYSTEM: '1',
      GIT_NO_REPLACE_OBJECTS: '1',
      GIT_NO_LAZY_FETCH: '1',
      GIT_LITERAL_PATHSPECS: '1',
      GIT_TERMINAL_PROMPT: '0',
      ...noProtocol,
      ...objectLimit,
      ...run.environment,
    },
  })
}

/** Runs Git with exactly these words and this environment. Rejects as `hostGit`. */
export async function runGit(
  argv: readonly string[],
  [word = '']: readonly string[],
  run: {
    readonly environment: Readonly<Record<string, string>>
    readonly cwd?: string
    readonly stdin?: Uint8Array | string
    readonly timeoutMs: number
    readonly signal?: AbortSignal
  },
): Promise<GitEnd> {
  const child = spawn('git', argv, {
    ...(run.cwd === undefined ? {} : { cwd: run.cwd }),
    ...(run.signal === undefined ? {} : { signal: run.signal }),
    env: { ...run.environment },
    stdio: ['pipe', 'pipe', 'pipe'],
    timeout: run.timeoutMs,
    killSignal: 'SIGKILL',
  })
  if (!hasPipes(child)) throw new Error(`git ${word} could not be started: ${tooManyFiles}`)
  child.stdin.on('error', () => undefined)
  child.stdin.end(run.stdin ?? '')
  const [stdout, stderr] = [collect(), collect()]
  let size = 0
  const withinBound = (take: (chunk: Buffer) => void) => (chunk: Buffer) => {
    size += chunk.length
    if (size > maxOutputBytes) child.kill('SIGKILL')
    else take(chunk)
  }
  child.stdout.on('data', withinBound(stdout.take))
  child.stderr.on('data', withinBound(stderr.take))
  const [code] = (await once(child, 'close')) as [number | null]
  if (size > maxOutputBytes) throw new Error(`git ${word} wrote too much`)
  if (code === null) throw new Error(`git ${word} was ended`)
  return { code, stdout: stdout.all(), stderr: stderr.all().toString('utf8').trim() }
}

/** The same for calls that must succeed: standard output without its last line end. */
export async function hostGitText(words: readonly string[], run: GitRun): Promise<string> {
  return (await hostGitBytes(words, run)).toString('utf8').replace(/\n$/, '')
}

/** The same: their standard output as bytes. */
export async function hostGitBytes(words: readonly string[], run: GitRun): Promise<Buffer> {
  const end = await hostGit(words, run)
  if (end.code !== 0) throw new GitFailed(words, end)
  return end.stdout
}

class GitFailed extends Error {
  constructor([word = '']: readonly string[], { code, stderr }: GitEnd) {
    super(`git ${word} ended with ${code}: ${stderr.slice(0, 2000)}`)
  }
}

function collect() {
  const chunks: Buffer[] = []
  return { take: (chunk: Buffer) => void chunks.push(chunk), all: () => Buffer.concat(chunks) }
}
