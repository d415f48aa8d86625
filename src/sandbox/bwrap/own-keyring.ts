import { ownArchitecture } from '../seccomp/filter.ts'
import { numberOf } from '../seccomp/system-calls.ts'
import { findProgram } from './find-program.ts'

/**
 * Joins a new session keyring without a name, and becomes the next program, whether it succeeded or
 * not.
 */
const join = `syscall(shift, 1, 0)
exec { $ARGV[0] } @ARGV
print STDERR $! == 2 ? 'ENOENT' : $!
exit 127`.replaceAll('\n', '; ')

/**
 * The command that starts bubblewrap with a session keyring of its own (security.md 30) instead of
 * the service's, which Node itself cannot request. Without perl only the system-call filter keeps
 * commands from keyrings.
 */
export async function ownKeyring(): Promise<readonly string[]> {
  const architecture = ownArchitecture()
  const number = architecture === null ? null : numberOf('keyctl', architecture)
  const perl = await findProgram('perl')
  return number === null || perl === null ? [] : [perl.path, '-e', join, String(number)]
}
