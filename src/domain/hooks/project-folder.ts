import { basename, dirname, isAbsolute } from 'node:path'

/**
 * The folder in which a session of Claude Code began: the nearest one at or above `cwd` after which
 * the folder of the transcript is named. A session that changes its folder keeps it, so that a path
 * always has the same meaning. `null`: there is none.
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
