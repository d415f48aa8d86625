import path from 'node:path'
import { z } from 'zod'
import { parseJson } from '#domain/json/parse-json.ts'
import type { Directory } from '../open-directory.ts'
import { openFile, readBytes } from '../open-file.ts'

/** The service's package. Without what it needs it is small, and tools of a project import it. */
const service = 'countersign'
const maxRecordBytes = 32 * 1024 * 1024

const versions = z.record(z.string(), z.unknown()).optional()
const manifest = z.object({
  dependencies: versions,
  optionalDependencies: versions,
  peerDependencies: versions,
  devDependencies: versions,
})
const entry = manifest.extend({ link: z.boolean().optional(), resolved: z.string().optional() })
const record = z.object({ packages: z.record(z.string(), entry) })

type Manifest = z.infer<typeof manifest>
/** by their folders, relative to the project */
type Packages = ReadonlyMap<string, z.infer<typeof entry>>

/**
 * The folders of installed packages that only the service needs: most of 400 MB, which no command
 * of a run uses. npm wrote into `installed`, a folder `node_modules`, which package needs which. If
 * another program installed the packages, nothing is left out. Paths are relative to `project`, the
 * folder that has `installed`.
 */
export async function packagesOfService(
  project: Directory,
  installed: Directory,
): Promise<ReadonlySet<string>> {
  const [lock, own] = await Promise.all([
    readJson(installed, '.package-lock.json').then((json) => record.safeParse(json)),
    readJson(project, 'package.json').then((json) => manifest.safeParse(json)),
  ])
  if (!lock.success || !own.success) return new Set()
  const packages: Packages = new Map(Object.entries(lock.data.packages))
  const at = `node_modules/${service}`
  // The parts of a monorepo, which are no installed packages.
  const parts = [...packages].filter(([folder]) => !isInstalled(folder))
  const starts = ([folder, needs]: readonly [string, Manifest]): string[] =>
    [...Object.keys(needs.devDependencies ?? {}), ...namesNeeded(needs)]
      .filter((name) => name !== service)
      .flatMap((name) => resolve(packages, folder, name) ?? [])
  const needed = closure(packages, [['', own.data] as const, ...parts].flatMap(starts))
  const ofService = closure(packages, packages.has(at) ? [at] : [])
  return new Set([...ofService].filter((one) => one !== at && isInstalled(one) && !needed.has(one)))
}

function isInstalled(folder: string): boolean {
  return `/${folder}`.includes('/node_modules/')
}

function namesNeeded({ dependencies, optionalDependencies, peerDependencies }: Manifest): string[] {
  return [dependencies, optionalDependencies, peerDependencies].flatMap((one) =>
    Object.keys(one ?? {}),
  )
}

/** These packages and all that they need. */
function closure(packages: Packages, starts: readonly string[]): ReadonlySet<string> {
  const reached = new Set<string>()
  const queue = [...starts]
  for (let at = queue.pop(); at !== undefined; at = queue.pop()) {
    const needs = packages.get(at)
    if (needs === undefined || reached.has(at)) continue
    reached.add(at)
    const from = at
    queue.push(...namesNeeded(needs).flatMap((name) => resolve(packages, from, name) ?? []))
  }
  return reached
}

/** The package that a name means in a folder, as Node looks for it; `null`: it is not installed. */
function resolve(packages: Packages, folder: string, name: string): string | null {
  for (let at = folder; ; at = path.posix.dirname(at)) {
    const candidate = path.posix.join(at, 'node_modules', name)
    const one = packages.get(candidate)
    if (one !== undefined) return one.link === true ? (one.resolved ?? null) : candidate
    if (at === '' || at === '.') return null
  }
}

async function readJson(folder: Directory, name: string): Promise<unknown> {
  try {
    await using handle = await openFile(folder, name, name)
    const bytes = await readBytes(handle, 0, maxRecordBytes + 1)
    return bytes.length > maxRecordBytes ? null : parseJson(bytes.toString('utf8'))
  } catch {
    return null
  }
}
