import { chmod, mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { beforeEach, expect, test } from 'vitest'
import { newFolder } from '#test/harness/new-folder.ts'
import { findTemporalBinary } from './temporal-binary.ts'

let folder: string
beforeEach(() => {
  folder = newFolder('countersign temporal ')
})

async function program(path: string, server: string): Promise<string> {
  await mkdir(join(path, '..'), { recursive: true })
  await writeFile(path, `#!/bin/sh\necho "temporal version 9 (Server ${server}, UI 2)"\n`)
  await chmod(path, 0o755)
  return path
}

test('the named program comes first, before the PATH and the cache', async () => {
  const named = await program(join(folder, 'named'), '1.31.2')
  await program(join(folder, 'bin', 'temporal'), '1.31.2')
  const environment = { COUNTERSIGN_TEMPORAL_BIN: named, PATH: join(folder, 'bin') }
  expect(await findTemporalBinary({ log: () => undefined, environment })).toBe(named)
})

test('a named program that is too old is refused, not replaced', async () => {
  const named = await program(join(folder, 'named'), '1.20.0')
  const environment = { COUNTERSIGN_TEMPORAL_BIN: named, PATH: '' }
  await expect(findTemporalBinary({ log: () => undefined, environment })).rejects.toThrow(
    'server 1.20.0',
  )
})

test('the PATH comes before the cache; a program that is too old is passed over with a message', async () => {
  const cached = await program(
    join(folder, 'cache', `temporal-1.8.2-${process.platform}-${process.arch}`),
    '1.31.2',
  )
  const old = await program(join(folder, 'old', 'temporal'), '1.24.0')
  const good = await program(join(folder, 'bin', 'temporal'), '1.32.0')
  const sentences: string[] = []
  const find = (path: string) =>
    findTemporalBinary({
      log: (sentence) => sentences.push(sentence),
      environment: { COUNTERSIGN_CACHE: join(folder, 'cache'), PATH: path },
    })
  expect(await find(join(folder, 'bin'))).toBe(good)
  expect(await find(join(folder, 'old'))).toBe(cached)
  expect(sentences).toEqual([`${old} is not used: its server is 1.24.0, 1.31 or newer is needed`])
})
