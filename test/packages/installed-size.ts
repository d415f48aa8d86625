import { existsSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { runProgram } from './packed.ts'

interface Locked {
  readonly dependencies?: Readonly<Record<string, string>>
  readonly optionalDependencies?: Readonly<Record<string, string>>
  readonly peerDependencies?: Readonly<Record<string, string>>
  readonly peerDependenciesMeta?: Readonly<Record<string, { readonly optional?: boolean }>>
}

const checkout = join(import.meta.dirname, '../..')

/**
 * How many megabytes the files of these packages have, with all that they depend on, as the lock
 * file of this checkout has it for this platform.
 */
export async function installedMegabytes(names: readonly string[]): Promise<number> {
  const text = await readFile(join(checkout, 'package-lock.json'), 'utf8')
  const { packages } = JSON.parse(text) as { packages: Record<string, Locked> }
  const found = new Set<string>()
  const waiting = names.map((name) => lookup(packages, '', name))
  for (let at = waiting.pop(); at !== undefined; at = waiting.pop()) {
    if (at === null || found.has(at)) continue
    found.add(at)
    const from = at
    waiting.push(...namedBy(packages[at]).map((name) => lookup(packages, from, name)))
  }
  const folders = [...found].filter((at) => existsSync(join(checkout, at)))
  const args = ['-cs', '--apparent-size', '--block-size=1000000', '--exclude=node_modules']
  const { stdout } = await runProgram('du', [...args, ...folders], { cwd: checkout })
  return Number(/^(\d+)\ttotal$/m.exec(stdout)?.[1])
}

function namedBy(locked: Locked | undefined): string[] {
  const { dependencies, optionalDependencies, peerDependencies, peerDependenciesMeta } =
    locked ?? {}
  const peers = Object.keys(peerDependencies ?? {}).filter(
    (name) => peerDependenciesMeta?.[name]?.optional !== true,
  )
  return [...Object.keys({ ...dependencies, ...optionalDependencies }), ...peers]
}

/** Where npm put a package that one at `from` needs. */
function lookup(packages: Record<string, Locked>, from: string, name: string): string | null {
  const at = `${from === '' ? '' : `${from}/`}node_modules/${name}`
  if (packages[at] !== undefined) return at
  if (from === '') return null
  return lookup(packages, from.slice(0, Math.max(0, from.lastIndexOf('/node_modules/'))), name)
}
