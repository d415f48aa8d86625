import { globMatcher } from './patterns.ts'
import { stoppedAt, type ListedEntry, type LookEnd, type FolderLook } from './look-below.ts'
import { walkFiles } from './walk-files.ts'

const maxEntries = 2000
const batchSize = 100

/** Sends the entries of a folder; with a glob, everything below it that matches. */
export async function listBelow(
  { workspace, folder, mayRead, until, limitMs, report }: FolderLook,
  { glob }: { readonly glob?: string | undefined },
): Promise<LookEnd> {
  const matches = globMatcher(glob)
  let entries: ListedEntry[] = []
  let count = 0
  let more: string | null = null
  const flush = (): void => {
    report({ results: entries, files: 0 })
    entries = []
  }
  const maxVisited = glob === undefined ? maxEntries + 1 : Number.MAX_SAFE_INTEGER
  for await (const entry of walkFiles(workspace, folder, mayRead, maxVisited)) {
    if (glob === undefined && entry.below.includes('/')) break
    if (performance.now() > until) more = stoppedAt(limitMs)
    else if (count >= maxEntries) {
      more = `only the first ${maxEntries} entries are listed; narrow path or glob`
    }
    if (more !== null) break
    if (!matches(entry.below)) continue
    count += 1
    entries.push({ path: entry.path, kind: entry.state.kind, bytes: entry.state.bytes })
    if (entries.length >= batchSize) flush()
  }
  flush()
  return { truncated: more !== null, notes: more === null ? [] : [more] }
}
