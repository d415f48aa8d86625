import { platform } from './platform.ts'
import { keyNames, type ShortcutId } from './shortcuts.ts'

/** The keys of a command, as this keyboard has them. */
export function Keys({ id }: { id: ShortcutId }) {
  return keyNames(id, platform).flatMap((key) => [<kbd key={key}>{key}</kbd>, ' '])
}
