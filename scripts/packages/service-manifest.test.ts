import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { packageManifest, type Manifest } from './service-manifest.ts'

interface Lock {
  readonly packages: Readonly<
    Record<string, { readonly dev?: boolean; readonly engines?: { readonly node?: string } }>
  >
}

const root = join(import.meta.dirname, '..', '..')
const readJson = async <T>(name: string): Promise<T> =>
  JSON.parse(await readFile(join(root, name), 'utf8')) as T

/** The lowest version after the last `>=` of a range, as one number; `*` is any. */
function lowest(range: string): number {
  const [, major, minor = '0'] = /.*>=\s*(\d+)(?:\.(\d+))?/.exec(range) ?? []
  if (major === undefined) return range === '*' ? 0 : Number.POSITIVE_INFINITY
  return Number(major) * 1000 + Number(minor)
}

test('every library of the service runs on the oldest Node that its package promises', async () => {
  const { engines } = packageManifest(await readJson<Manifest>('package.json'))
  const oldest = lowest((engines as { node: string }).node)
  const { packages } = await readJson<Lock>('package-lock.json')
  const newer = Object.entries(packages)
    .filter(([path, { dev }]) => path.startsWith('node_modules/') && dev !== true)
    .filter(([, { engines: { node = '*' } = {} }]) => lowest(node) > oldest)
  expect(newer.map(([path, { engines }]) => `${path} ${engines?.node}`)).toEqual([])
})
