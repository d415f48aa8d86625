import { spawnSync } from 'node:child_process'
import { expect, test } from 'vitest'
import { numberOf } from '../seccomp/system-calls.ts'
import { ownArchitecture } from '../seccomp/filter.ts'
import { ownKeyring } from './find-sandbox.ts'

// Rules: security.md 30
test('a sandbox starts with a session keyring of its own: a key of the service cannot be read', async (context) => {
  const launch = await ownKeyring()
  const architecture = ownArchitecture()
  if (architecture === null || launch[0] === undefined) return context.skip('perl is not installed')
  const [keyctl, addKey] = [numberOf('keyctl', architecture), numberOf('add_key', architecture)]
  // Joins a new keyring itself first, so that nothing is left in that of whoever runs the tests.
  const script = `syscall(${keyctl}, 1, 0) >= 0 or exit 3;
    my ($type, $name, $value) = ('user', 'countersign', 'secret');
    my $key = syscall(${addKey}, $type, $name, $value, 6, -3); $key > 0 or exit 3;
    my $read = 'my $bytes = " " x 6; print syscall(${keyctl}, 11, 0 + shift, $bytes, 6) == 6 ? $bytes : "refused"';
    exec @ARGV, '/usr/bin/env', 'perl', '-e', $read, $key;`
  const read = (prefix: readonly string[]): string => {
    const { status, stdout } = spawnSync('perl', ['-e', script, ...prefix], { encoding: 'utf8' })
    return status === 3 ? 'no keyrings' : stdout
  }
  const own = read([])
  if (own === 'no keyrings') return context.skip('this process may not use keyrings')
  expect(own).toBe('secret')
  expect(read(launch)).toBe('refused')
})
