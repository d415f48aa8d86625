import { mkdir, rename, symlink, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { expect, test } from 'vitest'
import { newFolder } from '#test/harness/new-folder.ts'
import type { CheckTarget } from '../target/check.ts'
import { checkDataFolder } from './check-data-folder.ts'

test('every private key and every password that others can read is a problem, and no public key is', async () => {
  const dataDir = newFolder('countersign-secrets-')
  const secrets = [
    'keys/log.pem',
    'keys/push.pem',
    'keys/shared/seal.key',
    'keys/signing.pem',
    'postgres.application-password',
    'postgres.password',
    'run/dev-token',
  ]
  for (const file of [...secrets, 'keys/public/0123456789abcdef.pem']) {
    await mkdir(dirname(join(dataDir, file)), { recursive: true })
    await writeFile(join(dataDir, file), 'secret', { mode: 0o644 })
  }
  // A key may be a link to the file of a volume.
  const signing = join(dataDir, 'keys/signing.pem')
  await rename(signing, join(dataDir, 'volume.pem'))
  await symlink(join(dataDir, 'volume.pem'), signing)
  const findings = await checkDataFolder({ folders: { dataDir } } as CheckTarget)
  const readable = findings.filter(({ check }) => check === 'secrets').map(({ found }) => found)
  expect(readable.toSorted()).toEqual(
    secrets.map((file) => `${join(dataDir, file)} can be read by others`),
  )
})
