import path from 'node:path'
import { isCommitHash } from '#domain/tools/worktree.ts'
import { objectLimit, runGit, type GitEnd } from './host-git.ts'
import { remoteName, remoteSettings, settingVariables } from './remote-settings.ts'
import { hostGitDirIn, type WorktreeRecord } from './worktree-record.ts'

/** The variables of the host's environment that affect how Git reaches a remote. */
const passed =
  /^(?:PATH|HOME|USER|LOGNAME|LANG|TMPDIR|SSH_AUTH_SOCK|SSH_AGENT_PID|SSH_ASKPASS|GIT_ASKPASS|GIT_SSH|GIT_SSH_COMMAND|GIT_SSH_VARIANT|GIT_CONFIG_GLOBAL|GIT_CONFIG_SYSTEM|GIT_SSL_\w+|SSL_CERT_\w+|XDG_\w+|DBUS_SESSION_BUS_ADDRESS|(?:https?|all|no)_proxy)$/i

/** The host's own Git environment (product.md 36), without other variables of the service. */
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

/** They override the settings of the host's user; those of the repository are not read. */
const settings = [
  'core.hooksPath=/dev/null',
  'core.fsmonitor=false',
  'push.gpgSign=false',
  // A remote that redirects would send pushes to an address that nobody was shown.
  'http.followRedirects=false',
  'push.recurseSubmodules=no',
  'gc.auto=0',
  'maintenance.auto=false',
  // Ten objects of each thread would be in memory at once, however large.
  'pack.threads=1',
  'pack.windowMemory=256m',
]

async function run(
  { environment, folder, record }: RemoteGit,
  words: readonly string[],
  more: {
    readonly timeoutMs: number
    readonly signal: AbortSignal
    /** the address of the remote's name; everybody on the host may read the words */
    readonly settings?: Readonly<Record<string, string>>
  },
): Promise<GitEnd> {
  const { settings: remote = {}, ...limits } = more
  return runGit([...settings.flatMap((setting) => ['-c', setting]), ...words], words, {
    ...limits,
    // An address that is a path is relative to the repository.
    cwd: path.dirname(record.repository.gitDir),
    environment: {
      ...environment,
      ...remote,
      LC_ALL: 'C',
      GIT_DIR: hostGitDirIn(folder),
      GIT_OBJECT_DIRECTORY: record.objectStores[0] ?? '',
      GIT_NO_REPLACE_OBJECTS: '1',
      GIT_TERMINAL_PROMPT: '0',
      ...objectLimit,
      // No `ext::` and no program of another name.
      GIT_ALLOW_PROTOCOL: 'file:http:https:ssh',
    },
  })
}

/** Git cannot reach a remote, or this host rewrites its address; the sentence has no address. */
export class RemoteProblem extends Error {}

/**
 * The address of a push to a URL, with the settings of the host's user. Rejects with
 * `RemoteProblem` where Git would push to another one than it reports.
 */
export async function pushAddress(
  git: RemoteGit,
  url: string,
  signal: AbortSignal,
): Promise<string> {
  const more = { timeoutMs: lookTimeoutMs, signal }
  const get = async (of: string): Promise<string> => {
    const named = { ...more, settings: settingVariables([`remote.${remoteName}.url`, of]) }
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
  if (end.code !== 0) throw new RemoteProblem(messageOfGit(end, address))
  const branches = new Map<string, string>()
  for (const line of end.stdout.toString('utf8').split('\n')) {
    const [hash = '', ref = ''] = line.split('\t')
    if (isCommitHash(hash) && ref.startsWith('refs/heads/')) {
      branches.set(ref.slice('refs/heads/'.length), hash)
    }
  }
  return branches
}

/** Why a push failed. `isAnswer`: the remote refused it, or was never reached. */
export interface RefusedPush {
  readonly message: string
  readonly isAnswer: boolean
}

/**
 * Moves a branch of a remote from one commit to another, or creates it (`from: null`); never when
 * it is at another commit. The caller has checked that `to` follows `from`. `null`: it succeeded;
 * otherwise Git's message.
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
  return end.code === 0 ? null : { message: messageOfGit(end, address), isAnswer: isAnswer(end) }
}

/** Git's messages when a remote was never reached by the push. */
const notReached =
  /Authentication failed|could not read (?:Username|Password)|Permission (?:to .* )?denied|returned error: [34]\d\d|Could not resolve host|Failed to connect|Connection refused|Could not read from remote repository|does not appear to be a git repository/i

/**
 * Whether a failed push has certainly moved nothing: the remote said so about the branch. After a
 * broken connection it may continue unnoticed.
 */
function isAnswer({ stdout, stderr }: GitEnd): boolean {
  const status = stdout
    .toString('utf8')
    .split('\n')
    .filter((line) => line.startsWith('!'))
  if (status.some((line) => line.includes('[remote failure]'))) return false
  return status.length > 0 || notReached.test(stderr)
}

/** An address may have a password, which is removed from Git's message. */
function messageOfGit({ stderr }: GitEnd, address: string): string {
  const output = stderr.replaceAll(address, shownAddress(address))
  return output.replaceAll(/:\/\/[^\s/@]+@/g, '://').slice(0, 500)
}

/** An address for people and models, without a name and a password. */
export function shownAddress(address: string): string {
  return address.replace(/^([a-z][a-z0-9+.-]*:\/\/)[^/]*@/i, '$1')
}
