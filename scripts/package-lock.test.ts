import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'

interface LockedPackage {
  version: string
  optionalDependencies?: Record<string, string>
}

const root = join(import.meta.dirname, '..')

async function read<T>(file: string): Promise<T> {
  return JSON.parse(await readFile(join(root, file), 'utf8')) as T
}

/** Where npm would look for a package that one at `from` needs: its own folder, then outwards. */
function lookup(packages: Record<string, LockedPackage>, from: string, name: string): boolean {
  if (packages[`${from && `${from}/`}node_modules/${name}`]) return true
  if (from === '') return false
  return lookup(packages, from.slice(0, Math.max(0, from.lastIndexOf('/node_modules/'))), name)
}

test('the lock file names the optional packages of every platform, or npm ci refuses it', async () => {
  const { packages } = await read<{ packages: Record<string, LockedPackage> }>('package-lock.json')
  const missing = Object.entries(packages).flatMap(([from, { optionalDependencies = {} }]) =>
    Object.keys(optionalDependencies).filter((name) => !lookup(packages, from, name)),
  )
  expect(missing).toEqual([])
})

test('versions are exact, and all of @temporalio is one version', async () => {
  type Kind = 'dependencies' | 'devDependencies' | 'optionalDependencies'
  const { dependencies, devDependencies, optionalDependencies } =
    await read<Record<Kind, Record<string, string>>>('package.json')
  const versions = Object.entries({ ...dependencies, ...devDependencies, ...optionalDependencies })
  expect(versions.filter(([, version]) => !/^\d+\.\d+\.\d+(-[\w.]+)?$/.test(version))).toEqual([])
  const temporal = versions.filter(([name]) => name.startsWith('@temporalio/'))
  expect(new Set(temporal.map(([, version]) => version)).size).toBe(1)
})
