import { readdir } from 'node:fs/promises'
import { pathLabel, WorkspaceProblem } from '#domain/tools/workspace-problem.ts'
import { asWorkspaceProblem } from './file-problem.ts'
import type { Directory } from './open-directory.ts'
import { foldPathName } from './names/path-names.ts'

/** Every name in an open folder, as the system lists them. */
export async function namesInDirectory(directory: Directory, at: string): Promise<string[]> {
  return readdir(directory.child('.')).catch((error: unknown) => {
    throw asWorkspaceProblem(error, at)
  })
}

/** The names of an open folder by their folded form. */
export type FoldedNames = ReadonlyMap<string, readonly string[]>

/** Reads every name of an open folder. */
export async function foldedNames(directory: Directory, at: string): Promise<FoldedNames> {
  return Map.groupBy(await namesInDirectory(directory, at), foldPathName)
}

/**
 * Another name of the folder with the same folded form (security.md 11). `leaving` is about to be
 * renamed away.
 */
export function clashOf(names: FoldedNames, name: string, leaving?: string): string | undefined {
  return names
    .get(foldPathName(name))
    ?.find((candidate) => candidate !== name && candidate !== leaving)
}

/** Throws code `case_clash` when there is such a name. */
export async function refuseClash(
  directory: Directory,
  name: string,
  at: string,
  leaving?: string,
): Promise<void> {
  const clash = clashOf(await foldedNames(directory, at), name, leaving)
  if (clash === undefined) return
  throw new WorkspaceProblem(
    'case_clash',
    at,
    `${pathLabel(at)} differs only by case from ${JSON.stringify(clash)} in the same folder.`,
  )
}
