import { cueLevel } from '#domain/policy/cues.ts'
import { sqlOf } from './command-cues.ts'
import type { CommandOfText } from './programs/commands-of.ts'
import { deletionOf, isBuildOutput } from './programs/deletion.ts'
import { downloadedRuns } from './programs/downloads.ts'
import { protectionHits } from './programs/protection.ts'

/**
 * The commands that a headline must not hide: those that run what they download, then those that
 * delete or switch a protection off, by their text alone. Whether Git has a deleted file makes no
 * difference here.
 */
export function alarmingCommands(commands: readonly CommandOfText[]): readonly CommandOfText[] {
  const runs = downloadedRuns(commands).map(({ command }) => command)
  const others = commands.filter((command) => !runs.includes(command) && isAlarming(command))
  return [...runs, ...others]
}

function isAlarming(command: CommandOfText): boolean {
  const deletion = deletionOf(command)
  const deletes =
    deletion !== null &&
    (deletion.beyond !== null || deletion.paths.some((path) => !isBuildOutput(path)))
  return (
    deletes ||
    protectionHits(command).length > 0 ||
    sqlOf(command).some(({ id }) => cueLevel(id) === 'warning')
  )
}
