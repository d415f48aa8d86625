import type { ChangeEntry } from './change-entries.ts'

/** A folder with its children, or an entry under the last part of its path. */
export type TreeNode =
  | { readonly kind: 'folder'; readonly name: string; readonly nodes: readonly TreeNode[] }
  | { readonly kind: 'entry'; readonly name: string; readonly entry: ChangeEntry }

/**
 * The entries as a tree of their files. A folder is at the position of its first file, and a folder
 * that contains one folder only is joined with it. An entry without a file is shown by its title.
 * Pure.
 */
export function treeOf(entries: readonly ChangeEntry[]): TreeNode[] {
  return nodesOf(entries.map((entry) => ({ entry, names: entry.path?.split('/') ?? [] })))
}

interface PlacedEntry {
  readonly entry: ChangeEntry
  /** the rest of its path below the folder */
  readonly names: readonly string[]
}

function nodesOf(placed: readonly PlacedEntry[]): TreeNode[] {
  // Files and folders in the order of the calls.
  const groups = Map.groupBy(placed, ({ entry, names }) =>
    names.length > 1 ? `folder ${names[0]}` : `entry ${entry.key}`,
  )
  return [...groups.values()].flatMap((group): TreeNode[] => {
    const [first] = group
    if (first === undefined) return []
    const [name = '', ...rest] = first.names
    if (rest.length === 0) {
      return [{ kind: 'entry', name: name === '' ? first.entry.title : name, entry: first.entry }]
    }
    const nodes = nodesOf(group.map(({ entry, names }) => ({ entry, names: names.slice(1) })))
    const [only, ...others] = nodes
    if (only?.kind === 'folder' && others.length === 0) {
      return [{ ...only, name: `${name}/${only.name}` }]
    }
    return [{ kind: 'folder', name, nodes }]
  })
}
