import { execFile } from 'node:child_process'
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { fileURLToPath } from 'node:url'
import { afterEach, beforeEach, expect, test } from 'vitest'

const run = promisify(execFile)
const main = fileURLToPath(new URL('main.ts', import.meta.url))
let folder: string
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'countersign init '))
})
afterEach(() => rm(folder, { recursive: true, force: true }))

async function countersign(...args: string[]): Promise<string> {
  return (await run(process.execPath, [main, ...args], { cwd: folder })).stdout
}

test('init writes a folder that check finds valid', async () => {
  expect(await countersign('init')).toContain('written  countersign.yaml')
  expect(JSON.parse(await countersign('check', '--json'))).toEqual({ valid: true, problems: [] })
})

test('init changes no file that is there, says so, and adds to .gitignore once', async () => {
  await writeFile(join(folder, 'package.json'), '{"name":"mine"}\n')
  await writeFile(join(folder, '.gitignore'), 'dist/\n')
  expect(await countersign('init')).toContain('kept     package.json')
  await countersign('init')
  expect(await readFile(join(folder, 'package.json'), 'utf8')).toBe('{"name":"mine"}\n')
  expect(await readFile(join(folder, '.gitignore'), 'utf8')).toBe('dist/\n.countersign/\n.env\n')
})

test('check names every problem with file, line and what would be right, and ends with 1', async () => {
  await writeFile(
    join(folder, 'countersign.yaml'),
    'version: 1\nqueus: {}\ndefaults: { queue: nowhere }\n',
  )
  const failed = await run(process.execPath, [main, 'check', '--json'], { cwd: folder }).catch(
    (error: unknown) => error as { code: number; stdout: string },
  )
  expect(failed).toMatchObject({ code: 1 })
  const { valid, problems } = JSON.parse(failed.stdout) as { valid: boolean; problems: object[] }
  expect(valid).toBe(false)
  expect(problems).toEqual(
    expect.arrayContaining([
      expect.objectContaining({ file: 'countersign.yaml', line: 2, severity: 'error' }),
      expect.objectContaining({ file: 'countersign.yaml', line: 3, severity: 'error' }),
    ]),
  )
})
