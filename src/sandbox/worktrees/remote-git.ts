import path from 'node:path'
import { isCommitHash } from '#domain/tools/worktree.ts'
import { runGit, type GitEnd } from './host-git.ts'
import { remoteName, remoteSettings, settingsOf } from './remote-settings.ts'
import { hostGitDirIn, type WorktreeRecord } from './worktree-record.ts'

/** What of the host's environment bears on how Git reaches a remote, and nothing else of it. */
const passed =
  /^(?:PATH|HOME|USER|LOGNAME|LANG|TMPDIR|SSH_AUTH_SOCK|SSH_AGENT_PID|SSH_ASKPASS|GIT_ASKPASS|GIT_SSH|GIT_SSH_COMMAND|GIT_SSH_VARIANT|GIT_CONFIG_GLOBAL|GIT_CONFIG_SYSTEM|GIT_SSL_\w+|SSL_CERT_\w+|XDG_\w+|DBUS_SESSION_BUS_ADDRESS|(?:https?|all|no)_proxy)$/i

/** The host's own Git environment (product.md 36), without anything else that the service knows. */
export function remoteGitEnvironment(
  environment: Readonly<Record<string, string | undefined>>,
): Readonly<Record<string, string>> {
  const named = Object.entries(environment).filter(
    (entry): entry is [string, string] => passed.test(entry[0]) && entry[1] !== undefined,
  )
  return Object.fromEntries(named)
}

/** A remote of a repository, as Git on this host reaches it. */
export interface RemoteGit {
  readonly folder: string
  readonly record: WorktreeRecord
  readonly environment: Readonly<Record<string, string>>
}

const lookTimeoutMs = 20_000
const pushTimeoutMs = 300_000

/** Above the settings of the host's user; those of the repository are not read at all. */
const settings = [
  'core.hooksPath=/dev/null',
  'core.fsmonitor=false',
  'push.gpgSign=false',
  // A remote that sends pushes elsewhere would get them where nobody was shown.
  'http.followRedirects=false',
  'push.recurseSubmodules=no',
  'gc.auto=0',
  'maintenance.auto=false',
]

async function run(
  { environment, folder, record }: RemoteGit,
  words: readonly string[],
  more: {
    readonly timeoutMs: number
    readonly signal: AbortSignal
    /** what the name of the remote leads to; everybody on the host may read the words */
    readonly settings?: Readonly<Record<string, string>>
  },
): Promise<GitEnd> {
  const { settings: remote = {}, ...limits } = more
  return runGit([...settings.flatMap((setting) => ['-c', setting]), ...words], words, {
    ...limits,
    // An address that is a path is one from the repository.
    cwd: path.dirname(record.repository.gitDir),
    environment: {
      ...environment,
      ...remote,
      LC_ALL: 'C',
      GIT_DIR: hostGitDirIn(folder),
      GIT_OBJECT_DIRECTORY: record.objectStores[0] ?? '',
      GIT_NO_REPLACE_OBJECTS: '1',
      GIT_TERMINAL_PROMPT: '0',
      // No `ext::` and no program of another name.
      GIT_ALLOW_PROTOCOL: 'file:http:https:ssh',
    },
  })
}

/** Git does not reach a remote, or this host rewrites its address; the sentence has no address. */
export class RemoteProblem extends Error {}

/**
 * The address that a push to a URL goes to by the settings of the host's user. Rejects with
 * `RemoteProblem` where Git would push elsewhere than it says.
 */
export async function addressOf(git: RemoteGit, url: string, signal: AbortSignal): Promise<string> {
  const more = { timeoutMs: lookTimeoutMs, signal }
  const get = async (of: string): Promise<string> => {
    const named = { ...more, settings: settingsOf([`remote.${remoteName}.url`, of]) }
    const { stdout } = await run(git, ['ls-remote', '--get-url', remoteName], named)
    return stdout.toString('utf8').trim()
  }
  const address = await get(url)
  const pattern = String.raw`^url\..*\.pushinsteadof$`
  const { code, stdout } = await run(git, ['config', '-z', '--get-regexp', pattern], more)
  const values = stdout
    .toString('utf8')
    .split('\0')
    .map((entry) => entry.split('\n')[1] ?? '')
  const isRewritten = code === 0 && values.some((value) => value !== '' && url.startsWith(value))
  if (address === '' || isRewritten || (await get(address)) !== address) {
    throw new RemoteProblem('the Git settings of this host send pushes to another address')
  }
  return address
}

/** The branches of a remote with their commits. Rejects with `RemoteProblem`. */
export async function branchesOf(
  git: RemoteGit,
  address: string,
  signal: AbortSignal,
): Promise<ReadonlyMap<string, string>> {
  const words = ['ls-remote', '--heads', remoteName]
  const more = { timeoutMs: lookTimeoutMs, signal, settings: remoteSettings(address) }
  const end = await run(git, words, more).catch((error: Error) => {
    throw new RemoteProblem(error.message)
  })
  if (end.code !== 0) throw new RemoteProblem(saidOf(end, address))
  const branches = new Map<string, string>()
  for (const line of end.stdout.toString('utf8').split('\n')) {
    const [hash = '', ref = ''] = line.split('\t')
    if (isCommitHash(hash) && ref.startsWith('refs/heads/')) {
      branches.set(ref.slice('refs/heads/'.length), hash)
    }
  }
  return branches
}

/** Why a push did not succeed. `isAnswer`: the remote refused it, or was not reached with it. */
export interface RefusedPush {
  readonly said: string
  readonly isAnswer: boolean
}

/**
 * Moves a branch of a remote from one commit to another, or makes it (`from: null`); never when it
 * stands elsewhere. The caller has made sure that `to` follows `from`. `null`: it did; otherwise
 * what Git said.
 */
export async function pushBranch(
  git: RemoteGit,
  address: string,
  push: { readonly branch: string; readonly from: string | null; readonly to: string },
  signal: AbortSignal,
): Promise<RefusedPush | null> {
  const ref = `refs/heads/${push.branch}`
  const words = [
    'push',
    '--porcelain',
    '--atomic',
    '--no-verify',
    '--no-follow-tags',
    `--force-with-lease=${ref}:${push.from ?? ''}`,
    remoteName,
    `${push.to}:${ref}`,
  ]
  const more = { timeoutMs: pushTimeoutMs, signal, settings: remoteSettings(address) }
  const end = await run(git, words, more)
  return end.code === 0 ? null : { said: saidOf(end, address), isAnswer: isAnswer(end) }
}

/** Git's words for a remote that was not reached with the push at all. */
const notReached =
  /Authentication failed|could not read (?:Username|Password)|Permission (?:to .* )?denied|returned error: [34]\d\d|Could not resolve host|Failed to connect|Connection refused|Could not read from remote repository|does not appear to be a git repository/i

/**
 * Whether a failed push is known to have moved nothing: the remote said so of the branch. When the
 * connection ended in the middle it may go on there behind our back.
 */
function isAnswer({ stdout, stderr }: GitEnd): boolean {
  const status = stdout
    .toString('utf8')
    .split('\n')
    .filter((line) => line.startsWith('!'))
  if (status.some((line) => line.includes('[remote failure]'))) return false
  return status.length > 0 || notReached.test(stderr)
}

/** An address may hold a password: what Git says is passed on without it. */
function saidOf({ stderr }: GitEnd, address: string): string {
  const output = stderr.replaceAll(address, shownAddress(address))
  return output.replaceAll(/:\/\/[^\s/@]+@/g, '://').slice(0, 500)
}

/** An address as people and models see it: without a name and a password. */
export function shownAddress(address: string): string {
  return address.replace(/^([a-z][a-z0-9+.-]*:\/\/)[^/]*@/i, '$1')
}
