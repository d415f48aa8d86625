import { realpath, stat } from 'node:fs/promises'
import path from 'node:path'
import { pathLabel, WorkspaceProblem } from '#domain/tools/workspace-problem.ts'
import { foldPathName } from './names/path-names.ts'

/** Temporary files of the service's own writes: neither listed nor reachable. */
const unfinished = /^\.countersign-[0-9a-f]{16}\.tmp$/

/** The name of the data folder in the folder of a project, unless a setting says another place. */
export const dataFolderName = '.countersign'

/**
 * The folders of Countersign's own data, absolute: the data folder, and the one that an earlier
 * start with the usual place may have left in the project. That one has keys and tokens too.
 */
export function dataFolders(at: {
  readonly dataDir: string
  readonly projectDir: string
}): readonly string[] {
  const usual = path.join(at.projectDir, dataFolderName)
  return usual === at.dataDir ? [usual] : [at.dataDir, usual]
}

/** The same without a link on the way, for mounts; one that is not there stays as it is written. */
export async function realDataFolders(
  at: Parameters<typeof dataFolders>[0],
): Promise<readonly string[]> {
  const real = dataFolders(at).map((folder) => realpath(folder).catch(() => folder))
  return [...new Set(await Promise.all(real))]
}

/** Paths that do not exist for tools: the data folder, by name and identity (security.md 8). */
export interface HiddenPaths {
  /** Throws code `hidden` for a hidden path or one below. Names are compared case-folded. */
  check(components: readonly string[]): void
  /** `device:inode` of the existing hidden folders, against mounts and links to them */
  identities(): Promise<ReadonlySet<string>>
}

/** Name of a temporary file of the service. */
export function isUnfinishedWrite(name: string): boolean {
  return unfinished.test(foldPathName(name))
}

/** `hidden`: absolute, or relative to `root`. Outside the root only the identity counts. */
export function hiddenPaths(root: string, hidden: readonly string[]): HiddenPaths {
  const absolute = hidden.map((entry) => path.resolve(root, entry))
  const within = absolute
    .map((entry) => path.relative(root, entry).split(path.sep).map(foldPathName))
    .filter((components) => components[0] !== '..' && components[0] !== '')
  return {
    check(components) {
      const folded = components.map(foldPathName)
      const covered = within.some((entry) => entry.every((name, index) => folded[index] === name))
      if (covered || components.some(isUnfinishedWrite)) throw hiddenProblem(components)
    },
    async identities() {
      const states = await Promise.all(
        absolute.map((entry) => stat(entry, { bigint: true }).catch(() => null)),
      )
      return new Set(states.filter((entry) => entry !== null).map(identityOf))
    },
  }
}

/** The identity of a file or folder, whatever its name. */
export function identityOf(entry: { readonly dev: bigint; readonly ino: bigint }): string {
  return `${entry.dev}:${entry.ino}`
}

/** The refusal of a hidden path, with the code `hidden`. */
export function hiddenProblem(components: readonly string[]): WorkspaceProblem {
  const at = components.join('/')
  return new WorkspaceProblem('hidden', at, `${pathLabel(at)} belongs to Countersign itself.`)
}
