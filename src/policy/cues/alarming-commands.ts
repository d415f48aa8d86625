import { cueLevel } from '#domain/policy/cues.ts'
import { sqlOf } from './command-cues.ts'
import type { CommandOfText } from './programs/commands-of.ts'
import { deletionOf, isMadeAgain } from './programs/deletion.ts'
import { downloadedRuns } from './programs/downloads.ts'
import { protectionHits } from './programs/protection.ts'

/**
 * The commands that a headline must not hide: those that delete, run what they download, or switch
 * a protection off, by their text alone. Whether Git has a deleted file makes no difference here.
 */
export function alarmingCommands(commands: readonly CommandOfText[]): readonly CommandOfText[] {
  const runs = new Set(downloadedRuns(commands).map(({ command }) => command))
  return commands.filter((command) => {
    const deletion = deletionOf(command)
    const deletes =
      deletion !== null &&
      (deletion.beyond !== null || deletion.paths.some((path) => !isMadeAgain(path)))
    const isAlarming = ({ id }: Pick<ReturnType<typeof sqlOf>[number], 'id'>): boolean =>
      cueLevel(id) === 'warning'
    return (
      deletes ||
      runs.has(command) ||
      protectionHits(command).length > 0 ||
      sqlOf(command).some(isAlarming)
    )
  })
}
