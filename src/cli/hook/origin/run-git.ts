import { spawn } from 'node:child_process'

/**
 * Settings that override those of every repository, so that none of these programs is started
 * (security.md 6).
 */
const quiet = [
  '-c',
  'core.fsmonitor=false',
  '-c',
  'core.hooksPath=/dev/null',
  '-c',
  'safe.directory=*',
]

const environment = {
  PATH: '/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin:/opt/homebrew/bin',
  GIT_CONFIG_NOSYSTEM: '1',
  GIT_CONFIG_GLOBAL: '/dev/null',
  GIT_NO_LAZY_FETCH: '1',
  // An older Git does not know this variable, and a repository can allow programs as protocols.
  GIT_ALLOW_PROTOCOL: '',
  GIT_NO_REPLACE_OBJECTS: '1',
  GIT_TERMINAL_PROMPT: '0',
}

const maxBytes = 1024 * 1024

/**
 * The output of Git; `null` if it fails, prints too much, or takes too long, whatever it has
 * started meanwhile.
 */
export async function runGit(
  args: readonly string[],
  options: {
    readonly withinMs: number
    readonly environment?: Readonly<Record<string, string>>
  },
): Promise<string | null> {
  const child = spawn('git', ['--no-optional-locks', ...quiet, ...args], {
    stdio: ['ignore', 'pipe', 'ignore'],
    env: { ...environment, ...options.environment },
  })
  const { promise, resolve } = Promise.withResolvers<string | null>()
  const chunks: Buffer[] = []
  let bytes = 0
  child.stdout.on('data', (chunk: Buffer) => {
    chunks.push(chunk)
    bytes += chunk.length
    if (bytes > maxBytes) resolve(null)
  })
  child.on('error', () => resolve(null))
  child.on('close', (code) => resolve(code === 0 ? Buffer.concat(chunks).toString('utf8') : null))
  const timer = setTimeout(() => resolve(null), options.withinMs)
  try {
    return await promise
  } finally {
    clearTimeout(timer)
    // A process that it started may hold its output open: nothing waits for that.
    child.kill('SIGKILL')
    child.stdout.destroy()
    child.unref()
  }
}
