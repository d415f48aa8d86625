import { getCompileCacheDir } from 'node:module'
import { dirname } from 'node:path'

/**
 * The environment of a thread that runs only the service's own code: no variable of the process but
 * the folder of compiled code. Without it, a thread of a checkout loads what removes the types from
 * sources, which takes 11 MiB and 0.15 s.
 */
export function threadEnvironment(): Record<string, string> {
  const folder = getCompileCacheDir()
  // Node has added a folder for its version.
  return folder === undefined ? {} : { NODE_COMPILE_CACHE: dirname(folder) }
}
