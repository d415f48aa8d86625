import { mkdtemp, rm, stat } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { devTokenFile, readDevToken, removeDevToken, writeDevToken } from './dev-token.ts'

test('the token is readable by its owner alone and new at every start', async () => {
  const dataDir = await mkdtemp(join(tmpdir(), 'countersign-token-'))
  const first = await writeDevToken(dataDir)
  const second = await writeDevToken(dataDir)
  expect(second).not.toBe(first)
  expect(await readDevToken(dataDir)).toBe(second)
  expect((await stat(devTokenFile(dataDir))).mode & 0o777).toBe(0o600)
  await removeDevToken(dataDir)
  expect(await readDevToken(dataDir)).toBeNull()
  await rm(dataDir, { recursive: true })
})
