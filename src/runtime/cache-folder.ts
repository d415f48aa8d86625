import { homedir } from 'node:os'
import { join } from 'node:path'
import { readText } from './environment.ts'
import type { Environment } from './environment.ts'

/**
 * Where downloads and builds that any checkout can use are kept: `COUNTERSIGN_CACHE`, else
 * `countersign` in the XDG cache folder.
 */
export function cacheFolder(environment: Environment): string {
  const own = readText(environment, 'COUNTERSIGN_CACHE')
  if (own !== undefined) return own
  const home = readText(environment, 'HOME') ?? homedir()
  return join(readText(environment, 'XDG_CACHE_HOME') ?? join(home, '.cache'), 'countersign')
}
