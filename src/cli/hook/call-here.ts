import { lstat, readdir, realpath } from 'node:fs/promises'
import { join } from 'node:path'
import { secretName } from '#policy/names/secret-names.ts'
import { callOfEvent, type HookedCall } from '#domain/hooks/call-of-event.ts'
import type { HookEvent } from '#domain/hooks/hook-event.ts'

/** Bounds of the search, because a call waits for it. */
const maxEntries = 50_000
const maxMs = 2_000

/**
 * The call of an event of an agent that works on this host. A search counts as `search_files` only
 * if it reads nothing that `search_files` leaves out.
 */
export async function callHere(event: HookEvent, root: string, agent: string): Promise<HookedCall> {
  const call = callOfEvent(event, root, agent, true)
  const { path } = call.input
  if (call.tool !== 'search_files' || typeof path !== 'string') return call
  // Policy refuses a path outside of the folder.
  if (path === '..' || path.startsWith('../') || path.startsWith('/')) return call
  return (await hasSecretsBelow(root, path)) ? callOfEvent(event, root, agent) : call
}

/**
 * Whether a search by another program below a path of the folder `root` could read an environment
 * or key file, which `search_files` leaves out. Also true if that cannot be known: the path has a
 * link, a folder cannot be read, or there are too many entries.
 */
async function hasSecretsBelow(root: string, path: string): Promise<boolean> {
  try {
    const top = await realpath(root)
    const start = join(top, path)
    if ((await realpath(start)) !== start.replace(/(?<=.)\/+$/, '')) return true
    if (!(await lstat(start)).isDirectory()) return secretName(path) !== null
    return await isAmong(top, path)
  } catch {
    return true
  }
}

async function isAmong(top: string, path: string): Promise<boolean> {
  const endsAt = performance.now() + maxMs
  const folders = [path]
  let entriesLeft = maxEntries
  for (let folder = folders.pop(); folder !== undefined; folder = folders.pop()) {
    const entries = await readdir(join(top, folder), { withFileTypes: true })
    entriesLeft -= entries.length
    if (entriesLeft < 0 || performance.now() > endsAt) return true
    for (const entry of entries) {
      const at = join(folder, entry.name)
      if (entry.isDirectory()) folders.push(at)
      else if (secretName(at) !== null) return true
    }
  }
  return false
}
