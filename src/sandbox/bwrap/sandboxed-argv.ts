import { release } from 'node:os'
import type { CommandLimits } from '../process/command-limits.ts'
import type { MountedCopy, MountedZone } from './sandbox-plan.ts'

/**
 * The descriptor on which the sandbox reports that it is ready, right before the command begins.
 */
export const readyDescriptor = 6

/**
 * Runs inside, before the command: every zone must be the folder, and every copy the file, that was
 * looked at (a link swapped in between would have been mounted instead), then the limits of each
 * process are set. What it says on the descriptor tells a command's exit code from one of ours.
 * Last, every descriptor is closed that the service itself was started with.
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
 * The vector that runs a command within its limits, for the inside of the sandbox. Pure but for the
 * host's kernel.
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
    // What a shell adds to the environment by itself.
    'env',
    ...['PWD', 'OLDPWD', 'SHLVL', '_'].flatMap((name) => ['-u', name]),
    'prlimit',
    '--core=0',
    `--data=${limits.memoryBytes}`,
    `--fsize=${limits.writtenBytes}`,
    // The kernel counts root's processes against nothing, and before 5.14 a person's of the whole
    // host.
    ...(host.isRoot || !countsBySandbox() ? [] : [`--nproc=${limits.processes}`]),
    '--',
    ...argv,
  ]
}

function countsBySandbox(): boolean {
  const [major = 0, minor = 0] = release().split('.').map(Number)
  return major > 5 || (major === 5 && minor >= 14)
}
