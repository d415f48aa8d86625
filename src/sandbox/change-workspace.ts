import { oneAtATime } from '#domain/sharing/one-at-a-time.ts'
import { pathLabel, WorkspaceProblem } from '#domain/tools/workspace-problem.ts'
import type { Workspace } from '#domain/tools/workspace.ts'
import { refuseClash } from './case-clash.ts'
import { moveFile, removeFile, replaceFile, sweepAbandoned } from './change-file.ts'
import type { FilePlace } from './lock-files.ts'
import type { WorkspacePlaces } from './workspace-places.ts'

/** The writing methods of the workspace at `root`, one at a time among all that change it. */
export function changeThrough(
  root: string,
  { enter, withPlace, withNewPlace }: WorkspacePlaces,
): Pick<Workspace, 'write' | 'remove' | 'move'> {
  /** The open folder must still be the one at the path, or the change would happen elsewhere. */
  async function confirmReachable(place: FilePlace, parents: readonly string[]): Promise<void> {
    await using again = await enter(parents)
    if (again.identity !== place.directory.identity) {
      const at = parents.join('/')
      throw new WorkspaceProblem('stale', at, `${pathLabel(at)} was swapped for another folder.`)
    }
  }

  return {
    async write(path, bytes, expected) {
      await oneAtATime(root, () =>
        withNewPlace(path, async (place, parents) => {
          await refuseClash(place.directory, place.name, place.at)
          await sweepAbandoned(place)
          await replaceFile(place, bytes, expected, () => confirmReachable(place, parents))
        }),
      )
    },

    async remove(path, expected) {
      await withPlace(enter, path, async (place, parents) => {
        await oneAtATime(root, () =>
          removeFile(place, expected, () => confirmReachable(place, parents)),
        )
      })
    },

    async move(from, to, expected) {
      // One at a time, or a change that is refused would remove a folder that another one enters.
      await oneAtATime(root, () =>
        withPlace(enter, from, (source, sourceParents) =>
          withNewPlace(to, async (target, targetParents) => {
            const same = source.directory.identity === target.directory.identity
            const leaving = same ? source.name : undefined
            await refuseClash(target.directory, target.name, target.at, leaving)
            await moveFile(source, target, expected, async () => {
              await confirmReachable(source, sourceParents)
              await confirmReachable(target, targetParents)
            })
          }),
        ),
      )
    },
  }
}
