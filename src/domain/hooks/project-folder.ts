import { basename, dirname, isAbsolute } from 'node:path'

/**
 * The folder in which a session of Claude Code began: the nearest folder, from `cwd` upwards, whose
 * path gives the transcript's folder its name. It stays the same when the session changes its
 * folder, so that a path keeps its meaning. `null`: no folder matches.
 */
export function projectFolderOf(event: Readonly<Record<string, unknown>>): string | null {
  const { cwd, transcript_path: transcript } = event
  if (typeof cwd !== 'string' || typeof transcript !== 'string' || !isAbsolute(cwd)) return null
  const name = basename(dirname(transcript))
  for (let folder = cwd; ; folder = dirname(folder)) {
    if (folder.replaceAll(/[^a-zA-Z0-9]/g, '-') === name) return folder
    if (folder === dirname(folder)) return null
  }
}
