import { release } from 'node:os'
import type { CommandLimits } from '../process/command-limits.ts'
import type { MountedCopy, MountedZone } from './sandbox-plan.ts'

/**
 * The descriptor on which the sandbox reports that it is ready, right before the command begins.
 */
export const readyDescriptor = 6

/**
 * Runs inside, before the command: checks that every zone and every copy is the one that was
 * examined (a link that was swapped in would have been mounted instead), then sets the limits of
 * each process. What it writes to the descriptor distinguishes a command's exit code from one of
 * its own. At the end it closes every descriptor of the service.
 */
const begin = `while [ "$1" != -- ]; do
  [ "$(stat -c %d:%i -- "$2")" = "$1" ] || exit 125
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
