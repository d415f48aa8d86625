import { release } from 'node:os'
import path from 'node:path'
import type { CommandLimits } from '../process/command-limits.ts'
import { bytesOfName } from '../names/raw-names.ts'
import type { MountedCopy, MountedZone, SandboxPlan } from './sandbox-plan.ts'

/** The descriptor on which the sandbox reports, right before the command, that it is ready. */
export const readyDescriptor = 6

/** In place of an identity: a device covers a file, and a mount covers a folder. */
const deviceMark = 'device'
const mountMark = 'mount'

/**
 * The folders in which covered names were found, and the covers. A folder that another command
 * moves while the sandbox is made leaves its keys uncovered at another place: then the cover is in
 * a folder that bubblewrap made, or gone.
 */
export function coversToCheck({ copies, covered, emptied, parents }: SandboxPlan) {
  const identities = new Map<string, string>()
  for (const [at, identity] of parents ?? []) {
    const isPlain = bytesOfName(at).toString('utf8') === at
    const isMade = covered.includes(at) || emptied.includes(at)
    if (isPlain && (isMade || copies.some(({ path: copy }) => copy === at))) {
      identities.set(path.dirname(at), identity)
      if (isMade) identities.set(at, covered.includes(at) ? deviceMark : mountMark)
    }
  }
  return [...identities].map(([at, identity]) => ({ path: at, identity }))
}

/**
 * Runs inside, before the command: checks that every zone and every copy is the one that was
 * examined (a link that was swapped in would have been mounted instead), then sets the limits of
 * each process. Its output to the descriptor distinguishes the command's exit code from one of its
 * own. At the end it closes every descriptor of the service.
 */
const begin = `while [ "$1" != -- ]; do
  case $1 in
    ${deviceMark}) [ -c "$2" ] ;;
    ${mountMark}) [ "$(stat -c %d -- "$2")" != "$(stat -c %d -- "$2/..")" ] ;;
    *) [ "$(stat -c %d:%i -- "$2")" = "$1" ] ;;
  esac || exit 125
  shift 2
done
shift
echo ready >&${readyDescriptor} || exit 125
for at in /proc/self/fd/*; do
  [ "\${at##*/}" -le 2 ] || eval "exec \${at##*/}>&-"
done
exec "$@"`

/**
 * The vector that runs a command within its limits, for the inside of the sandbox. Pure except for
 * the host's kernel.
 */
export function sandboxedArgv(
  argv: readonly string[],
  mounts: readonly Pick<MountedZone | MountedCopy, 'identity' | 'path'>[],
  limits: CommandLimits,
  host: { readonly isRoot: boolean },
): string[] {
  return [
    '/bin/bash',
    '--norc',
    '--noprofile',
    '-p',
    '-c',
    begin,
    'bash',
    ...mounts.flatMap(({ identity, path }) => [identity, path]),
    '--',
    // Variables that a shell adds by itself.
    'env',
    ...['PWD', 'OLDPWD', 'SHLVL', '_'].flatMap((name) => ['-u', name]),
    'prlimit',
    '--core=0',
    `--data=${limits.memoryBytes}`,
    `--fsize=${limits.writtenBytes}`,
    // The kernel counts root's processes nowhere, and before 5.14 a user's on the whole host.
    ...(host.isRoot || !countsBySandbox() ? [] : [`--nproc=${limits.processes}`]),
    '--',
    ...argv,
  ]
}

function countsBySandbox(): boolean {
  const [major = 0, minor = 0] = release().split('.').map(Number)
  return major > 5 || (major === 5 && minor >= 14)
}
